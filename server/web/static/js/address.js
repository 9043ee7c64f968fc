// What the page's address remembers, so that a reload, a bookmark and a link sent to somebody else
// show the same: tab, selection, camera, layers, trends, recording and its position.

const WRITE_MS = 300; // browsers refuse to change an address too often

const waiting = new Map();
let timer = null;

export function remembered(key) {
  if (waiting.has(key)) return waiting.get(key);
  return new URLSearchParams(location.search).get(key) ?? "";
}

// Nothing, or an empty text, forgets it.
export function remember(key, value) {
  waiting.set(key, String(value ?? ""));
  timer ??= setTimeout(write, WRITE_MS);
}

function write() {
  timer = null;
  const known = new URLSearchParams(location.search);
  for (const [key, value] of waiting) {
    if (value) known.set(key, value);
    else known.delete(key);
  }
  waiting.clear();
  const text = String(known).replaceAll("%2C", ",");
  history.replaceState(history.state, "", text ? `?${text}` : location.pathname);
}

addEventListener("pagehide", () => timer && write());
