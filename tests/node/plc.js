"use strict";

/**
 * A PLC that is an OPC UA server, of a stack that shares nothing with ours: it plays the tool change
 * with variables of its own, as docs/plc/plc_server.py does.
 *
 *     node tests/node/plc.js          prints its port, then each step of its program, as JSON lines
 */

// the library speaks on standard output, which is ours
console.log = console.info = console.warn = console.error;

const { OPCUAServer } = require("node-opcua-server");
const { SecurityPolicy } = require("node-opcua-secure-channel");
const { MessageSecurityMode } = require("node-opcua-service-secure-channel");
const { Variant, DataType } = require("node-opcua-variant");
const { StatusCodes } = require("node-opcua-status-code");

const CYCLE_MS = 10;
const VARIABLES = {
  Close: [DataType.Boolean, false],
  Sensors: [DataType.UInt16, 0],
  RobotX: [DataType.Int32, 0], // in micrometres
  RobotY: [DataType.Int32, 0],
  RobotZ: [DataType.Int32, 0],
  Partner: [DataType.String, ""],
  Tick: [DataType.UInt32, 0],
};

function say(told) {
  process.stdout.write(`${JSON.stringify(told)}\n`);
}

/** The program: one call a cycle. */
function cycle(plc, { RobotX: x, RobotY: y, RobotZ: z, Sensors: sensors, Partner: partner }) {
  const hasTool = (sensors & 1) !== 0;
  const isClosed = (sensors & 2) !== 0;
  const overTool = Math.abs(x - 1e6) < 1e3 && Math.abs(y) < 1e3 && z > 0 && z < 781e3;
  const overHolder = Math.abs(x - 7e5) < 1e3 && Math.abs(y - 4.5e5) < 1e3 && z < 781e3;
  if (plc.step === 0 && overTool) Object.assign(plc, { close: true, step: 10 });
  else if (plc.step === 10 && isClosed && hasTool && partner === "Robot1Flange") plc.step = 20;
  else if (plc.step === 20 && !hasTool) plc.step = 99; // the tool was lost
  else if (plc.step === 20 && overHolder) Object.assign(plc, { close: false, step: 30 });
  else if (plc.step === 30 && hasTool && partner === "Holder2") plc.step = 40;
  else if (plc.step === 40 && z > 1e6) plc.step = 50;
}

async function main() {
  const server = new OPCUAServer({
    port: 0,
    hostname: "127.0.0.1",
    securityPolicies: [SecurityPolicy.None],
    securityModes: [MessageSecurityMode.None],
  });
  await server.initialize();
  const { addressSpace } = server.engine;
  const namespace = addressSpace.registerNamespace("urn:plc");
  const nodes = {};
  for (const [name, [dataType, value]] of Object.entries(VARIABLES)) {
    nodes[name] = namespace.addVariable({
      organizedBy: addressSpace.rootFolder.objects,
      browseName: name,
      nodeId: `s=${name}`,
      dataType,
      minimumSamplingInterval: 5,
      value: new Variant({ dataType, value }),
    });
  }
  await server.start();
  say({ port: server.endpoints[0].port });

  const plc = { step: 0, close: false };
  setInterval(() => {
    const before = plc.step;
    const inputs = Object.entries(nodes).map(([n, node]) => [n, node.readValue().value.value]);
    cycle(plc, Object.fromEntries(inputs));
    const close = new Variant({ dataType: DataType.Boolean, value: plc.close });
    nodes.Close.setValueFromSource(close, StatusCodes.Good);
    if (plc.step !== before) say({ step: plc.step });
  }, CYCLE_MS);
}

main();
