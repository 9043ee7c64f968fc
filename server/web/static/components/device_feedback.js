// The feedback part of a device's faceplate: state, what is wrong, lamps for Booleans, other values.

import { ROW, shown, source, valueOf } from "twincell";

const BAD = /\.(Fault|StreamLost)$/; // a lamp that is red when it is on
const SAID = /\.(FaultText|Refusal|State)$/; // above the other values
const REASONS = /\.(FaultText|Refusal)$/; // told in words, while there are any

export default {
  template: `
    <div class="tc-feedback">
      <div v-for="reason in reasons" :key="reason" class="reason" role="alert">{{ reason }}</div>
      <div v-if="broken.length" class="reason">Broken on purpose: {{ broken.join(", ") }}</div>
      <div v-if="state" class="state">{{ state }}</div>
      <div class="lamps">
        <span v-for="one in lamps" :key="one.name" class="lamp" :class="{ on: one.isOn, bad: one.isBad, forced: one.name in forced }"
              :title="one.title" :aria-label="one.name + (one.isOn ? ' on' : ' off')" role="status"><i></i>{{ one.label }}</span>
      </div>
      <div v-if="values.length" class="values">
        <span v-for="one in values" :key="one.name" class="value" :class="{ forced: one.name in forced }" :title="one.title">
          <span class="tc-dim">{{ one.label }}</span> <span class="tc-num">{{ one.text }}</span></span>
      </div>
    </div>`,
  props: { feedback: Array, levers: Array, forced: Object },
  data: () => ({ row: null }),
  computed: {
    reasons() {
      return this.of((signal) => REASONS.test(signal.name)).map((one) => valueOf(one, this.row)).filter(Boolean);
    },
    state() {
      return this.of((signal) => signal.name.endsWith(".State")).map((one) => words(valueOf(one, this.row)))[0];
    },
    broken() {
      return this.row ? this.levers.filter((one) => this.row[one.column]).map((one) => last(one.name)) : [];
    },
    lamps() {
      return this.of((signal) => signal.kind === "Boolean").map((one) => {
        const isOn = valueOf(one, this.row);
        return { name: one.name, label: last(one.name), title: `${one.name}: ${one.description}`, isOn, isBad: isOn && BAD.test(one.name) };
      });
    },
    values() {
      return this.of((signal) => signal.kind !== "Boolean" && !SAID.test(signal.name)).map((one) => ({
        name: one.name, label: last(one.name), title: `${one.name}: ${one.description}`, text: `${shown(one, this.row)} ${one.unit}`.trim(),
      }));
    },
  },
  mounted() {
    // its columns are those of the running cell; while a recording is open nobody sees this
    this.unlisten = source.on(ROW, (row) => source.recording || (this.row = row));
  },
  unmounted() {
    this.unlisten?.();
  },
  methods: {
    of(isWanted) {
      return this.row ? this.feedback.filter(isWanted) : [];
    },
  },
};

// UnlockedEmpty: unlocked empty
const words = (state) => state.replace(/(?!^)([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);

// A signal is called on its faceplate what it is called on the device.
const last = (name) => name.slice(name.indexOf(".") + 1).replace("Truth.", "").replace("Fault.", "");
