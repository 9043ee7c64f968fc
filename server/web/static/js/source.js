// Where everything that the page shows comes from: the running cell, or a recording that is open.
//
// Whoever shows frames or rows listens here, and never has to know which of the two it is.

import { remember, remembered } from "./address.js";
import { FRAME, live, ROW } from "./live.js";
import { allSignals, completed } from "./signals.js";

class Source {
  constructor() {
    this.recording = null; // what /replay/.../about says, with its frames
    this.at = 0; // [s] since its first row
    this._listeners = new Map([[FRAME, new Set()], [ROW, new Set()]]);
    this._watchers = new Set();
    for (const kind of [FRAME, ROW]) live.on(kind, (values) => this.recording || this._tell(kind, values));
  }

  // Call back with every new frame or row; `atOnce` when it does not follow the one before.
  on(kind, listener) {
    this._listeners.get(kind).add(listener);
    const newest = kind === FRAME ? live.frame : live.row;
    if (this.recording) this._show();
    else if (newest) listener(newest, false);
    return () => this._listeners.get(kind).delete(listener);
  }

  // Call back when a recording was opened or closed.
  onChange(watcher) {
    this._watchers.add(watcher);
    return () => this._watchers.delete(watcher);
  }

  signals() {
    return this.recording ? Promise.resolve(this.recording.signals) : allSignals();
  }

  // Times and values of some columns: of the last seconds, of a recording from its begin to its end.
  history(columns, seconds, points) {
    const asked = `columns=${columns.join(",")}&points=${points}`;
    const url = this.recording ? `${this.recording.url}/history?${asked}` : `/history?${asked}&from_s=${seconds}`;
    return fetch(url);
  }

  // Show a recording, from the place on that the address remembers; false if it is gone.
  async open(url) {
    const [about, frames] = await Promise.all([fetch(`${url}/about`), fetch(url)]);
    if (!about.ok || !frames.ok) return false;
    const recording = await about.json();
    const data = await frames.arrayBuffer();
    const [count, slots] = new Uint32Array(data, 0, 2);
    const all = new Float32Array(data, 8);
    const frame = (k) => all.subarray(k * (slots + 1) + 1, (k + 1) * (slots + 1));
    const times = Array.from({ length: count }, (_, k) => all[k * (slots + 1)]);
    const signals = recording.signals.map(completed);
    this.recording = { ...recording, url, frame, times, signals, last: times[count - 1] };
    this._row = -1;
    this.row = null; // of another recording, or of the cell
    this._changed();
    this.goTo(Number(remembered("at")) || 0);
    return true;
  }

  close() {
    if (!this.recording) return;
    this.recording = null;
    remember("at", "");
    this._changed();
    if (live.frame) this._tell(FRAME, live.frame, true);
    if (live.row) this._tell(ROW, live.row);
  }

  goTo(seconds) {
    if (!this.recording) return;
    this.at = Math.min(Math.max(seconds, 0), this.recording.last);
    remember("at", this.at.toFixed(3));
    this._show();
  }

  // The first frame in which an event has happened.
  timeOf(event) {
    const { times, last } = this.recording;
    return times.find((time) => time >= event.at_s - 1e-4) ?? last;
  }

  _changed() {
    for (const watcher of this._watchers) watcher(this.recording);
  }

  _tell(kind, values, atOnce = false) {
    for (const listener of this._listeners.get(kind)) listener(values, atOnce);
  }

  // The last frame that is not later.
  get _index() {
    const { times } = this.recording;
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= this.at + 1e-6) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  _show() {
    this._tell(FRAME, this.recording.frame(this._index), true);
    if (!this._isAsking) this._ask();
  }

  // Rows are asked for one at a time: who drags the slider gets the newest, not all.
  async _ask() {
    this._isAsking = true;
    try {
      while (this.recording && this._row !== this._index) {
        const { recording, _index: wanted } = this;
        const answer = await fetch(`${recording.url}/row/${wanted}`);
        recording.isGone = answer.status === 404; // others have opened too many since
        if (!answer.ok || recording !== this.recording) break;
        const row = new Float32Array(await answer.arrayBuffer());
        if (recording !== this.recording) break;
        this._row = wanted;
        this.row = row;
        this._tell(ROW, row);
      }
      if (this.recording && this.row) this._tell(ROW, this.row);
    } catch {
      // no connection: the page says so
    } finally {
      this._isAsking = false;
    }
  }
}

export const source = new Source();
