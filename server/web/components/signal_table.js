// All signals with their live values: searched and drawn in the browser, from rows that come by themselves.
// A forced signal shows what it is in the cell, and beside its name what clients see instead.

import { allSignals, live, ROW, shown, withWords } from "twincell";

const MOST = 400; // rows that are drawn; more are found by searching

export default {
  template: `
    <div class="tc-panel">
    <div class="tc-row tight">
      <q-input v-model="wanted" outlined dense clearable class="tc-grow" type="search"
               placeholder="Search: Tool1 force, valve, N.m" aria-label="Search signals">
        <template #prepend><q-icon name="search" /></template>
      </q-input>
      <span class="tc-dim" aria-live="polite">{{ found.length }} of {{ signals.length }}</span>
    </div>
    <div class="tc-scroll">
      <table class="tc-table" aria-label="Signals">
        <thead><tr><th>Signal</th><th class="right">Value</th><th>Unit</th><th></th></tr></thead>
        <tbody>
          <tr v-for="signal in found.slice(0, most)" :key="signal.column"
              :class="{ picked: signal.object === picked, forced: signal.name in forced }">
            <td>
              <button class="link" @click="$emit('pick', signal.object)" :title="signal.description">{{ signal.name }}</button>
              <span v-if="signal.direction !== 'feedback'" class="tc-tag" :class="signal.direction">{{ signal.direction }}</span>
              <span v-if="signal.name in forced" class="tc-tag fault">forced to {{ forced[signal.name] }}</span>
            </td>
            <td class="right tc-value" :data-signal="signal.name">{{ texts[signal.column] ?? "" }}</td>
            <td class="tc-dim">{{ signal.unit }}</td>
            <td class="right tc-buttons">
              <q-btn flat dense round size="sm" icon="push_pin" :aria-label="'Force ' + signal.name"
                     :color="signal.name in forced ? 'negative' : 'grey'"
                     v-if="signal.kind !== 'String' && signal.direction !== 'fault'" @click="$emit('force', signal.name)" />
              <q-btn flat dense round size="sm" icon="show_chart" :aria-label="'Show ' + signal.name + ' as a trend'"
                     v-if="signal.kind !== 'String'" @click="$emit('trend', signal.name)" />
            </td>
          </tr>
        </tbody>
      </table>
      <div v-if="!found.length" class="tc-empty">No signal has all of these words in its name or description.</div>
    </div>
    </div>`,
  props: { forced: Object },
  data: () => ({ signals: [], wanted: "", texts: [], picked: "", most: MOST }),
  computed: {
    found() {
      return withWords(this.signals, this.wanted);
    },
  },
  async mounted() {
    this.signals = await allSignals();
    this.unlisten = live.on(ROW, (row) => {
      const texts = [];
      for (const signal of this.found.slice(0, MOST)) texts[signal.column] = shown(signal, row);
      this.texts = texts;
    });
  },
  unmounted() {
    this.unlisten?.();
  },
  methods: {
    pick(object) {
      this.picked = object;
      this.wanted = object ? `${object}.` : "";
    },
  },
};
