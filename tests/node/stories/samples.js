"use strict";

/**
 * Every sample of every signal, through the library's own subscription: while the cell is stepped,
 * while it runs in real time, and over a tool change.
 *
 * Values come back as the bits they are, in columns; a String as a place in a list of texts.
 */

const { opcua, withCell, plain, units, sleep } = require("../cell.js");

const BEFORE = 3700; // ticks until somebody watches: the robot is over the tool then
const STEPPED = [99, 300]; // the flange closes in between
const RUNNING_MS = 600;

/** Samples of one signal, in the order in which they came. */
class Column {
  constructor() {
    this.values = [];
    this.stamps = [];
    this.bad = 0;
  }

  add(value) {
    this.values.push(plain(value.value));
    this.stamps.push(units(value.sourceTimestamp, value.sourcePicoseconds));
    this.bad += value.statusCode.value ? 1 : 0;
  }

  encoded(texts) {
    const number = (value) => (typeof value === "string" ? texts.indexOf(value) : Number(value));
    return {
      values: base64(Float64Array.from(this.values, number)),
      stamps: base64(BigInt64Array.from(this.stamps)),
      bad: this.bad,
    };
  }
}

const base64 = (numbers) => Buffer.from(numbers.buffer).toString("base64");

async function watch(cell, names, columns) {
  const subscription = await cell.session.createSubscription2({
    requestedPublishingInterval: 25,
    requestedMaxKeepAliveCount: 100,
    requestedLifetimeCount: 1000,
    maxNotificationsPerPublish: 0,
    publishingEnabled: true,
    priority: 1,
  });
  const group = await subscription.monitorItems(
    names.map((name) => ({ nodeId: cell.id(name), attributeId: opcua.AttributeIds.Value })),
    {
      samplingInterval: 1,
      queueSize: 10_000,
      discardOldest: true,
      filter: new opcua.DataChangeFilter({
        trigger: opcua.DataChangeTrigger.StatusValueTimestamp,
        deadbandType: opcua.DeadbandType.None,
      }),
    },
    opcua.TimestampsToReturn.Source,
  );
  group.on("changed", (item, value, k) => columns[k].add(value));
  const revised = group.monitoredItems.map(({ result }) => [
    result.revisedSamplingInterval,
    result.revisedQueueSize,
  ]);
  return { subscription, revised };
}

module.exports = withCell(async (cell, { names }) => {
  await cell.rewind();
  await cell.step(BEFORE);
  const watched = [...names, "Simulation.Tick", "Simulation.Time"];
  const columns = watched.map(() => new Column());
  const { subscription, revised } = await watch(cell, watched, columns);

  await cell.step(STEPPED[0]);
  await cell.write(["Robot1Flange.Closed", "Boolean", true]);
  const closedAt = (await cell.step(1)).outputs[0] - 1;
  await cell.step(STEPPED[1]);
  const [slipsBefore, runsFrom] = await cell.read("Simulation.Slips", "Simulation.Tick");
  await cell.call("Simulation.Resume");
  await sleep(RUNNING_MS);
  await cell.call("Simulation.Pause");
  const [slips, last] = await cell.read("Simulation.Slips", "Simulation.Tick");
  while (columns.some((column) => column.values.length <= last - BEFORE)) await sleep(10);
  await subscription.terminate();

  const texts = [...new Set(columns[names.indexOf("Tool1.Partner")].values)];
  return {
    first: BEFORE,
    last,
    closedAt,
    runsFrom,
    slips: slips - slipsBefore,
    revised,
    texts,
    columns: Object.fromEntries(watched.map((name, k) => [name, columns[k].encoded(texts)])),
  };
});
