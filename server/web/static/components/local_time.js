// A moment in the time zone of the browser; pointed at, in UTC.

import { clock, day } from "twincell";

export default {
  template: `<time :datetime="utc" :title="utc">{{ text }}</time>`,
  props: { ms: Number, precise: Boolean },
  computed: {
    text() { return this.precise ? clock(this.ms) : day(this.ms); },
    utc() { return new Date(this.ms).toISOString(); },
  },
};
