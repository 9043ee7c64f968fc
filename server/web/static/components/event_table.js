// What happened, the newest first: in the running cell, or in the recording that is open. Searched and
// filtered in the browser. In a recording an event leads to its time.

import { clock, SearchField, source, withWords } from "twincell";

const EVERY_MS = 1000;
const MOST = 1000; // that are remembered
const DRAWN = 300;

export default {
  components: { SearchField },
  template: `
    <div class="tc-panel">
    <search-field v-model="wanted" label="Search events" example="Tool1 Holder2" :found="found.length" :all="events.length" />
    <div class="tc-row" role="group" aria-label="Kinds of events">
      <button v-for="[kind, count] in kinds" :key="kind" class="tc-filter" :class="{ on: !hidden.has(kind) }"
              :aria-pressed="!hidden.has(kind)" @click="toggle(kind)">{{ kind }} <span class="tc-num">{{ count }}</span></button>
      <button v-if="picked" class="tc-filter on" @click="$emit('pick', picked)" :aria-label="'All sources, not only ' + picked">only {{ picked }} ✕</button>
    </div>
    <div class="tc-scroll" v-show="found.length">
      <table class="tc-table" aria-label="Events">
        <thead><tr><th>Time</th><th class="right">Tick</th><th>Source</th><th>What</th></tr></thead>
        <tbody>
          <tr v-for="event in found.slice(0, drawn)" :key="event.number" :class="event.level">
            <td class="tc-value">
              <button v-if="recording" class="link" :aria-label="'Go to ' + event.at_s.toFixed(3) + ' s'" @click="goTo(event)">{{ event.at_s.toFixed(3) }} s</button>
              <time v-else :title="new Date(event.ms).toISOString()">{{ time(event.ms) }}</time>
            </td>
            <td class="right tc-value tc-dim">{{ event.tick ?? "" }}</td>
            <td><button class="link" @click="$emit('pick', event.source)">{{ event.source }}</button></td>
            <td>{{ event.text }}</td>
          </tr>
        </tbody>
      </table>
    </div>
    <div v-if="!events.length" class="tc-empty">Nothing has happened yet. Tools that change hands, drives at their limit, faults and lost controllers show here.</div>
    <div v-else-if="!found.length" class="tc-empty">No event has all of these words, or its kind is hidden above.</div>
    </div>`,
  props: { picked: String },
  data: () => ({ events: [], wanted: "", hidden: new Set(), recording: null, drawn: DRAWN }),
  computed: {
    kinds() {
      const counts = new Map();
      for (const { kind } of this.events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      return [...counts].sort(([a], [b]) => a.localeCompare(b));
    },
    found() {
      const events = this.events.filter((event) => !this.hidden.has(event.kind));
      return withWords(events, `${this.wanted ?? ""} ${this.picked ?? ""}`);
    },
  },
  mounted() {
    const change = (recording) => {
      this.recording = recording;
      // ticks that took too long are a matter of timing; in a recording they are here, if somebody wants them
      this.hidden = new Set(recording ? ["Overruns"] : []);
      this.newest = 0;
      this.events = recording ? recording.events.map(searched).reverse() : [];
      if (!recording) this.fetch();
    };
    change(source.recording);
    this.unlisten = source.onChange(change);
    this.timer = setInterval(() => this.recording || document.hidden || !this.$el.offsetParent || this.fetch(), EVERY_MS);
  },
  unmounted() {
    clearInterval(this.timer);
    this.unlisten?.();
  },
  methods: {
    time: clock,
    toggle(kind) {
      const hidden = new Set(this.hidden);
      if (!hidden.delete(kind)) hidden.add(kind);
      this.hidden = hidden;
    },
    goTo(event) {
      source.goTo(source.timeOf(event));
    },
    async fetch() {
      if (this.isBusy) return;
      this.isBusy = true;
      try {
        const answer = await fetch(`/events?after=${this.newest}`);
        const news = answer.ok ? await answer.json() : [];
        if (this.recording || !news.length) return;
        this.newest = news.at(-1).number;
        this.events = [...news.map(searched).reverse(), ...this.events].slice(0, MOST);
      } catch {
        // no connection: the page says so
      } finally {
        this.isBusy = false;
      }
    },
  },
};

const searched = (event) =>
  Object.freeze({ ...event, search: `${event.source} ${event.text} ${event.kind}`.toLowerCase() });
