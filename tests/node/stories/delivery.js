"use strict";

/** Messages that come again, that wait for a slow client, or that go to another one. */

const { connect, withCell, sleep } = require("../cell.js");
const { Subscription, refusal } = require("../subscription.js");

const TICK = "Simulation.Tick";
const SLOW_MS = 600;

const ticks = (samples) => samples.filter(({ name }) => name === TICK).map(({ value }) => value);
const stamped = ({ number, samples }) => [
  number,
  samples.map(({ name, value, stamp }) => [name, value, String(stamp)]),
];

/** A message that was not acknowledged can be had again; one that was, cannot. */
async function republish(cell) {
  const subscription = await Subscription.create(cell);
  await subscription.watch([TICK, "Tool1.Pose", "Tool1.Partner"]);
  await cell.step(30);
  const message = await subscription.publish();
  const again = await subscription.republish(message.number);
  await cell.step(5);
  const next = await subscription.publish(message.number, 4711);
  const result = {
    sent: stamped(message),
    again: stamped(again),
    available: message.available,
    left: next.available,
    acknowledged: next.acknowledged,
    gone: await refusal(subscription.republish(message.number)),
    never: await refusal(subscription.republish(9999)),
  };
  await subscription.remove();
  return { ...result, removed: await refusal(subscription.republish(next.number)) };
}

/** A subscription goes to another session, and back with what waits in it; its owner is told. */
async function transfer(cell, url) {
  const subscription = await Subscription.create(cell);
  await subscription.watch([TICK]);
  const takenBy = async (owner) => {
    const request = { subscriptionIds: [subscription.id, 4711], sendInitialValues: false };
    const { results } = await owner.session.transferSubscriptions(request);
    subscription.cell = owner;
    return results.map((result) => result.statusCode.name);
  };
  await cell.step(20);
  const mine = ticks(await subscription.publishUntil(TICK, 20));
  const unanswered = subscription.publish(); // as there is nothing to send
  const other = await connect(url);
  const there = await takenBy(other);
  const told = (await unanswered).change;
  await cell.step(20);
  const theirs = ticks(await subscription.publishUntil(TICK, 40));
  const stranger = { subscriptionId: subscription.id, requestedPublishingInterval: 50 };
  const refused = await refusal(cell.session.modifySubscription(stranger));
  await cell.step(20);
  const back = await takenBy(cell);
  await other.close();
  await cell.step(20);
  const mineAgain = ticks(await subscription.publishUntil(TICK, 80));
  await subscription.remove();
  return { there, back, told, refused, ticks: [mine, theirs, mineAgain] };
}

/** Nobody publishes for a while: queues keep what they may, and say where they lost something. */
async function slow(cell) {
  const subscription = await Subscription.create(cell);
  await subscription.watch([TICK]);
  await subscription.watch(["Simulation.Time"], { queue: 50 });
  await cell.call("Simulation.Resume");
  await sleep(SLOW_MS);
  await cell.call("Simulation.Pause");
  const [last] = await cell.read(TICK);
  const samples = await subscription.publishUntil(TICK, last);
  await subscription.remove();
  return {
    last,
    all: ticks(samples),
    short: samples.filter(({ name }) => name !== TICK).map(({ value, status }) => [value, status]),
  };
}

/** Answers wait on their way, because the client does not read; then it does, and has them all. */
async function deaf(cell, url) {
  const listener = await connect(url);
  const subscription = await Subscription.create(listener, { interval: 5 });
  await subscription.watch([TICK, "Tool1.Pose", "Robot1.Pose", "Robot1Flange.Pose"]);
  const socket = listener.client._secureChannel.getTransport()._socket;
  const answers = Array.from({ length: 20 }, () => subscription.publish());
  socket.pause();
  await cell.call("Simulation.Resume");
  await sleep(SLOW_MS);
  const [during] = await cell.read(TICK);
  await cell.call("Simulation.Pause");
  const [last] = await cell.read(TICK);
  socket.resume();
  const samples = (await Promise.all(answers)).flatMap((message) => message.samples);
  if (ticks(samples).at(-1) < last) samples.push(...(await subscription.publishUntil(TICK, last)));
  await listener.close();
  return { during, last, all: ticks(samples), bad: samples.filter(({ status }) => status).length };
}

module.exports = withCell(async (cell, _wanted, url) => {
  const results = {};
  for (const part of [republish, transfer, slow, deaf]) {
    await cell.rewind();
    results[part.name] = await part(cell, url);
  }
  return results;
});
