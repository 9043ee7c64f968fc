"use strict";

/** Calls the methods of the simulation, rightly and wrongly. */

const { opcua, withCell } = require("../cell.js");

const WATCHED = ["Simulation.Tick", "Simulation.Time", "Robot1.Pose.X", "Tool1.Force.Z"];

/** Whether ticks run by themselves. */
async function goesOn(cell) {
  const [start] = await cell.read("Simulation.Tick");
  for (let look = 0; look < 200; look += 1) {
    const [tick] = await cell.read("Simulation.Tick");
    if (tick > start + 20) return true;
  }
  return false;
}

async function callWrongly(cell) {
  const { session } = cell;
  const misplaced = await session.call({
    objectId: cell.id("Tool1"),
    methodId: cell.id("Simulation.Step"),
    inputArguments: [],
  });
  return {
    zero: await cell.call("Simulation.Step", ["UInt32", 0]),
    text: await cell.call("Simulation.Step", ["String", "5"]),
    array: await cell.call("Simulation.Step", ["UInt32", [5]]),
    missing: await cell.call("Simulation.Step"),
    spare: await cell.call("Simulation.Pause", ["UInt32", 5]),
    speed: await cell.call("Simulation.SetSpeed", ["Double", Number.NaN]),
    snapshot: await cell.call("Simulation.Restore", ["Int64", 999]),
    method: await cell.call("Simulation.Fly"),
    object: { status: misplaced.statusCode.name },
  };
}

module.exports = withCell(async (cell) => {
  await cell.rewind();
  const states = { paused: await cell.read("Simulation.State", "Simulation.Tick") };
  const steps = await cell.step(2500);
  const whatThen = await cell.read(...WATCHED);

  const snapshot = await cell.call("Simulation.Snapshot");
  await cell.step(700);
  const later = await cell.read(...WATCHED);
  const restore = await cell.call("Simulation.Restore", ["Int64", snapshot.outputs[0]]);
  const whatAgain = await cell.read(...WATCHED);
  await cell.step(700);
  const laterAgain = await cell.read(...WATCHED);

  const wrongly = await callWrongly(cell);
  const stood = await cell.read("Simulation.Tick");
  const fast = await cell.call("Simulation.SetSpeed", ["Float", 4]);
  const [speed] = await cell.read("Simulation.Speed");
  const resume = await cell.call("Simulation.Resume");
  const runs = await goesOn(cell);
  states.running = await cell.read("Simulation.State");
  const stepRunning = await cell.step(1);
  await cell.call("Simulation.SetSpeed", ["Double", 1]);
  await cell.rewind();
  states.reset = await cell.read("Simulation.State", "Simulation.Tick", "Simulation.Time");

  const stepId = opcua.resolveNodeId(cell.id("Simulation.Step"));
  const step = await cell.session.getArgumentDefinition(stepId);
  const declared = ({ name, dataType, valueRank }) => [
    name,
    opcua.DataType[dataType.value],
    valueRank,
  ];
  return {
    states,
    steps,
    restore,
    moments: { whatThen, whatAgain, later, laterAgain },
    wrongly,
    stood: stood[0],
    fast,
    speed,
    resume,
    runs,
    stepRunning,
    definition: {
      takes: step.inputArguments.map(declared),
      gives: step.outputArguments.map(declared),
    },
  };
});
