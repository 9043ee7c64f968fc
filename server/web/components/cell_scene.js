// The 3-D view with its tools: camera presets, layers, following, what is selected.

import { live, FRAME, SceneView } from "twincell";

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
];

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
  props: { scene: Object },
  data: () => ({
    presets: PRESETS, layers: LAYERS, on: { loads: true, reach: true, axes: false, trails: false },
    following: false, chosen: "", failed: false,
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
    this.unlisten = live.on(FRAME, (frame) => this.replayed || this.view.take(frame));
    window.twincellScene = this;
  },
  unmounted() {
    this.unlisten?.();
    this.watching?.disconnect();
    this.view?.dispose();
  },
  methods: {
    toggle(name) {
      this.on[name] = !this.on[name];
      this.view.layer(name, this.on[name]);
    },
    follow() {
      this.following = !this.following;
      this.view.follow(this.following);
    },
    select(name) {
      this.chosen = name;
      if (!name) this.following = false;
      this.view.select(name);
    },
    // Show frames of a recording instead of what happens now: `scene` is its cell's, none: live.
    replay(scene) {
      this.replayed = Boolean(scene);
      this.view.load(scene ?? this.scene);
      if (!scene && live.frame) this.view.take(live.frame, true);
    },
    show(frame) {
      this.view.take(frame, true);
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
