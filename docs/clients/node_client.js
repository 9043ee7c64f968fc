"use strict";

/**
 * A robot takes a tool from one holder and puts it into another, commanded from Node.js.
 *
 *     npm install node-opcua-client
 *     twincell run tool_change_multi
 *     node docs/clients/node_client.js [opc.tcp://localhost:4840]
 *
 * It calls methods, for which a user needs the role engineer: the environment variables
 * TWINCELL_USER and TWINCELL_PASSWORD say who you are.
 *
 *     twincell user add me --role engineer
 */

const {
  AttributeIds,
  DataType,
  OPCUAClient,
  TimestampsToReturn,
  UserTokenType,
  Variant,
  VariantArrayType,
} = require("node-opcua-client");

const USER = process.env.TWINCELL_USER; // without one we are anonymous
const PASSWORD = process.env.TWINCELL_PASSWORD ?? "";

const CELL = "urn:twincell:cell";
const NOT_ALLOWED =
  "not allowed: it needs a user with the role engineer, and the right password: run twincell user" +
  " add me --role engineer, then set TWINCELL_USER and TWINCELL_PASSWORD";
const LOOK_AGAIN_MS = 10;

const UPRIGHT = [1, 0, 0, 0]; // quaternions: w, x, y, z
const TURNED = [Math.SQRT1_2, 0, 0, Math.SQRT1_2]; // by 90 degrees about z
const TCP_SPEED = 0.5; // m/s
const TCP_TURN = 1.0; // rad/s

const number = (value) => new Variant({ dataType: DataType.Double, value });
const numbers = (value) =>
  new Variant({ dataType: DataType.Double, arrayType: VariantArrayType.Array, value });

/** A cell, whose nodes are called by the names of their signals. */
class Cell {
  constructor(session, namespace) {
    this.session = session;
    this.id = (name) => `ns=${namespace};s=${name}`;
  }

  /** Values of one tick, as they come with one Read request. */
  async read(...names) {
    const values = await this.session.read(names.map((name) => ({ nodeId: this.id(name) })));
    return values.map(({ value }) => value.value);
  }

  /** Set commands: those of one Write request take effect in the same tick. */
  async command(values) {
    const codes = await this.session.write(
      Object.entries(values).map(([name, value]) => ({
        nodeId: this.id(name),
        attributeId: AttributeIds.Value,
        value: { value: new Variant({ dataType: DataType.Boolean, value }) },
      })),
    );
    codes.filter((code) => code.isNotGood()).forEach((code) => fail(code));
  }

  /** Call a method of an object, such as Simulation.Reset. */
  async call(name, ...inputArguments) {
    const objectId = this.id(name.slice(0, name.lastIndexOf(".")));
    const result = await this.session.call({ objectId, methodId: this.id(name), inputArguments });
    if (result.statusCode.isNotGood()) fail(result.statusCode);
  }

  /** Wait until signals have values, all of them in the same tick. */
  async waitFor(wanted) {
    const names = Object.keys(wanted);
    for (;;) {
      const values = await this.read(...names);
      if (values.every((value, k) => value === wanted[names[k]])) return;
      await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS));
    }
  }

  /** Move a robot on a straight line, and wait until it has arrived. */
  async move(robot, position, quaternion) {
    const [moves] = await this.read(`${robot}.MoveCount`);
    const speeds = [number(TCP_SPEED), number(TCP_TURN)];
    await this.call(`${robot}.MoveLinear`, numbers(position), numbers(quaternion), ...speeds);
    await this.waitFor({ [`${robot}.MoveCount`]: moves + 1, [`${robot}.Moving`]: false });
  }
}

function fail(code) {
  throw new Error(code.toString());
}

/** The greatest force on the tool; the server sends every change, a thousand a second. */
async function watchForce(cell) {
  const peak = { changes: 0, newton: 0 };
  const subscription = await cell.session.createSubscription2({
    requestedPublishingInterval: 50,
    requestedLifetimeCount: 1000,
    requestedMaxKeepAliveCount: 100,
    publishingEnabled: true,
  });
  const item = await subscription.monitor(
    { nodeId: cell.id("Tool1.Force"), attributeId: AttributeIds.Value },
    // a queue that holds more than one publishing interval has samples: nothing is lost
    { samplingInterval: 1, queueSize: 1000 },
    TimestampsToReturn.Source,
  );
  item.on("changed", ({ value: { value: force } }) => {
    peak.changes += 1;
    peak.newton = Math.max(peak.newton, Math.hypot(force.x, force.y, force.z));
  });
  return peak;
}

/** Command the cell from now on, and put everything back to its start. */
async function takeOver(cell) {
  // the first command from outside ends the demo, or the timeline of the cell file
  await cell.command({ "Robot1Flange.Closed": false, "Robot2Flange.Closed": false });
  await cell.call("Simulation.Reset");
}

/** Take the tool out of Holder1 and put it into Holder3. */
async function changeTool(cell) {
  await cell.move("Robot1", [1.0, 0.0, 1.1], UPRIGHT);
  await cell.move("Robot1", [1.0, 0.0, 0.78], UPRIGHT);
  await cell.command({ "Robot1Flange.Closed": true });
  await cell.waitFor({ "Tool1.Constrained": true, "Tool1.Partner": "Robot1Flange" });
  console.log("Robot1 has the tool");

  await cell.move("Robot1", [1.0, 0.0, 1.1], UPRIGHT);
  await cell.move("Robot1", [0.7, 0.45, 1.1], TURNED);
  await cell.move("Robot1", [0.7, 0.45, 0.78], TURNED);
  await cell.command({ "Robot1Flange.Closed": false });
  await cell.waitFor({ "Tool1.Constrained": true, "Tool1.Partner": "Holder3" });
  console.log("the tool lies in Holder3");

  await cell.move("Robot1", [0.7, 0.45, 1.1], TURNED);
}

async function main(url) {
  const client = OPCUAClient.create({ clientName: "node example" }); // Cell.Control shows it
  await client.connect(url);
  const login = { type: UserTokenType.UserName, userName: USER, password: PASSWORD };
  const session = await client.createSession(USER ? login : undefined);
  const namespaces = await session.readNamespaceArray();
  const cell = new Cell(session, namespaces.indexOf(CELL));
  await takeOver(cell);
  const peak = await watchForce(cell);
  await changeTool(cell);
  console.log(`greatest force on it: ${peak.newton.toFixed(2)} N, in ${peak.changes} changes`);
  await session.close(true);
  await client.disconnect();
}

main(process.argv[2] ?? "opc.tcp://localhost:4840").catch((error) => {
  if (!error.message.includes("BadUserAccessDenied")) throw error;
  console.error(NOT_ALLOWED);
  process.exit(1);
});
