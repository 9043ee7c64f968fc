// What the components of the page share.
export { remember, remembered } from "./address.js";
export { live, FRAME, ROW } from "./live.js";
export { SceneView } from "./scene_view.js";
export { SearchField, withWords } from "./search.js";
export { allSignals } from "./signals.js";
export { source } from "./source.js";
export { clock, day } from "./times.js";
export { shown, valueOf } from "./values.js";
