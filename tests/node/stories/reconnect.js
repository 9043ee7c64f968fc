"use strict";

/**
 * The connection is cut and the library comes back by itself: with its session, to every sample.
 *
 * It asks for messages again that it may have missed while it goes on with new ones, so one or
 * the other comes twice: with the same number, by which a client knows it.
 */

const { opcua, plain, sleep } = require("../cell.js");
const { login } = require("../secured.js");

const SAMPLES = 500; // to see before and after

module.exports = async (url, wanted) => {
  const strategy = { maxRetry: 20, initialDelay: 50, maxDelay: 200 };
  const cell = await login(url, wanted, { connectionStrategy: strategy });
  const { client, session } = cell;
  const subscription = await session.createSubscription2({
    requestedPublishingInterval: 20,
    requestedMaxKeepAliveCount: 50,
    requestedLifetimeCount: 1000,
    publishingEnabled: true,
  });
  const messages = new Map(); // ticks by the number of their message
  let again = 0;
  subscription.on("received_notifications", ({ sequenceNumber, notificationData }) => {
    const items = notificationData.flatMap((data) => data.monitoredItems ?? []);
    const ticks = items.map(({ value }) => plain(value.value));
    if (messages.has(sequenceNumber)) again += 1;
    if (ticks.length) messages.set(sequenceNumber, ticks);
  });
  await subscription.monitor(
    { nodeId: cell.id("Simulation.Tick"), attributeId: opcua.AttributeIds.Value },
    {
      samplingInterval: 1,
      queueSize: 10_000,
      filter: new opcua.DataChangeFilter({
        trigger: opcua.DataChangeTrigger.StatusValueTimestamp,
      }),
    },
    opcua.TimestampsToReturn.Source,
  );
  const seen = () => [...messages.keys()].sort((a, b) => a - b).flatMap((k) => messages.get(k));
  const ids = () => [session.sessionId.toString(), subscription.subscriptionId];
  const before = ids();
  await new Promise((done) => client.once("connection_reestablished", done));
  for (const until = seen().length + SAMPLES; seen().length < until; ) await sleep(10);

  const after = ids();
  await subscription.terminate();
  await cell.close();
  const ticks = seen();
  const isNext = ticks.every((tick, k) => tick === ticks[0] + k);
  return { before, after, count: ticks.length, isNext, again };
};
