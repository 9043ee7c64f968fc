"use strict";

/** Every sample of some time, while the channel is renewed again and again. */

const { Subscription } = require("../subscription.js");
const { login } = require("../secured.js");

const TICK = "Simulation.Tick";

module.exports = async (url, wanted) => {
  const cell = await login(url, wanted);
  let renewals = 0;
  cell.client.on("security_token_renewed", () => {
    renewals += 1;
  });
  const subscription = await Subscription.create(cell, { interval: 10 });
  await subscription.watch([TICK]);
  const ticks = [];
  let last = [];
  for (const end = Date.now() + wanted.duration; Date.now() < end; ) {
    const message = await subscription.publish(...last);
    last = message.samples.length ? [message.number] : [];
    ticks.push(...message.samples.map(({ value }) => value));
  }
  await cell.close();
  const isNext = ticks.every((tick, k) => tick === ticks[0] + k);
  return { count: ticks.length, first: ticks[0], isNext, renewals };
};
