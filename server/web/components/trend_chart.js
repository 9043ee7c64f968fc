// Signals over time, from the ring of the cell. A running picture asks for as many points as it can
// show; when it is paused it asks once for every tick, and zooms in the browser.

import { echarts } from "nicegui-echart";
import { allSignals, withWords } from "twincell";

const POINTS = 1200;
const ALL = 20000; // as many as the ring has
const EVERY_MS = 250;

export default {
  template: `
    <div class="tc-panel">
    <div class="tc-row">
      <q-select v-model="chosen" :options="options" multiple use-input use-chips outlined dense class="tc-grow"
                input-debounce="0" label="Signals" :max-values="most" @filter="filter" aria-label="Signals to show" />
    </div>
    <div class="tc-row">
      <q-btn-toggle v-model="seconds" :options="spans" dense no-caps unelevated toggle-color="primary" aria-label="Time span" />
      <q-btn outline dense no-caps :icon="paused ? 'play_arrow' : 'pause'" :label="paused ? 'Go on' : 'Pause'"
             @click="pause" :aria-pressed="paused" />
      <span class="tc-dim">{{ note }}</span>
    </div>
    <div v-show="chosen.length" ref="chart" class="tc-chart" role="img" aria-label="Trends"></div>
    <div v-if="!chosen.length" class="tc-empty">Choose signals above, or press the curve beside a signal.</div>
    </div>`,
  data: () => ({
    most: 8, chosen: [], options: [], seconds: 10, paused: false, note: "",
    spans: [2, 5, 10, 15].map((s) => ({ label: `${s} s`, value: s })),
  }),
  watch: {
    chosen: { deep: true, handler() { this.fetch(); } },
    seconds() { this.fetch(); },
  },
  async mounted() {
    this.signals = (await allSignals()).filter((signal) => signal.kind !== "String");
    this.columns = new Map(this.signals.map((signal) => [signal.name, signal]));
    this.chart = echarts.init(this.$refs.chart);
    this.sized = new ResizeObserver(() => this.chart.resize());
    this.sized.observe(this.$refs.chart);
    this.timer = setInterval(() => this.paused || document.hidden || !this.$el.offsetParent || this.fetch(), EVERY_MS);
  },
  unmounted() {
    clearInterval(this.timer);
    this.sized?.disconnect();
    this.chart?.dispose();
  },
  methods: {
    add(name) {
      if (!this.chosen.includes(name) && this.chosen.length < this.most) this.chosen.push(name);
    },
    filter(text, update) {
      update(() => (this.options = withWords(this.signals, text).slice(0, 80).map((signal) => signal.name)));
    },
    pause() {
      this.paused = !this.paused;
      this.fetch();
    },
    async fetch() {
      if (!this.chosen.length || this.isBusy) return;
      this.isBusy = true;
      const wanted = this.paused ? ALL : POINTS;
      try {
        const columns = this.chosen.map((name) => this.columns.get(name).column).join(",");
        const answer = await fetch(`/history?columns=${columns}&from_s=${this.seconds}&points=${wanted}`);
        this.hasAll = wanted === ALL;
        if (answer.ok) this.draw(await answer.arrayBuffer());
      } catch {
        this.note = "no connection";
        this.hasAll = true; // do not ask again and again
      } finally {
        this.isBusy = false;
        if (this.paused && !this.hasAll) this.fetch(); // it was pressed while an answer was on its way
      }
    },
    draw(data) {
      const [count] = new Uint32Array(data, 0, 1);
      const column = (k) => new Float64Array(data, 8 + 8 * count * k, count);
      const times = column(0);
      const dark = document.body.classList.contains("body--dark");
      const ink = dark ? "#93a2b2" : "#5a6877";
      const line = dark ? "#2a3643" : "#d7dee6";
      const units = [...new Set(this.chosen.map((name) => this.columns.get(name).unit))];
      const series = this.chosen.map((name, k) => ({
        name, type: "line", showSymbol: false, animation: false,
        yAxisIndex: units.indexOf(this.columns.get(name).unit) === 0 ? 0 : 1,
        lineStyle: { width: 1.6 },
        step: this.columns.get(name).kind === "Double" ? false : "end",
        data: Array.from(column(k + 1), (value, i) => [times[i], value]),
      }));
      const [start, end] = count ? [times[0], times[count - 1]] : [0, 0];
      this.note = this.paused ? `paused: every tick of ${(end - start).toFixed(1)} s; turn the wheel to zoom` : "";
      const axis = (unit, k) => ({
        type: "value", scale: true, name: unit || "", nameTextStyle: { color: ink }, position: k ? "right" : "left",
        axisLabel: { color: ink }, splitLine: { show: !k, lineStyle: { color: line } },
      });
      this.chart.setOption(
        {
          animation: false,
          color: ["#1c7ed6", "#e8590c", "#2f9e44", "#9c36b5", "#c2255c", "#0c8599", "#e0a800", "#5c6b7a"],
          grid: { left: 56, right: units.length > 1 ? 56 : 16, top: 44, bottom: 64 },
          legend: { top: 4, type: "scroll", textStyle: { color: ink } },
          tooltip: { trigger: "axis", confine: true, valueFormatter: (v) => (typeof v === "number" ? v.toPrecision(6) : v) },
          xAxis: { type: "value", min: start, max: end, axisLabel: { color: ink, formatter: (v) => `${v.toFixed(1)} s` }, splitLine: { lineStyle: { color: line } } },
          yAxis: [axis(units[0], 0), ...(units.length > 1 ? [axis(units.slice(1).join(", "), 1)] : [])],
          dataZoom: [{ type: "inside", disabled: !this.paused }, { type: "slider", show: this.paused, bottom: 8, height: 22 }],
          series,
        },
        { replaceMerge: ["series", "yAxis"] },
      );
    },
  },
};
