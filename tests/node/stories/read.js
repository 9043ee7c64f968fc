"use strict";

/** Reads values: many at once, as structures, in parts, with times, and what cannot be read. */

const { opcua, connect, withCell, plain, units } = require("../cell.js");

const { AttributeIds, TimestampsToReturn } = opcua;
const TICKS = 40;
const SMALLEST_BUFFER = 8192; // the least that the standard allows, and what an S7-1500 has

/** Everything that came with a value. */
const whole = (value) => ({
  status: value.statusCode.name,
  value: plain(value.value),
  source: units(value.sourceTimestamp, value.sourcePicoseconds)?.toString() ?? null,
  server: units(value.serverTimestamp, value.serverPicoseconds)?.toString() ?? null,
});

async function readStructures(cell) {
  const [pose, force, unit, status] = await cell.session.read([
    { nodeId: cell.id("Tool1.Pose") },
    { nodeId: cell.id("Tool1.Force") },
    { nodeId: cell.id("Tool1.Force.VectorUnit") },
    { nodeId: "ns=0;i=2256" },
  ]);
  return {
    pose: [pose.value.value.constructor.name, plain(pose.value)],
    force: [force.value.value.constructor.name, plain(force.value)],
    unit: [unit.value.value.constructor.name, unit.value.value.displayName.text],
    product: status.value.value.buildInfo.productName,
    state: opcua.ServerState[status.value.value.state],
  };
}

async function readParts(cell) {
  const wanted = [
    ["Tool1.Quaternion", "0"],
    ["Tool1.Quaternion", "1:3"],
    ["Tool1.Quaternion", "2:9"],
    ["Tool1.Quaternion", "4:5"],
    ["Tool1.Pose.X", "0"],
    ["Tool1.Partner", "0:5"],
  ];
  const values = await cell.session.read(
    wanted.map(([name, range]) => ({
      nodeId: cell.id(name),
      attributeId: AttributeIds.Value,
      indexRange: range,
    })),
  );
  return values.map(whole);
}

async function readWrongly(cell) {
  const values = await cell.session.read([
    { nodeId: cell.id("Tool1.Nothing") },
    { nodeId: cell.id("Tool1"), attributeId: AttributeIds.Value },
    { nodeId: cell.id("Tool1.Pose.X"), attributeId: AttributeIds.EventNotifier },
    { nodeId: cell.id("Tool1.Pose.X"), dataEncoding: { name: "Default XML" } },
    { nodeId: cell.id("Tool1.Pose.X") },
  ]);
  return values.map((value) => value.statusCode.name);
}

async function readTimes(cell) {
  const times = {};
  for (const name of ["Source", "Server", "Both", "Neither"]) {
    const request = new opcua.ReadRequest({
      maxAge: 0,
      nodesToRead: [{ nodeId: cell.id("Tool1.Pose.X"), attributeId: AttributeIds.Value }],
      timestampsToReturn: TimestampsToReturn[name],
    });
    const response = await cell.session.performMessageTransaction(request);
    const { source, server } = whole(response.results[0]);
    times[name] = [source !== null, server !== null];
  }
  return times;
}

/** All signals several times, by a client with the smallest buffers: the answer comes in chunks. */
async function readInChunks(url, names) {
  const cell = await connect(url, {
    transportSettings: { receiveBufferSize: SMALLEST_BUFFER, sendBufferSize: SMALLEST_BUFFER },
  });
  let chunks = 0;
  cell.client.on("receive_chunk", () => {
    chunks += 1;
  });
  const values = await cell.read(...names, ...names, ...names, ...names);
  const result = { values, chunks };
  await cell.close();
  return result;
}

module.exports = withCell(async (cell, { names }, url) => {
  await cell.rewind();
  await cell.step(TICKS);
  const all = await cell.session.read(names.map((name) => ({ nodeId: cell.id(name) })));
  const registered = await cell.session.registerNodes([cell.id("Simulation.Tick")]);
  const [tick] = await cell.session.read([{ nodeId: registered[0] }]);
  return {
    ticks: TICKS,
    all: all.map(whole),
    registered: plain(tick.value),
    structures: await readStructures(cell),
    parts: await readParts(cell),
    wrongly: await readWrongly(cell),
    times: await readTimes(cell),
    small: await readInChunks(url, names),
  };
});
