// Whether what is pressed on this page reaches the cell. When it does not, whoever presses something
// is told at once, and once more when the connection is there again: also after a reload.
//
// Two connections must be open: that of live data, and that of the page's own elements. After a time
// without this script (a computer that slept, busy graphics) they count only once the server answers.

const STALL_MS = 10_000; // less than the server waits for a sign of life, see server/web/serve.py
const BEAT_MS = 500;
const ANSWER_MS = 2_000;
const TOLD_MS = 60_000; // after which nobody wonders any more what became of a click
const TRIED = "twincell-tried";
const NOT_DONE = "What you have pressed just now was not done: there was no connection.";

const root = document.documentElement;
const isOpen = { live: true, page: true, awake: true };
let beat = Date.now();

// A part of the connection has come or gone.
export function link(part, isThere) {
  isOpen[part] = isThere;
  const isWhole = Object.values(isOpen).every(Boolean);
  root.dataset.live = isWhole ? "on" : "off";
  if (!isWhole) return;
  delete root.dataset.tried;
  const triedAt = Number(sessionStorage.getItem(TRIED));
  sessionStorage.removeItem(TRIED);
  if (Date.now() - triedAt < TOLD_MS) {
    window.Quasar.Notify.create({ message: NOT_DONE, type: "warning", position: "bottom-left", timeout: 8000 });
  }
}

// Notice that this script has not run for long.
function look() {
  const before = beat;
  beat = Date.now();
  if (beat - before < STALL_MS || !window.socket) return;
  link("awake", false);
  ask();
}

function ask() {
  window.socket.timeout(ANSWER_MS).emit("alive", (problem) => (problem ? ask() : link("awake", true)));
}

function refuse(event) {
  look();
  if (root.dataset.live !== "off") return;
  root.dataset.tried = "yes";
  sessionStorage.setItem(TRIED, String(Date.now()));
  event.preventDefault();
  event.stopPropagation();
}

for (const kind of ["pointerdown", "click", "keydown"]) document.addEventListener(kind, refuse, true);
document.addEventListener("visibilitychange", look);
setInterval(look, BEAT_MS);

// NiceGUI makes its socket when the page is mounted
const waiting = setInterval(() => {
  if (!window.socket) return;
  clearInterval(waiting);
  window.socket.on("connect", () => link("page", true));
  window.socket.on("disconnect", () => link("page", false));
}, 50);
