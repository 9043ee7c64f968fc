// Signals over time. A running picture asks for as many points as it can show; when it is paused it
// asks once for all there is, and zooms in the browser. Of a recording it shows the whole of it, with
// a line where the page is; a click goes there.

import { echarts } from "nicegui-echart";
import { FRAME, remember, remembered, source, withWords } from "twincell";

const POINTS = 1200;
const ALL = 20000; // as many as the ring has
const EVERY_MS = 250;
const SLOW_MS = 1000; // of a long time, which moves slowly
const SPANS = [[2, "2 s"], [5, "5 s"], [15, "15 s"], [60, "1 min"], [300, "5 min"], [600, "10 min"]];
const SLOW_S = 15; // from which on the picture comes from the long memory
const COLOURS = ["#1c7ed6", "#e8590c", "#2f9e44", "#9c36b5", "#c2255c", "#0c8599", "#e0a800", "#5c6b7a"];

export default {
  template: `
    <div class="tc-panel">
    <div class="tc-row">
      <q-select v-model="chosen" :options="options" multiple use-input use-chips outlined dense class="tc-grow"
                input-debounce="0" label="Signals" :max-values="most" @filter="filter" aria-label="Signals to show" />
    </div>
    <div v-if="!recording" class="tc-row">
      <q-btn-toggle v-model="seconds" :options="spans" dense no-caps unelevated toggle-color="primary" aria-label="Time span" />
      <q-btn outline dense no-caps :icon="paused ? 'play_arrow' : 'pause'" :label="paused ? 'Go on' : 'Pause'"
             :aria-label="paused ? 'Let the picture go on' : 'Pause the picture'" @click="pause" />
    </div>
    <span v-if="note" class="tc-dim">{{ note }}</span>
    <div v-show="chosen.length" ref="chart" class="tc-chart" role="img" aria-label="Trends"></div>
    <div v-if="!chosen.length" class="tc-empty">Choose signals above, or press the curve beside a signal.</div>
    </div>`,
  props: { added: Object },
  data: () => ({
    most: COLOURS.length, chosen: [], options: [], seconds: Number(remembered("span")) || 15, paused: false, note: "",
    recording: null, spans: SPANS.map(([value, label]) => ({ label, value })),
  }),
  watch: {
    added() { this.add(); },
    chosen: { deep: true, handler() { remember("trends", this.chosen.join(",")); this.fetch(); } },
    seconds() { remember("span", this.seconds); this.fetch(); },
  },
  async mounted() {
    this.chart = window.twincellChart = echarts.init(this.$refs.chart);
    this.chart.getZr().on("click", (event) => {
      if (this.recording) source.goTo(this.chart.convertFromPixel({ xAxisIndex: 0 }, event.offsetX));
    });
    this.sized = new ResizeObserver(() => this.chart.resize());
    this.sized.observe(this.$refs.chart);
    this.unlisten = [source.onChange(() => this.change()), source.on(FRAME, () => (this.hasMoved = true))];
    await this.change();
    this.add();
    this.timer = setInterval(() => document.hidden || !this.$el.offsetParent || this.goOn(), EVERY_MS);
  },
  unmounted() {
    clearInterval(this.timer);
    for (const end of this.unlisten ?? []) end();
    this.sized?.disconnect();
    this.chart?.dispose();
  },
  methods: {
    // Other signals: of the cell, or of a recording.
    async change() {
      this.recording = source.recording;
      this.paused = false;
      this.signals = (await source.signals()).filter((signal) => signal.kind !== "String");
      this.byName = new Map(this.signals.map((signal) => [signal.name, signal]));
      const wanted = this.chosen.length ? this.chosen : remembered("trends").split(",");
      this.chosen = wanted.filter((name) => this.byName.has(name));
      this.fetch();
    },
    add() {
      const name = this.added?.name;
      if (!this.byName?.has(name) || this.added === this.taken) return;
      this.taken = this.added;
      if (!this.chosen.includes(name) && this.chosen.length < this.most) this.chosen.push(name);
    },
    filter(text, update) {
      update(() => (this.options = withWords(this.signals, text).slice(0, 80).map((signal) => signal.name)));
    },
    pause() {
      this.paused = !this.paused;
      this.fetch();
    },
    goOn() {
      if (this.recording) return this.hasMoved && this.mark();
      const due = (this.fetched ?? 0) + (this.seconds > SLOW_S ? SLOW_MS : 0);
      if (!this.paused && performance.now() >= due) this.fetch();
    },
    async fetch() {
      if (!this.chosen.length || this.isBusy) return;
      this.isBusy = true;
      this.fetched = performance.now();
      const wanted = this.paused || this.recording ? ALL : POINTS;
      const key = (this.asked = this.question());
      try {
        const columns = this.chosen.map((name) => this.byName.get(name).column);
        const answer = await source.history(columns, this.seconds, wanted);
        if (answer.ok && key === this.question()) this.draw(await answer.arrayBuffer());
      } catch {
        this.note = "no connection";
        this.asked = this.question(); // do not ask again and again
      } finally {
        this.isBusy = false;
        if (this.asked !== this.question()) this.fetch(); // it was changed while an answer was on its way
      }
    },
    question() {
      return [this.chosen, this.seconds, this.paused, this.recording?.url].join(" ");
    },
    draw(data) {
      const [count] = new Uint32Array(data, 0, 1);
      const column = (k) => new Float64Array(data, 8 + 8 * count * k, count);
      const times = column(0);
      const signals = this.chosen.map((name) => this.byName.get(name));
      // numbers with the first unit stand on the left, all others on the right; what is only true or false
      // has a scale of its own on the right, within the picture if there is another on that side
      const units = [...new Set(signals.filter((signal) => signal.kind !== "Boolean").map(unitOf))];
      const sides = [units.slice(0, 1), units.slice(1)];
      const scaleOf = (signal) => (signal.kind === "Boolean" ? 2 : units.indexOf(unitOf(signal)) === 0 ? 0 : 1);
      const hasBoolean = signals.some((signal) => signal.kind === "Boolean");
      const series = signals.map((signal, k) => ({
        name: signal.name, type: "line", showSymbol: false, animation: false, lineStyle: { width: 1.6 },
        color: COLOURS[k], yAxisIndex: scaleOf(signal),
        step: signal.kind === "Double" ? false : "end",
        data: Array.from(column(k + 1), (value, i) => [times[i], value]),
      }));
      const [start, end] = count ? [times[0], times[count - 1]] : [0, 0];
      this.note = this.recording ? "the whole recording; turn the wheel to zoom, click to go there"
        : this.paused ? `paused: ${this.seconds > SLOW_S ? "" : "every tick of "}${(end - start).toFixed(1)} s; turn the wheel to zoom` : "";
      const look = styles();
      const zooms = this.paused || Boolean(this.recording);
      this.chart.setOption(
        {
          animation: false,
          grid: { left: 72, right: units.length > 1 || hasBoolean ? 72 : 20, top: 40, bottom: zooms ? 64 : 32 },
          legend: { top: 6, left: 56, right: 20, type: "scroll", textStyle: { color: look.ink } },
          tooltip: { trigger: "axis", confine: true, valueFormatter: (v) => (typeof v === "number" ? v.toPrecision(6) : v) },
          xAxis: { type: "value", min: start, max: end, axisLine: { onZero: false }, axisLabel: { color: look.ink, formatter: (v) => `${+v.toFixed(1)} s` }, splitLine: { lineStyle: { color: look.line } } },
          yAxis: [axis(sides[0], "left", look), axis(sides[1], "right", look), booleans(hasBoolean, units.length > 1, look)],
          dataZoom: [{ type: "inside", disabled: !zooms }, { type: "slider", show: zooms, bottom: 8, height: 22 }],
          series: [...series, { id: "now", type: "line", data: [], silent: true }],
        },
        { replaceMerge: ["series", "yAxis"] },
      );
      this.$refs.chart.dataset.signals = signals.length;
      this.hasMoved = true;
      this.mark();
    },
    // A line where the page is in the recording.
    mark() {
      this.hasMoved = false;
      const data = this.recording ? [{ xAxis: source.at }] : [];
      const markLine = { data, symbol: "none", animation: false, label: { show: false }, lineStyle: { color: "#c2255c", type: "solid", width: 1.5 } };
      this.chart.setOption({ series: [{ id: "now", markLine }] });
    },
  },
};

const unitOf = (signal) => signal.unit || "no unit";

function styles() {
  const dark = document.body.classList.contains("body--dark");
  return { ink: dark ? "#93a2b2" : "#5a6877", line: dark ? "#2a3643" : "#d7dee6" };
}

function axis(units, position, { ink, line }) {
  return {
    type: "value", scale: true, show: units.length > 0, position, name: units.join(", "), nameLocation: "middle", nameGap: 52,
    nameTextStyle: { color: ink }, axisLabel: { color: ink }, splitLine: { show: position === "left", lineStyle: { color: line } },
  };
}

function booleans(show, inside, { ink }) {
  const formatter = (value) => ({ 0: "false", 10: "true" })[Math.round(10 * value)] ?? "";
  return { type: "value", show, position: "right", min: -0.1, max: 1.1, interval: 0.1, axisTick: { show: false }, axisLine: { show: !inside }, axisLabel: { inside, color: ink, formatter }, splitLine: { show: false } };
}
