// Where things have been: lines that follow them.

import { THREE } from "nicegui-scene";

const POINTS = 300; // 10 s at 30 frames a second

export class Trails {
  constructor(world, things) {
    this.isOn = false;
    this.trails = things
      .filter((thing) => thing.trail)
      .map((thing) => {
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(3 * POINTS), 3));
        const colour = thing.kind === "tool" ? "#3d7dca" : "#e8804a";
        const line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: colour }));
        line.frustumCulled = false;
        world.add(line);
        return { thing, line, count: 0 };
      });
    this.clear();
  }

  clear() {
    for (const trail of this.trails) {
      trail.count = 0;
      trail.line.geometry.setDrawRange(0, 0);
    }
  }

  update() {
    const at = new THREE.Vector3();
    for (const trail of this.trails) {
      trail.line.visible = this.isOn;
      if (!this.isOn) continue;
      const points = trail.line.geometry.attributes.position;
      if (trail.count === POINTS) points.array.copyWithin(0, 3);
      else trail.count++;
      trail.thing.frame.getWorldPosition(at).toArray(points.array, 3 * (trail.count - 1));
      points.needsUpdate = true;
      trail.line.geometry.setDrawRange(0, trail.count);
    }
  }
}
