// The 3-D view with its tools: camera presets, layers, following, what is selected.

import { FRAME, remember, remembered, SceneView, source } from "twincell";

const PRESETS = [
  ["iso", "view_in_ar", "Whole cell"],
  ["front", "crop_landscape", "From the front"],
  ["side", "crop_portrait", "From the side"],
  ["top", "vertical_align_top", "From above"],
];
const LAYERS = [
  ["loads", "north_east", "Forces, torques and links"],
  ["reach", "blur_circular", "How near a tool must come"],
  ["axes", "3d_rotation", "Frames"],
  ["trails", "timeline", "Trails"],
  ["names", "label", "What things are called"],
];
const USUAL = ["loads", "reach", "names"];

export default {
  template: `
    <div class="tc-scene" role="region" aria-label="3-D view of the cell">
      <div ref="stage" class="tc-stage" data-testid="stage"></div>
      <div class="tc-scene-tools" role="toolbar" aria-label="Camera and layers">
        <q-btn v-for="[name, icon, title] in presets" :key="name" flat dense round size="md" :icon="icon"
               :aria-label="title" @click="view.preset(name)"><q-tooltip>{{ title }}</q-tooltip></q-btn>
        <span class="tc-gap"></span>
        <q-btn v-for="[name, icon, title] in layers" :key="name" flat dense round size="md" :icon="icon"
               :aria-label="title" :aria-pressed="!!on[name]" :class="{ 'tc-on': on[name] }"
               @click="toggle(name)"><q-tooltip>{{ title }}</q-tooltip></q-btn>
        <span class="tc-gap"></span>
        <q-btn flat dense round size="md" icon="my_location" aria-label="Follow what is selected"
               :aria-pressed="following" :class="{ 'tc-on': following }" :disable="!chosen"
               @click="follow"><q-tooltip>Follow what is selected</q-tooltip></q-btn>
      </div>
      <div v-if="failed" class="tc-scene-failed" role="alert">This browser shows no 3-D: WebGL is off.</div>
    </div>`,
  props: { scene: Object, selected: String },
  data: () => ({
    presets: PRESETS, layers: LAYERS, on: {}, following: false, chosen: "", failed: false,
  }),
  mounted() {
    const pick = (name) => this.$emit("pick", name);
    try {
      this.view = new SceneView(this.$refs.stage, this.scene, pick);
    } catch (error) {
      this.failed = true;
      throw error;
    }
    const dark = () => this.view.dark(document.body.classList.contains("body--dark"));
    dark();
    this.watching = new MutationObserver(dark);
    this.watching.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    const layers = remembered("layers") ? remembered("layers").split(",") : USUAL;
    for (const [name] of LAYERS) this.view.layer(name, (this.on[name] = layers.includes(name)));
    this.view.look(remembered("camera").split(",").map(Number));
    this.view.onLook = (place) => remember("camera", place.map((x) => x.toFixed(3)).join(","));
    const load = (recording) => {
      this.replayed = Boolean(recording);
      this.view.load(recording?.scene ?? this.scene);
      this.choose(this.chosen);
    };
    if (source.recording) load(source.recording);
    this.unlisten = [source.onChange(load), source.on(FRAME, (frame, atOnce) => this.view.take(frame, atOnce))];
    this.choose(this.selected);
    window.twincellScene = this;
  },
  unmounted() {
    for (const end of this.unlisten ?? []) end();
    this.watching?.disconnect();
    this.view?.dispose();
  },
  methods: {
    toggle(name) {
      this.on[name] = !this.on[name];
      this.view.layer(name, this.on[name]);
      const layers = LAYERS.map(([one]) => one).filter((one) => this.on[one]);
      remember("layers", String(layers) === String(USUAL) ? "" : layers.join(",") || "none");
    },
    follow() {
      this.following = !this.following;
      this.view.follow(this.following);
    },
    choose(name) {
      this.chosen = name;
      remember("select", name);
      if (!name) this.following = false;
      this.view.select(name);
    },
    // What else the address should remember.
    remember(key, value) {
      remember(key, value);
    },
    // For tests: where a thing is in the world, and who holds it.
    whereIs(name) {
      const thing = this.view.things.find((one) => one.name === name);
      const matrix = thing.frame.matrixWorld.elements;
      const partner = this.view.after ? this.view.loads.partnerOf(thing, this.view.after)?.name : "";
      return { position: [matrix[12], matrix[13], matrix[14]], partner: partner ?? "", frames: this.view.frames };
    },
  },
};
