// Live data of the cell: one WebSocket for the whole page, see server/web/data/live.py.
//
// Everything that shows numbers listens here. When the connection is lost it is opened again.

import { link } from "./link.js";

export const FRAME = 1;
export const ROW = 2;

const AGAIN_MS = [250, 500, 1000, 2000]; // after a lost connection, longer each time

class Live {
  constructor() {
    this.row = null; // Float64Array: one number a signal
    this.frame = null; // Float32Array: one number a slot of the scene
    this.time = 0;
    this.tick = 0;
    this._listeners = new Map([[FRAME, new Set()], [ROW, new Set()]]);
    this._failures = 0;
    this._connect();
  }

  // Call back with every new message of a kind; returns what ends that.
  on(kind, listener) {
    this._listeners.get(kind).add(listener);
    const values = kind === FRAME ? this.frame : this.row;
    if (values) listener(values, this.time, this.tick);
    return () => this._listeners.get(kind).delete(listener);
  }

  _connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/live`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this._failures = 0;
      link("live", true);
    };
    socket.onmessage = (event) => this._take(event.data);
    socket.onclose = (event) => {
      link("live", false);
      if (event.code === 1008) return location.assign("/login"); // may not look any more
      const wait = AGAIN_MS[Math.min(this._failures++, AGAIN_MS.length - 1)];
      setTimeout(() => this._connect(), wait);
    };
  }

  _take(data) {
    const head = new DataView(data);
    const kind = head.getUint32(0, true);
    this.tick = head.getFloat64(8, true);
    this.time = head.getFloat64(16, true);
    const values = kind === FRAME ? new Float32Array(data, 24) : new Float64Array(data, 24);
    if (kind === FRAME) this.frame = values;
    else this.row = values;
    for (const listener of this._listeners.get(kind)) listener(values, this.time, this.tick);
  }
}

export const live = new Live();
