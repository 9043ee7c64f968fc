"use strict";

/** Moves robots by their methods, and streams set points to one. */

const { withCell } = require("../cell.js");

const HOME = [0, -33, 19, 0, 104, 0].map((degrees) => (degrees * Math.PI) / 180);
const TURNED = HOME.map((angle, k) => (k === 0 ? angle + 0.3 : angle));
const POSITION = [1.0, 0.0, 1.1];
const QUATERNION = [1, 0, 0, 0];
const WATCHED = ["Simulation.Tick", "Robot1.Moving", "Robot1.JointPosition", "Robot1.TcpPose"];

const joints = (target, speed, type = "Double") => [
  [type, target],
  [type, speed],
];

/** Steps until a robot is at rest; the tick then, and where it is. */
async function rest(cell) {
  for (;;) {
    await cell.step(100);
    const found = await cell.read(...WATCHED);
    if (!found[1]) return found;
  }
}

async function refuse(cell) {
  const far = HOME.map(() => 99);
  return {
    limit: await cell.call("Robot1.MoveJoint", ...joints(far, 0.5)),
    short: await cell.call("Robot1.MoveJoint", ...joints([0, 0], 0.5)),
    nan: await cell.call("Robot1.MoveJoint", ...joints([NaN, 0, 0, 0, 0, 0], 0.5)),
    reach: await cell.call(
      "Robot1.MoveLinear",
      ["Double", [9, 9, 9]],
      ["Double", QUATERNION],
      ["Double", 0.5],
      ["Double", 1],
    ),
  };
}

/** Set points in one Write request: whole, as a part, and as the Floats of a small PLC. */
async function stream(cell) {
  const [held] = await cell.read("Robot1.JointPosition");
  const target = held.map((angle) => angle + 0.001);
  const status = await cell.write(
    ["Robot1.JointTarget", "Double", target],
    ["Robot1.JointSetPoint", "Int32", 1],
  );
  await cell.step(1);
  const part = await cell.write(["Robot1.JointTarget", "Double", [target[1], target[2]], "1:2"]);
  const floats = await cell.write(["Robot2.JointTarget", "Float", [0.5, 0.25, 0, 0, 0, 0]]);
  const wrong = await cell.write(
    ["Robot1.JointTarget", "Double", [1, 2, 3]],
    ["Robot1.JointTarget", "Double", [1, 2], "5:6"],
    ["Robot1.JointTarget.1", "Double", Infinity],
    ["Robot1.JointSetPoint", "Double", 2],
  );
  await cell.step(1);
  const [written, other] = await cell.read("Robot1.JointTarget", "Robot2.JointTarget");
  return { status, part, floats, wrong, target, written, other };
}

module.exports = withCell(async (cell) => {
  await cell.rewind();
  const move = await cell.call("Robot1.MoveJoint", ...joints(TURNED, 0.5));
  await cell.step(50);
  const under = await cell.read(...WATCHED);
  const busy = await cell.call("Robot1.MoveJoint", ...joints(HOME, 0.5));
  const arrived = await rest(cell);
  const back = await cell.call("Robot1.MoveJoint", ...joints(HOME, 0.5, "Float"));
  await rest(cell);
  const line = await cell.call(
    "Robot1.MoveLinear",
    ["Double", POSITION],
    ["Double", QUATERNION],
    ["Double", 0.5],
    ["Double", 1],
  );
  const atTool = await rest(cell);
  return {
    turned: TURNED,
    move,
    under,
    busy,
    arrived,
    back,
    line,
    atTool,
    refused: await refuse(cell),
    stream: await stream(cell),
  };
});
