// Where one looks from: presets, following an object, and the whole cell in view.

import { OrbitControls, THREE } from "nicegui-scene";

const DIRECTIONS = {
  iso: [1, -1.2, 0.8],
  front: [1, 0, 0.12],
  side: [0, -1, 0.12],
  top: [0, -0.001, 1],
};
const ROOM = 0.78; // share of the view that the cell fills; chosen by eye: robots reach farther than at rest

export class Camera {
  constructor(element, world) {
    this.world = world;
    this.camera = new THREE.PerspectiveCamera(40, 1, 0.02, 200);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, element);
    this.controls.enableDamping = false;
    this.followed = null;
    this.last = new THREE.Vector3();
  }

  // Look at the whole cell from a direction.
  preset(name) {
    this.world.updateMatrixWorld(true);
    const corners = this._corners();
    const away = new THREE.Vector3(...DIRECTIONS[name]).normalize();
    const right = new THREE.Vector3().crossVectors(this.camera.up, away).normalize();
    const up = new THREE.Vector3().crossVectors(away, right);
    // the middle of what is seen from there
    const target = new THREE.Vector3();
    for (const axis of [right, up, away]) {
      const along = corners.map((corner) => corner.dot(axis));
      target.addScaledVector(axis, (Math.min(...along) + Math.max(...along)) / 2);
    }
    // as far away as the corner needs that is farthest aside
    const high = ROOM * Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * this.camera.aspect;
    const distances = corners.map((corner) => {
      corner.sub(target);
      return corner.dot(away) + Math.max(Math.abs(corner.dot(right)) / wide, Math.abs(corner.dot(up)) / high);
    });
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(away, Math.max(...distances));
    this.controls.update();
  }

  // Corners of the boxes around all solids; of a cell without any, of a box around its origin.
  _corners() {
    const boxes = [];
    this.world.traverse((object) => {
      if (object.isMesh && object.visible && object.userData.thing) boxes.push(new THREE.Box3().setFromObject(object));
    });
    if (!boxes.length) boxes.push(new THREE.Box3(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1)));
    const ends = [0, 1, 2, 3, 4, 5, 6, 7];
    return boxes.flatMap(({ min, max }) =>
      ends.map((k) => new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z)),
    );
  }

  // Where the camera is and where it looks: six numbers, from which `place` brings it back.
  get numbers() {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  place(numbers) {
    this.camera.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    this.controls.update();
  }

  follow(thing) {
    this.followed = thing;
    if (!thing) return;
    thing.frame.getWorldPosition(this.last);
    this.camera.position.add(this.last).sub(this.controls.target);
    this.controls.target.copy(this.last);
    this.controls.update();
  }

  // Go along with what is followed.
  update() {
    if (!this.followed) return;
    const now = this.followed.frame.getWorldPosition(new THREE.Vector3());
    this.camera.position.add(now).sub(this.last);
    this.controls.target.add(now).sub(this.last);
    this.last.copy(now);
    this.controls.update();
  }
}
