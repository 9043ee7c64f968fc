"use strict";

/** What reaches a client of what is sampled: triggers, deadbands, queues, modes, their changes. */

const { opcua, withCell } = require("../cell.js");
const { Subscription } = require("../subscription.js");

const { MonitoringMode } = opcua;
const X = "Robot1.Pose.X"; // moves from the first tick on
const TICK = "Simulation.Tick";
const TICKS = 60;
const QUEUE = 10;
const DEADBAND_M = 1e-5;

const shown = (samples, name) =>
  samples.filter((sample) => sample.name === name).map(({ value, status }) => [value, status]);

/** Let the cell run while a subscription watches, and give what it reports. */
async function during(cell, subscription, ticks = TICKS) {
  const { outputs } = await cell.step(ticks);
  return subscription.publishUntil(TICK, outputs[0] - 1);
}

/** Signals under different rules at the same time; the tick, with every sample, ends a message. */
async function rules(cell) {
  const subscription = await Subscription.create(cell);
  const revised = {
    change: await subscription.watch(["Tool1.Pose.X"], { trigger: "StatusValue" }),
    deadband: await subscription.watch([X], { trigger: "StatusValue", deadband: DEADBAND_M }),
    slow: await subscription.watch(["Robot1.Velocity.X"], { sampling: 7.3 }),
    oldest: await subscription.watch(["Robot1.Pose.Z"], { queue: QUEUE }),
    newest: await subscription.watch(["Robot1.Velocity.Z"], { queue: QUEUE, discardOldest: false }),
    one: await subscription.watch(["Simulation.Time"], { queue: 1 }),
    tick: await subscription.watch([TICK]),
    percent: await subscription.watch([X], { deadband: 5, deadbandType: "Percent" }),
    ranged: await subscription.watch(["Tool1.Pose.A"], { deadband: 5, deadbandType: "Percent" }),
    flag: await subscription.watch(["Tool1.Constrained"], { deadband: 5 }),
    unknown: await subscription.watch(["Tool1.Nothing"]),
  };
  const first = await subscription.publishUntil(TICK, 0);
  const samples = await during(cell, subscription);
  await subscription.remove();
  return {
    revised: Object.fromEntries(Object.entries(revised).map(([name, [result]]) => [name, result])),
    first: first.map(({ name }) => name),
    samples: Object.fromEntries(subscription.names.map((name) => [name, shown(samples, name)])),
  };
}

/** An item whose sampling, filter, queue and mode change while it lives. */
async function changes(cell) {
  const subscription = await Subscription.create(cell);
  const [{ item }] = await subscription.watch([X]);
  await subscription.watch([TICK]);
  await subscription.publishUntil(TICK, 0);
  const counts = {};
  const count = async (rule) => {
    counts[rule] = shown(await during(cell, subscription), X).length;
  };
  await count("everySample");
  const slower = await subscription.change(item, X, { sampling: 10 });
  await count("everyTenth");
  await subscription.change(item, X, { trigger: "StatusValue", deadband: 1 });
  await count("deadband");
  const setMode = async (mode) => {
    const request = {
      subscriptionId: subscription.id,
      monitoringMode: MonitoringMode[mode],
      monitoredItemIds: [item],
    };
    return (await cell.session.setMonitoringMode(request)).results[0].name;
  };
  await subscription.change(item, X, {});
  await setMode("Disabled");
  await count("disabled");
  await setMode("Reporting");
  await count("reporting");
  const modified = await cell.session.modifySubscription({
    subscriptionId: subscription.id,
    requestedPublishingInterval: 1,
    requestedLifetimeCount: 60000,
    requestedMaxKeepAliveCount: 20,
    maxNotificationsPerPublish: 25,
    priority: 1,
  });
  await cell.step(TICKS);
  const sizes = [];
  for (let more = true, message; more; more = message.more) {
    message = await subscription.publish(...(message ? [message.number] : []));
    sizes.push(message.samples.length);
  }
  await subscription.remove();
  return { slower, counts, interval: modified.revisedPublishingInterval, sizes };
}

/** An item that only samples, until another one reports. */
async function triggering(cell) {
  const subscription = await Subscription.create(cell);
  const [{ item: triggered }] = await subscription.watch([X], { mode: "Sampling" });
  const [{ item: trigger }] = await subscription.watch([TICK]);
  await subscription.publishUntil(TICK, 0);
  const alone = shown(await during(cell, subscription), X).length;
  const links = await cell.session.setTriggering({
    subscriptionId: subscription.id,
    triggeringItemId: trigger,
    linksToAdd: [triggered],
  });
  const linked = shown(await during(cell, subscription), X).length;
  await subscription.remove();
  return { alone, linked, status: links.addResults.map((code) => code.name) };
}

/** A client that has lost its list of items and their values asks for both. */
async function returning(cell) {
  const subscription = await Subscription.create(cell);
  const items = await subscription.watch(["Tool1.Partner", TICK], { trigger: "StatusValue" });
  await subscription.publishUntil(TICK, 0);
  const known = await cell.session.getMonitoredItems(subscription.id);
  const resent = await cell.session.call({
    objectId: "ns=0;i=2253",
    methodId: "ns=0;i=12873",
    inputArguments: [{ dataType: "UInt32", value: subscription.id }],
  });
  const again = await subscription.publishUntil(TICK, 0);
  await subscription.remove();
  return {
    items: items.map(({ item }) => item),
    serverHandles: Array.from(known.serverHandles),
    clientHandles: Array.from(known.clientHandles),
    status: resent.statusCode.name,
    again: again.map(({ name }) => name),
  };
}

module.exports = withCell(async (cell) => {
  const results = { ticks: TICKS, queue: QUEUE, deadband: DEADBAND_M };
  for (const part of [rules, changes, triggering, returning]) {
    await cell.rewind();
    results[part.name] = await part(cell);
  }
  return results;
});
