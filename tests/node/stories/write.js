"use strict";

/** Writes commands, rightly and wrongly, one by one and many at once. */

const { opcua, withCell } = require("../cell.js");

const CLOSED = "Robot1Flange.Closed";

/** The status of one wrong value, and whether the command stayed what it was. */
async function wrong(cell, ...wanted) {
  const [before] = await cell.read(CLOSED);
  const [status] = await cell.write(wanted);
  await cell.step(1);
  const [after] = await cell.read(CLOSED);
  return { status, unchanged: before === after };
}

module.exports = withCell(async (cell) => {
  await cell.rewind();
  const echoes = [];
  for (const value of [true, false, true]) {
    const status = await cell.write([CLOSED, "Boolean", value]);
    const { outputs } = await cell.step(1);
    echoes.push([...status, outputs[0], ...(await cell.read(CLOSED, "Robot1Flange.IsClosed"))]);
  }
  const wrongly = {
    type: await wrong(cell, CLOSED, "Int32", 0),
    array: await wrong(cell, CLOSED, "Boolean", [false]),
    range: await wrong(cell, CLOSED, "Boolean", [false], "0"),
    feedback: await wrong(cell, "Tool1.Pose.X", "Double", 5.0),
    object: await wrong(cell, "Tool1", "Boolean", false),
    unknown: await wrong(cell, "Robot9Flange.Closed", "Boolean", false),
    words: await wrong(cell, "Bulk.Commands", "UInt32", [0xff]),
  };
  const together = await cell.write(
    [CLOSED, "Boolean", false],
    ["Tool1.Partner", "String", "Holder2"],
    ["Tool1.Nothing", "Double", 1.0],
  );
  await cell.step(1);
  const [opened] = await cell.read(CLOSED);
  const bulk = await cell.write(["Bulk.Commands", "UInt32", [1]]);
  await cell.step(1);
  const [closed, words] = await cell.read(CLOSED, "Bulk.Commands");
  const nothing = await cell.session
    .performMessageTransaction(new opcua.WriteRequest({ nodesToWrite: [] }))
    .then(
      () => "Good",
      (error) => error.message,
    );
  const [control] = await cell.read("Cell.Control");
  return { echoes, wrongly, together, opened, bulk, closed, words, nothing, control };
});
