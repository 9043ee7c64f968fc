// Where one looks from: presets, following an object, and the whole cell in view.

import { OrbitControls, THREE } from "nicegui-scene";

const DIRECTIONS = {
  iso: [1, -1.2, 0.8],
  front: [1, 0, 0.12],
  side: [0, -1, 0.12],
  top: [0, -0.001, 1],
};
const ROOM = 0.88; // how tightly the cell fills the view; chosen by eye

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
    const box = new THREE.Box3();
    this.world.traverse((object) => {
      if (object.isMesh && object.visible && object.userData.thing) box.expandByObject(object);
    });
    if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const narrow = Math.min(this.camera.aspect, 1);
    const distance = (ROOM * sphere.radius) / Math.sin((this.camera.fov * Math.PI) / 360) / narrow;
    const direction = new THREE.Vector3(...DIRECTIONS[name]).normalize();
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(sphere.center).addScaledVector(direction, distance);
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
