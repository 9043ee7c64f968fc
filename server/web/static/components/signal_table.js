// All signals with their live values: searched and drawn in the browser, from rows that come by themselves.
// A forced signal shows what it is in the cell, and beside its name what clients see instead. While a
// recording is open they are its signals, at its time.

import { remember, remembered, ROW, SearchField, shown, source, withWords } from "twincell";

const MOST = 400; // rows that are drawn; more are found by searching

export default {
  components: { SearchField },
  template: `
    <div class="tc-panel">
    <search-field v-model="wanted" label="Search signals" example="Tool1 force, valve, N.m" :found="found.length" :all="signals.length" />
    <div class="tc-scroll">
      <table class="tc-table" aria-label="Signals">
        <thead><tr><th>Signal</th><th class="right">Value</th><th>Unit</th><th></th></tr></thead>
        <tbody>
          <tr v-for="signal in found.slice(0, most)" :key="signal.column"
              :class="{ picked: signal.object === picked, forced: isForced(signal) }">
            <td>
              <button class="link" @click="$emit('pick', signal.object)" :title="signal.description">{{ signal.name }}</button>
              <span v-if="signal.direction !== 'feedback'" class="tc-tag" :class="signal.direction">{{ signal.direction }}</span>
              <span v-if="isForced(signal)" class="tc-tag fault">forced to {{ forced[signal.name] }}</span>
            </td>
            <td class="right tc-value" :data-signal="signal.name">{{ texts[signal.column] ?? "" }}</td>
            <td class="tc-dim">{{ signal.unit }}</td>
            <td class="right tc-buttons">
              <q-btn flat dense round size="sm" icon="push_pin" :aria-label="'Force ' + signal.name"
                     :color="signal.name in forced ? 'negative' : 'grey'"
                     v-if="!recording && signal.kind !== 'String' && signal.direction !== 'fault'" @click="$emit('force', signal.name)" />
              <q-btn flat dense round size="sm" icon="show_chart" :aria-label="'Show ' + signal.name + ' as a trend'"
                     v-if="signal.kind !== 'String'" @click="$emit('trend', signal.name)" />
            </td>
          </tr>
        </tbody>
      </table>
      <div v-if="!found.length" class="tc-empty">No signal has all of these words in its name or description.</div>
    </div>
    </div>`,
  props: { forced: Object, picked: String },
  data: () => ({ signals: [], wanted: remembered("search"), texts: [], most: MOST, recording: null }),
  watch: {
    picked(object) { this.wanted = object ? `${object}.` : ""; },
    wanted(text) { remember("search", text); this.draw(); },
  },
  computed: {
    found() {
      return withWords(this.signals, this.wanted);
    },
  },
  async mounted() {
    if (this.picked && !this.wanted) this.wanted = `${this.picked}.`;
    this.unlisten = [
      source.onChange((recording) => this.change(recording)),
      source.on(ROW, (row) => this.draw((this.row = row))),
    ];
    await this.load(source.recording);
  },
  unmounted() {
    for (const end of this.unlisten ?? []) end();
  },
  methods: {
    isForced(signal) {
      return !this.recording && signal.name in this.forced;
    },
    change(recording) {
      this.row = null; // its columns are others
      return this.load(recording);
    },
    async load(recording) {
      this.recording = recording;
      this.signals = await source.signals();
      this.draw();
    },
    draw() {
      const texts = [];
      if (this.row) for (const signal of this.found.slice(0, MOST)) texts[signal.column] = shown(signal, this.row);
      this.texts = texts;
    },
  },
};
