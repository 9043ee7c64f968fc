// From the scene that the server describes to three.js objects, see server/web/data/scene.py.

import { THREE } from "nicegui-scene";

// one colour a partner, far apart from each other in light and dark
export const PARTNER_COLOURS = [
  "#2f9e44", "#e8590c", "#7048e8", "#c2255c", "#0c8599", "#e0a800", "#5c940d", "#d6336c", "#3b5bdb", "#a0522d",
];

export function quaternion([w, x, y, z]) {
  return new THREE.Quaternion(x, y, z, w);
}

export function place(object, position, turn) {
  object.position.set(...position);
  object.quaternion.copy(quaternion(turn));
  return object;
}

// Groups for all nodes, hung on each other; the first is the world.
export function buildNodes(scene) {
  const groups = [];
  for (const node of scene.nodes) {
    const group = place(new THREE.Group(), node.position, node.quaternion);
    group.name = node.name;
    group.userData.rest = { position: group.position.clone(), turn: group.quaternion.clone() };
    groups.push(group);
    if (node.parent >= 0) groups[node.parent].add(group);
  }
  return groups;
}

// A frame for everything that can be selected: arrows, rings and labels hang there.
export function buildThings(scene, groups) {
  return scene.things.map((thing) => {
    const frame = place(new THREE.Group(), thing.position, thing.quaternion);
    groups[thing.node].add(frame);
    return { ...thing, frame, meshes: [] };
  });
}

// Draws all shapes; meshes come later, and `onLater` is called when all of them are there.
export function buildShapes(scene, groups, things, onLater) {
  const byName = new Map(things.map((thing) => [thing.name, thing]));
  const add = (shape, geometry) => {
    const material = new THREE.MeshStandardMaterial({ color: shape.colour, roughness: 0.55, metalness: 0.15 });
    const mesh = place(new THREE.Mesh(geometry, material), shape.position, shape.quaternion);
    if (shape.kind === "mesh") mesh.scale.set(...shape.sizes);
    mesh.castShadow = true;
    mesh.receiveShadow = true;
    mesh.userData.thing = shape.thing;
    groups[shape.node].add(mesh);
    byName.get(shape.thing)?.meshes.push(mesh);
  };
  for (const shape of scene.shapes) if (shape.kind !== "mesh") add(shape, solid(shape));
  const meshes = scene.shapes.filter((shape) => shape.kind === "mesh");
  const asked = new Map(meshes.map(({ mesh }) => [mesh, triangles(mesh)]));
  const added = meshes.map(async (shape) => {
    const geometry = await asked.get(shape.mesh);
    if (geometry) add(shape, geometry);
  });
  if (meshes.length) Promise.all(added).then(onLater);
}

// A mesh of the cell; null if it cannot be had.
async function triangles(number) {
  const answer = await fetch(`/mesh/${number}`).catch(() => null);
  if (!answer?.ok) return null;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(await answer.arrayBuffer()), 3));
  geometry.computeVertexNormals();
  return geometry;
}

function solid({ kind, sizes }) {
  if (kind === "box") return new THREE.BoxGeometry(...sizes);
  if (kind === "sphere") return new THREE.SphereGeometry(sizes[0], 32, 20);
  const [radius, length] = sizes;
  // three's axis is y, ours is z
  const geometry =
    kind === "capsule"
      ? new THREE.CapsuleGeometry(radius, length, 8, 24)
      : new THREE.CylinderGeometry(radius, radius, length, 40);
  return geometry.rotateX(Math.PI / 2);
}

// Where something is caught: translucent solids.
export function buildReach(things) {
  const reach = [];
  for (const thing of things) {
    if (!thing.reach) continue;
    const colour = thing.kind === "tool" ? "#3d7dca" : thing.kind === "flange" ? "#e8590c" : "#5b6876";
    const material = new THREE.MeshBasicMaterial({ color: colour, transparent: true, opacity: 0.12, depthWrite: false });
    const mesh = new THREE.Mesh(solid(thing.reach), material);
    mesh.userData.thing = thing.name;
    thing.frame.add(mesh);
    thing.reachMesh = mesh;
    reach.push(mesh);
  }
  return reach;
}

export function buildAxes(groups, things, size) {
  const axes = [];
  const add = (parent, length) => {
    const helper = new THREE.AxesHelper(length);
    helper.material.depthTest = false;
    helper.renderOrder = 2;
    parent.add(helper);
    axes.push(helper);
  };
  add(groups[0], 2 * size);
  for (const thing of things) if (!["body", "surface"].includes(thing.kind)) add(thing.frame, size);
  return axes;
}
