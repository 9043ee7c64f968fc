// What constraints do: arrows for force and torque, a ring round what is held.
//
// An arrow of the heaviest loose body's weight is ARROW_M long. A ring has its partner's colour and
// is as thick as its load says.

import { THREE } from "nicegui-scene";
import { PARTNER_COLOURS } from "./scene_build.js";

export const ARROW_M = 0.25;
const LONGEST_M = 1.2;
const TORQUE_M = 1.0; // lever: a torque is drawn as the force that it is at this distance
export const LEAST_N = 0.02; // less is not drawn
const FORCE = "#e03131";
const TORQUE = "#9c36b5";

const UP = new THREE.Vector3(0, 1, 0);

export class Arrow {
  // `inFront`: not hidden by what it begins in
  constructor(parent, colour, heads, inFront = false) {
    this.group = new THREE.Group();
    const material = new THREE.MeshBasicMaterial({ color: colour, depthTest: !inFront });
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.006, 0.006, 1, 12).translate(0, 0.5, 0), material);
    this.group.add(this.shaft);
    this.heads = [];
    for (let k = 0; k < heads; k++) {
      const head = new THREE.Mesh(new THREE.ConeGeometry(0.018, 0.045, 16).translate(0, -0.0225, 0), material);
      this.heads.push(head);
      this.group.add(head);
    }
    if (inFront) for (const part of this.group.children) part.renderOrder = 3;
    this.group.visible = false;
    parent.add(this.group);
  }

  show(vector, metresEach, isOn) {
    const size = vector.length();
    const length = Math.min(size * metresEach, LONGEST_M);
    this.group.visible = isOn && length > 0.01;
    if (!this.group.visible) return;
    this.group.quaternion.setFromUnitVectors(UP, vector.clone().divideScalar(size));
    this.shaft.scale.y = Math.max(length - 0.03, 0.005);
    this.heads.forEach((head, k) => head.position.set(0, length - 0.03 * k, 0));
  }
}

export class Loads {
  constructor(scene, things) {
    this.metresEach = ARROW_M / scene.weight;
    this.isOn = true;
    this.holders = things.filter((thing) => thing.kind === "holder" || thing.kind === "flange");
    this.loaded = things
      .filter((thing) => thing.load !== null)
      .map((thing) => ({
        thing,
        force: new Arrow(thing.frame, FORCE, 1),
        torque: new Arrow(thing.frame, TORQUE, 2),
        ring: thing.partner === null ? null : this._ring(thing),
      }));
  }

  _ring(thing) {
    const radius = Math.max(1.08 * thing.radius, 0.03);
    const material = new THREE.MeshStandardMaterial({ roughness: 0.4 });
    const ring = new THREE.Group();
    const mesh = new THREE.Mesh(new THREE.TorusGeometry(radius, 0.01, 12, 48), material);
    ring.add(mesh);
    const rod = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 16).translate(0, 0.5, 0), material);
    ring.add(rod);
    ring.visible = false;
    thing.frame.add(ring);
    return { ring, mesh, rod, material, radius, thickness: 0 };
  }

  // Which holder holds a tool: a thing, or undefined.
  partnerOf(thing, frame) {
    return thing.partner === null ? undefined : this.holders[Math.round(frame[thing.partner]) - 1];
  }

  update(frame) {
    const vector = new THREE.Vector3();
    for (const { thing, force, torque, ring } of this.loaded) {
      const at = thing.load;
      vector.set(frame[at], frame[at + 1], frame[at + 2]);
      const load = vector.length();
      force.show(vector, this.metresEach, this.isOn && load > LEAST_N);
      vector.set(frame[at + 3], frame[at + 4], frame[at + 5]);
      torque.show(vector, this.metresEach / TORQUE_M, this.isOn && vector.length() > LEAST_N);
      if (ring) this._showRing(thing, ring, load, frame);
    }
  }

  _showRing(thing, { ring, mesh, rod, material, radius }, load, frame) {
    const partner = this.partnerOf(thing, frame);
    ring.visible = this.isOn && partner !== undefined;
    if (!partner) return;
    material.color.set(PARTNER_COLOURS[this.holders.indexOf(partner) % PARTNER_COLOURS.length]);
    const thickness = 0.004 + 0.012 * Math.min((load * this.metresEach) / ARROW_M, 3);
    mesh.scale.set(1, 1, thickness / 0.01);
    // from the tool to where its partner wants it, when that is apart
    const target = thing.frame.worldToLocal(partner.frame.getWorldPosition(new THREE.Vector3()));
    const distance = target.length();
    rod.visible = distance > 0.003;
    if (rod.visible) {
      rod.quaternion.setFromUnitVectors(UP, target.clone().divideScalar(distance));
      rod.scale.set(thickness, distance, thickness);
    }
  }
}
