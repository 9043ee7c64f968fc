// The 3-D view of a cell: draws when something has changed, and only then.

import { THREE } from "nicegui-scene";
import { buildAxes, buildNodes, buildReach, buildShapes, buildThings } from "./scene_build.js";
import { Camera } from "./scene_camera.js";
import { Contacts } from "./scene_contacts.js";
import { Loads } from "./scene_loads.js";
import { Motion } from "./scene_motion.js";
import { Names } from "./scene_names.js";
import { Trails } from "./scene_trails.js";

const FRAME_MS = 1000 / 30; // between two frames of the server
const CLICK_PX = 5; // a pointer that moved farther has turned the view
const SELECTED = "#ffb300";

const LOOKS = {
  light: { back: "#e9edf2", fog: "#e9edf2", grid: "#b9c3ce", lines: "#d3dae2" },
  dark: { back: "#0f151c", fog: "#0f151c", grid: "#34404d", lines: "#1f2833" },
};

export class SceneView {
  constructor(element, scene, onSelect) {
    this.element = element;
    this.onSelect = onSelect;
    this.renderer = new THREE.WebGLRenderer({ antialias: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    element.append(this.renderer.domElement);
    this.stage = new THREE.Scene();
    this.camera = new Camera(this.renderer.domElement, this.stage);
    this.camera.controls.addEventListener("start", () => (this.isTurned = true));
    this.camera.controls.addEventListener("change", () => (this.isStale = true));
    this.camera.controls.addEventListener("end", () => this.onLook(this.camera.numbers));
    this.onLook = () => {}; // somebody has turned the view, or chosen one
    this.hidden = new Set();
    this._light();
    this.load(scene);
    this._listen();
    this._resize();
    this.camera.preset("iso");
    this.frames = 0; // drawn so far
    this._loop = this._loop.bind(this);
    requestAnimationFrame(this._loop);
  }

  // Show another cell, or the same one anew.
  load(scene) {
    if (this.groups) this.stage.remove(this.groups[0]);
    this.scene = scene;
    this.groups = buildNodes(scene);
    this.stage.add(this.groups[0]);
    this.things = buildThings(scene, this.groups);
    buildShapes(scene, this.groups, this.things, () => this._showMeshes());
    this.reach = buildReach(this.things);
    this.axes = buildAxes(this.groups, this.things, 0.12);
    this.motion = new Motion(scene, this.groups);
    this.loads = new Loads(scene, this.things);
    this.contacts = new Contacts(scene, this.things, this.groups[0]);
    this.trails = new Trails(this.groups[0], this.things);
    this.names?.dispose();
    this.names = new Names(this.element, this.things);
    this.before = this.after = null;
    this.isMoving = false;
    this.selected = null;
    this._showLayers();
  }

  // A new frame: go there from what is shown now; `atOnce` when somebody drags a time slider.
  take(frame, atOnce = false) {
    if (frame.length !== this.scene.slots) return; // of another cell
    this.before = atOnce || !this.after ? frame : this.after;
    this.after = frame;
    this.since = performance.now();
    this.isMoving = true;
    this.trails.update();
    if (this.isFirst === undefined) {
      this.isFirst = false;
      this.motion.show(frame, frame, 1);
      if (!this.isTurned) this.camera.preset("iso");
    }
  }

  layer(name, isOn) {
    if (isOn) this.hidden.delete(name);
    else this.hidden.add(name);
    this._showLayers();
  }

  select(name) {
    this._paint(this.selected, "#000000");
    this.selected = this.things.find((thing) => thing.name === name) ?? null;
    this._paint(this.selected, SELECTED);
    if (this.camera.followed) this.camera.follow(this.selected);
    this.isStale = true;
  }

  follow(isOn) {
    this.camera.follow(isOn ? this.selected : null);
    this.isStale = true;
  }

  preset(name) {
    this.isTurned = true;
    this.camera.preset(name);
    this.onLook(this.camera.numbers);
    this.isStale = true;
  }

  // Look from where somebody looked before; what is no place is none.
  look(numbers) {
    if (numbers.length !== 6 || !numbers.every(Number.isFinite)) return;
    this.isTurned = true;
    this.camera.place(numbers);
    this.isStale = true;
  }

  dark(isDark) {
    const look = LOOKS[isDark ? "dark" : "light"];
    this.stage.background = new THREE.Color(look.back);
    this.stage.fog = new THREE.Fog(look.fog, 8, 30);
    if (this.grid) this.stage.remove(this.grid);
    this.grid = new THREE.GridHelper(20, 40, look.grid, look.lines).rotateX(Math.PI / 2);
    this.stage.add(this.grid);
    this.isStale = true;
  }

  dispose() {
    this.isGone = true;
    this.observer.disconnect();
    this.renderer.dispose();
  }

  // Meshes have come: see all of the cell, unless somebody has chosen where to look from.
  _showMeshes() {
    if (!this.isTurned) this.camera.preset("iso");
    this._paint(this.selected, SELECTED);
    this.isStale = true;
  }

  _light() {
    this.stage.add(new THREE.HemisphereLight("#ffffff", "#8090a0", 1.6));
    const sun = new THREE.DirectionalLight("#ffffff", 2.2);
    sun.position.set(3, -4, 7);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    Object.assign(sun.shadow.camera, { left: -4, right: 4, top: 4, bottom: -4, far: 20 });
    this.stage.add(sun);
    const floor = new THREE.Mesh(new THREE.PlaneGeometry(40, 40), new THREE.ShadowMaterial({ opacity: 0.18 }));
    floor.receiveShadow = true;
    this.stage.add(floor);
  }

  _showLayers() {
    for (const mesh of this.reach) mesh.visible = !this.hidden.has("reach");
    for (const axes of this.axes) axes.visible = !this.hidden.has("axes");
    this.loads.isOn = this.contacts.isOn = !this.hidden.has("loads");
    this.trails.isOn = !this.hidden.has("trails");
    if (!this.trails.isOn) this.trails.clear();
    this.names.isOn = !this.hidden.has("names");
    if (this.after) this.isMoving = true;
    this.isStale = true;
  }

  _paint(thing, colour) {
    for (const mesh of thing?.meshes ?? []) {
      mesh.material.emissive.set(colour);
      mesh.material.emissiveIntensity = 0.45;
    }
    if (thing?.reachMesh) thing.reachMesh.material.opacity = colour === SELECTED ? 0.3 : 0.12;
  }

  _listen() {
    const canvas = this.renderer.domElement;
    let down = null;
    canvas.addEventListener("pointerdown", (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > CLICK_PX) return;
      this.onSelect(this._thingAt(event));
    });
    this.observer = new ResizeObserver(() => this._resize());
    this.observer.observe(this.element);
  }

  _thingAt(event) {
    const box = this.renderer.domElement.getBoundingClientRect();
    const point = new THREE.Vector2(
      ((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2,
    );
    const ray = new THREE.Raycaster();
    ray.setFromCamera(point, this.camera.camera);
    const hits = ray.intersectObjects(this.stage.children, true).filter((hit) => hit.object.userData.thing);
    // what is solid is meant before the translucent reach around it
    const hit = hits.find(({ object }) => !this.reach.includes(object)) ?? hits.find(({ object }) => object.visible);
    return hit?.object.userData.thing ?? "";
  }

  _resize() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    this.camera.camera.aspect = width / height;
    this.camera.camera.updateProjectionMatrix();
    this.isStale = true;
  }

  _loop(now) {
    if (this.isGone) return;
    requestAnimationFrame(this._loop);
    if (this.isMoving) {
      const share = Math.min(1, (now - this.since) / FRAME_MS);
      this.motion.show(this.before, this.after, Math.max(share, 0));
      this.stage.updateMatrixWorld();
      this.loads.update(this.after);
      this.contacts.update(this.after);
      if (share >= 1) this.isMoving = false;
      this.camera.update();
      this.isStale = true;
    }
    if (!this.isStale) return;
    this.isStale = false;
    this.renderer.render(this.stage, this.camera.camera);
    this.names.update(this.camera.camera, this.selected);
    this.frames++;
  }
}
