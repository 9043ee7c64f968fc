// Goes through the time of a recording: the 3-D view shows what was then.

export default {
  template: `
    <div class="line" style="flex-wrap: wrap">
      <q-btn round dense unelevated color="primary" :icon="playing ? 'pause' : 'play_arrow'"
             :aria-label="playing ? 'Pause the recording' : 'Play the recording'" :disable="!times.length" @click="play" />
      <q-slider v-model="at" :min="0" :max="last" :step="frame_s" class="tc-grow" aria-label="Time in the recording"
                @keydown.home.prevent="goTo(0)" @keydown.end.prevent="goTo(last)"
                :disable="!times.length" @update:model-value="show" style="min-width: 10rem" />
      <span class="tc-value" data-testid="scrub-time">{{ at.toFixed(3) }} / {{ last.toFixed(3) }} s</span>
      <span v-if="problem" class="tc-dim" role="alert">{{ problem }}</span>
    </div>`,
  props: { url: String },
  data: () => ({ at: 0, last: 0, frame_s: 1 / 30, playing: false, problem: "", times: [] }),
  async mounted() {
    const answer = await fetch(this.url);
    if (!answer.ok) {
      this.problem = "The recording is gone: open it again.";
      return;
    }
    const data = await answer.arrayBuffer();
    const [count, slots] = new Uint32Array(data, 0, 2);
    const all = new Float32Array(data, 8);
    this.frame = (k) => all.subarray(k * (slots + 1) + 1, (k + 1) * (slots + 1));
    this.times = Array.from({ length: count }, (_, k) => all[k * (slots + 1)]);
    this.last = this.times[count - 1];
    this.show();
  },
  unmounted() {
    this.playing = false;
  },
  methods: {
    show() {
      // the last frame that is not later
      let low = 0;
      let high = this.times.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.times[middle] <= this.at + 1e-6) low = middle;
        else high = middle - 1;
      }
      if (this.times.length) window.twincellScene?.show(this.frame(low));
    },
    goTo(seconds) {
      this.at = Math.min(Math.max(seconds, 0), this.last);
      this.show();
    },
    play() {
      this.playing = !this.playing;
      if (this.at >= this.last) this.at = 0;
      let before = performance.now();
      const step = (now) => {
        if (!this.playing) return;
        this.goTo(this.at + (now - before) / 1000);
        before = now;
        if (this.at >= this.last) this.playing = false;
        else requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    },
  },
};
