// Goes through the time of a recording: the whole page shows what was then.

import { source } from "twincell";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const TELL_MS = 250; // between two words to the server about where we are
const GONE = "Its values are no longer at hand, as others have opened more recordings: open it again.";

export default {
  template: `
    <div class="tc-time tc-replay" role="toolbar" aria-label="Time in the recording">
      <q-btn round dense unelevated :icon="playing ? 'pause' : 'play_arrow'"
             :aria-label="playing ? 'Pause the recording' : 'Play the recording'" :disable="!last" @click="play" />
      <q-btn flat dense round icon="skip_previous" aria-label="Event before" :disable="!last" @click="jump(-1)"><q-tooltip>Event before</q-tooltip></q-btn>
      <q-btn flat dense round icon="skip_next" aria-label="Next event" :disable="!last" @click="jump(1)"><q-tooltip>Next event</q-tooltip></q-btn>
      <q-slider :model-value="at" :min="0" :max="last" :step="0" class="tc-grow" aria-label="Time in the recording"
                @keydown.home.prevent="goTo(0)" @keydown.end.prevent="goTo(last)"
                @keydown.left.prevent="goTo(at - 1 / 30)" @keydown.right.prevent="goTo(at + 1 / 30)"
                :disable="!last" @update:model-value="goTo" style="min-width: 8rem" />
      <span class="tc-value" data-testid="scrub-time">{{ at.toFixed(3) }} / {{ last.toFixed(3) }} s</span>
      <q-select v-model="speed" :options="speeds" outlined dense options-dense emit-value map-options
                aria-label="Speed of the recording" style="width: 5.5rem" />
      <span v-if="problem" role="alert">{{ problem }}</span>
    </div>`,
  props: { url: String },
  data: () => ({ at: 0, last: 0, speed: 1, playing: false, problem: "",
    speeds: SPEEDS.map((value) => ({ label: `${value} ×`, value })) }),
  async mounted() {
    this.unlisten = source.onChange(() => (this.playing = false));
    if (await source.open(this.url)) {
      this.last = source.recording.last;
      this.follow();
    } else {
      this.problem = GONE;
    }
    this.timer = setInterval(() => this.follow(), TELL_MS);
    window.twincellScrubber = this;
  },
  unmounted() {
    clearInterval(this.timer);
    this.unlisten?.();
    source.close();
  },
  methods: {
    // others go to a time too: events, trends
    follow() {
      this.at = source.at;
      if (source.recording?.isGone) this.problem = GONE;
      if (this.at !== this.told && source.recording) this.$emit("at", (this.told = this.at));
    },
    goTo(seconds) {
      source.goTo(seconds);
      this.at = source.at;
    },
    jump(direction) {
      const events = (source.recording?.events ?? []).filter((one) => one.kind !== "Overruns");
      const times = events.map((event) => source.timeOf(event));
      const found = direction > 0 ? times.find((t) => t > this.at + 1e-4) : times.findLast((t) => t < this.at - 1e-4);
      if (found !== undefined) this.goTo(found);
    },
    play() {
      this.playing = !this.playing;
      if (source.at >= this.last) this.goTo(0);
      let before = performance.now();
      const step = (now) => {
        if (!this.playing) return;
        this.goTo(source.at + ((now - before) / 1000) * this.speed);
        before = now;
        if (this.at >= this.last) this.playing = false;
        else requestAnimationFrame(step);
      };
      requestAnimationFrame(step);
    },
  },
};
