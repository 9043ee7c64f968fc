// What the components of the page share.
export { live, FRAME, ROW } from "./live.js";
export { SceneView } from "./scene_view.js";
export { allSignals, withWords } from "./signals.js";
export { shown, valueOf } from "./values.js";
