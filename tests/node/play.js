"use strict";

/**
 * Plays stories against a running cell: each line of standard input names one and the endpoint,
 * each line of standard output is what came of it. Both are JSON.
 *
 *     echo '{"story": "methods", "url": "opc.tcp://localhost:4840"}' | node tests/node/play.js
 *
 * One process for many stories, as loading the library takes longer than most of them.
 */

// the library speaks on standard output, which is ours
console.log = console.info = console.warn = console.error;

const readline = require("node:readline");

const LONGEST_STORY_MS = 40_000;

async function play({ story, url, ...wanted }) {
  const tell = require(`./stories/${story}.js`);
  let alarm;
  const patience = new Promise((_, refuse) => {
    alarm = setTimeout(() => refuse(new Error(`${story} takes too long`)), LONGEST_STORY_MS);
  });
  try {
    return await Promise.race([tell(url, wanted), patience]);
  } finally {
    clearTimeout(alarm);
  }
}

async function main() {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const outcome = await play(JSON.parse(line)).catch((error) => ({ error: error.stack }));
    process.stdout.write(`${JSON.stringify(outcome)}\n`);
  }
  process.exit(0);
}

main();
