// Where surfaces touch: an arrow for the force on each, a patch where a watched contact pushes.

import { THREE } from "nicegui-scene";
import { Arrow, ARROW_M, LEAST_N } from "./scene_loads.js";

const CONTACT = "#f08c00";
const UP = new THREE.Vector3(0, 1, 0);

function read(frame, slot) {
  return new THREE.Vector3(frame[slot], frame[slot + 1], frame[slot + 2]);
}

export class Contacts {
  constructor(scene, things, world) {
    this.metresEach = ARROW_M / scene.weight;
    this.isOn = true;
    this.pushed = things
      .filter((thing) => thing.kind === "surface" && thing.push !== null)
      .map((thing) => ({ thing, arrow: new Arrow(thing.frame, CONTACT, 1) }));
    this.watched = scene.contacts.map((contact) => {
      const group = new THREE.Group();
      const material = new THREE.MeshBasicMaterial({ color: CONTACT, depthTest: false });
      const patch = new THREE.Mesh(new THREE.CylinderGeometry(0.012, 0.012, 0.002, 24), material);
      patch.renderOrder = 3;
      group.add(patch);
      group.visible = false;
      world.add(group);
      return { ...contact, group, patch };
    });
  }

  update(frame) {
    const turn = new THREE.Quaternion();
    for (const { thing, arrow } of this.pushed) {
      const force = read(frame, thing.push); // world axes
      const size = force.length();
      force.applyQuaternion(thing.frame.getWorldQuaternion(turn).invert());
      arrow.show(force, this.metresEach, this.isOn && size > LEAST_N);
    }
    for (const { group, patch, point, normal, force } of this.watched) {
      group.visible = this.isOn && read(frame, force).length() > LEAST_N;
      group.position.copy(read(frame, point));
      patch.quaternion.setFromUnitVectors(UP, read(frame, normal).normalize());
    }
  }
}
