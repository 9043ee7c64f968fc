// Where surfaces touch: an arrow for the force on each, a patch where a watched contact pushes.

import { THREE } from "nicegui-scene";
import { Arrow, ARROW_M, LEAST_N } from "./scene_loads.js";

const CONTACT = "#f08c00";
const PATCH_M = 0.014; // radius
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
      .map((thing) => ({ thing, arrow: new Arrow(thing.frame, CONTACT, 1, true) }));
    this.watched = scene.contacts.map((contact) => {
      const group = new THREE.Group();
      const material = new THREE.MeshBasicMaterial({ color: CONTACT, depthTest: false });
      const patch = new THREE.Mesh(new THREE.CylinderGeometry(PATCH_M, PATCH_M, 0.002, 32), material);
      const rim = new THREE.Mesh(
        new THREE.TorusGeometry(PATCH_M, 0.002, 8, 48).rotateX(Math.PI / 2),
        new THREE.MeshBasicMaterial({ color: "#ffffff", depthTest: false }),
      );
      patch.add(rim);
      patch.renderOrder = 4;
      rim.renderOrder = 5;
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
