"use strict";

/** Values go bad, come late and get lost; a second client is held up and cut off, the first not. */

const { connect, withCell } = require("../cell.js");
const { Subscription, refusal } = require("../subscription.js");

const TICK = "Simulation.Tick";
const DELAY_MS = 300;

const inject = (cell, kind, target, amount) =>
  cell.call(
    "Simulation.InjectProtocolFault",
    ["String", kind],
    ["String", target],
    ["Double", amount],
    ["Double", 0],
  );

/** Samples as they come while the cell is stepped through a fault. */
async function watched(cell, kind, amount) {
  await cell.rewind();
  const subscription = await Subscription.create(cell);
  await subscription.watch([TICK]);
  const first = await subscription.publishUntil(TICK, 0);
  await cell.step(5);
  const injected = await inject(cell, kind, TICK, amount);
  const active = await cell.read("Simulation.ActiveFaults", "Simulation.FaultCount");
  await cell.step(10);
  const [seen] = await cell.session.read([{ nodeId: cell.id(TICK) }]);
  const cleared = await cell.call("Simulation.ClearFaults");
  await cell.step(5);
  const samples = [...first, ...(await subscription.publishUntil(TICK, 20))];
  await subscription.remove();
  return {
    injected,
    active,
    cleared,
    seen: [seen.statusCode.name, seen.value.value[1]],
    samples: samples.map(({ value, status }) => [value, status]),
  };
}

async function timed(work) {
  const began = performance.now();
  await work;
  return performance.now() - began;
}

/** What a second client experiences, and that the first one does not. */
async function ofClients(cell, url) {
  const plc = await connect(url, { clientName: "node plc" });
  const target = `session ${plc.session.name}`;
  await inject(cell, "delay", target, DELAY_MS);
  const lateMs = await timed(plc.read(TICK));
  await cell.call("Simulation.ClearFaults");
  await inject(cell, "drop", target, 1);
  const cut = await refusal(plc.read(TICK));
  const other = await cell.read("Simulation.ActiveFaults", TICK);
  await plc.client.disconnect().catch(() => {});
  await cell.call("Simulation.ClearFaults");
  return { target, lateMs, cut, other };
}

module.exports = withCell(async (cell, _wanted, url) => ({
  bad: await watched(cell, "bad", 1),
  delay: await watched(cell, "delay", 4),
  drop: await watched(cell, "drop", 1),
  clients: await ofClients(cell, url),
  wrong: await inject(cell, "bad", "session PLC", 1),
  unknown: await inject(cell, "bad", "Tool9.*", 1),
}));
