// Moves the nodes as frames say, smoothly from one frame to the next.

import { THREE } from "nicegui-scene";

export class Motion {
  constructor(scene, groups) {
    this.parts = scene.nodes
      .map((node, k) => ({ node, group: groups[k] }))
      .filter(({ node }) => node.pose !== null || node.joint !== null);
    for (const part of this.parts) {
      if (part.node.joint) part.axis = new THREE.Vector3(...part.node.joint.axis).normalize();
    }
    this.turn = new THREE.Quaternion();
    this.other = new THREE.Quaternion();
  }

  // Show what lies between two frames: share 0 is the first, 1 the second.
  show(before, after, share) {
    const mix = (slot) => before[slot] + (after[slot] - before[slot]) * share;
    for (const { node, group, axis } of this.parts) {
      if (node.joint) {
        const value = mix(node.joint.slot);
        const { position, turn } = group.userData.rest;
        this.turn.setFromAxisAngle(axis, node.joint.turn * value);
        group.quaternion.copy(turn).multiply(this.turn);
        const way = node.joint.slide * value;
        group.position.copy(axis).multiplyScalar(way).applyQuaternion(turn).add(position);
      } else {
        const at = node.pose;
        group.position.set(mix(at), mix(at + 1), mix(at + 2));
        this.turn.set(before[at + 4], before[at + 5], before[at + 6], before[at + 3]);
        this.other.set(after[at + 4], after[at + 5], after[at + 6], after[at + 3]);
        group.quaternion.slerpQuaternions(this.turn, this.other, share);
      }
    }
  }
}
