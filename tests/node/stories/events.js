"use strict";

/** A tool goes from hand to hand, and everybody who asked hears of it. */

const { opcua, withCell, plain, sleep } = require("../cell.js");

const CLOSED = "Robot1Flange.Closed";
const OBJECT = 6; // place of this field in what is selected

/** Watch events on a node; the list fills while the story goes on. A status if that is refused. */
async function watch(subscription, nodeId, filter) {
  const heard = [];
  const item = await subscription.monitor(
    { nodeId, attributeId: opcua.AttributeIds.EventNotifier },
    { samplingInterval: 0, queueSize: 100, discardOldest: true, filter },
    opcua.TimestampsToReturn.Neither,
  );
  item.on("changed", (fields) => heard.push(fields.map(plain)));
  return item.statusCode.isGood() ? heard : item.statusCode.name;
}

module.exports = withCell(async (cell) => {
  const own = (name) => `${cell.types}:${name}`;
  await cell.rewind();
  const subscription = await cell.session.createSubscription2({
    requestedPublishingInterval: 20,
    requestedMaxKeepAliveCount: 100,
    requestedLifetimeCount: 1000,
    publishingEnabled: true,
  });
  const everything = opcua.constructEventFilter([
    "EventType",
    "SourceName",
    "SourceNode",
    "Severity",
    "Message",
    own("Tick"),
    own("Object"),
    own("Partner"),
    own("PreviousPartner"),
    own("Force"),
    "NoSuchField",
  ]);
  const attached = opcua.constructEventFilter(
    [own("Tick")],
    opcua.ofType(`ns=${cell.types};s=ToolAttachedEventType`),
  );
  const onServer = await watch(subscription, "Server", everything);
  const onCell = await watch(subscription, cell.id("Cell"), everything);
  const onlyAttached = await watch(subscription, cell.id("Cell"), attached);
  const onTool = await watch(subscription, cell.id("Tool1"), everything);

  // the flange takes the tool out of its holder, lifts it, drops it in the air and catches it
  await cell.step(3600);
  const ticks = [];
  for (const [closed, steps] of [
    [true, 2900],
    [false, 5],
    [true, 5],
  ]) {
    const [tick] = await cell.read("Simulation.Tick");
    ticks.push(tick + 1);
    await cell.write([CLOSED, "Boolean", closed]);
    await cell.step(steps);
  }
  const ofTools = (heard) => heard.filter((fields) => fields[OBJECT] !== null);
  while ([onServer, onCell].some((heard) => ofTools(heard).length < ticks.length)) await sleep(10);
  await sleep(100); // whoever hears too much would by now
  await subscription.terminate();
  // a busy machine may have made the loop late meanwhile, which is an event too
  return { ticks, onServer: ofTools(onServer), onCell: ofTools(onCell), onlyAttached, onTool };
});
