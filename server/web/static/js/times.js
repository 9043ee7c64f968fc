// Times of day as the person in front of the browser reads them: in his own time zone.

const CLOCK = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 });
const DAY = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" });

export const clock = (ms) => CLOCK.format(ms);
export const day = (ms) => DAY.format(ms);
