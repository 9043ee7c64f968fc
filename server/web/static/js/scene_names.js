// Names beside the things of the cell: plain text above the picture, so that they are always sharp.

import { THREE } from "nicegui-scene";

const KINDS = ["tool", "robot", "holder", "mover", "flange"]; // in this order they get their places; all else is a part of these
const MANY = 40; // with more of them only what is selected has its name
const APART_PX = [80, 17]; // nearer to another one than that, a name stands below it
const DEEP = 4; // names below each other; more are left out

const rank = ({ kind }) => (KINDS.includes(kind) ? KINDS.indexOf(kind) : KINDS.length);

export class Names {
  constructor(element, things) {
    this.isOn = true;
    this.element = element;
    const byKind = [...things].sort((a, b) => rank(a) - rank(b));
    this.labels = byKind.map((thing) => ({ thing, text: this._label(element, thing) }));
    const named = this.labels.filter(({ thing }) => KINDS.includes(thing.kind));
    this.usual = new Set(named.length > MANY ? [] : named);
    this.at = new THREE.Vector3();
  }

  dispose() {
    for (const { text } of this.labels) text.remove();
  }

  update(camera, selected) {
    const { clientWidth: width, clientHeight: height } = this.element;
    const taken = [];
    for (const label of this.labels) {
      const isSelected = label.thing === selected;
      let place = null;
      if (isSelected || (this.isOn && this.usual.has(label))) {
        label.thing.frame.getWorldPosition(this.at).project(camera);
        const x = ((this.at.x + 1) / 2) * width;
        let y = ((1 - this.at.y) / 2) * height;
        const isTaken = () => taken.some(([u, v]) => Math.abs(u - x) < APART_PX[0] && Math.abs(v - y) < APART_PX[1]);
        for (let deep = 1; deep < DEEP && isTaken(); deep++) y += APART_PX[1];
        if (this.at.z < 1 && !isTaken()) taken.push((place = [x, y]));
      }
      label.text.hidden = place === null;
      label.text.classList.toggle("picked", isSelected);
      if (place) label.text.style.transform = `translate(${place[0].toFixed(1)}px, ${place[1].toFixed(1)}px)`;
    }
  }

  _label(element, thing) {
    const text = document.createElement("span");
    text.className = "tc-name";
    text.textContent = thing.name;
    text.hidden = true;
    element.append(text);
    return text;
  }
}
