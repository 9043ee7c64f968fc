"use strict";

/** A connected client that calls things by the names of the cell, and gives plain values. */

const opcua = require("node-opcua-client");

const CELL_URI = "urn:twincell:cell";
const TYPES_URI = "urn:twincell:types";
const MS_1601_TO_1970 = 11_644_473_600_000;

/** A session on a cell. */
class Cell {
  constructor(client, session, namespaces) {
    this.client = client;
    this.session = session;
    this.namespaces = namespaces;
    this.index = namespaces.indexOf(CELL_URI);
    this.types = namespaces.indexOf(TYPES_URI);
  }

  /** Node id of a signal, an object or a method. */
  id(name) {
    return `ns=${this.index};s=${name}`;
  }

  /** Values of signals, all from one Read request. */
  async read(...names) {
    const values = await this.session.read(names.map((name) => ({ nodeId: this.id(name) })));
    return values.map((value) => plain(value.value));
  }

  /** Names of the status codes that one Write request gave: [name, type, value], ... */
  async write(...wanted) {
    const codes = await this.session.write(
      wanted.map(([name, dataType, value, indexRange]) => ({
        nodeId: this.id(name),
        attributeId: opcua.AttributeIds.Value,
        indexRange,
        value: { value: variant(dataType, value) },
      })),
    );
    return codes.map((code) => code.name);
  }

  /** Call a method by its name, such as Simulation.Step; arguments as [type, value]. */
  async call(name, ...given) {
    const result = await this.session.call({
      objectId: this.id(name.slice(0, name.lastIndexOf("."))),
      methodId: this.id(name),
      inputArguments: given.map(([dataType, value]) => variant(dataType, value)),
    });
    return {
      status: result.statusCode.name,
      inputs: (result.inputArgumentResults ?? []).map((code) => code.name),
      outputs: (result.outputArguments ?? []).map(plain),
    };
  }

  /** Wait until signals have values. */
  async until(...wanted) {
    const names = wanted.map(([name]) => name);
    for (;;) {
      const values = await this.read(...names);
      if (wanted.every(([, value], k) => values[k] === value)) return;
      await sleep(5);
    }
  }

  /** The cell at its start, standing still, with nothing commanded. */
  async rewind() {
    await this.call("Simulation.Pause");
    await this.call("Simulation.Reset");
  }

  async step(ticks) {
    return this.call("Simulation.Step", ["UInt32", ticks]);
  }

  async close() {
    await this.session.close();
    await this.client.disconnect();
  }
}

const USER = {
  type: opcua.UserTokenType.UserName,
  userName: process.env.TWINCELL_USER,
  password: process.env.TWINCELL_PASSWORD,
};

/** A new client with a session of its own. */
async function connect(url, options = {}) {
  const client = opcua.OPCUAClient.create({
    clientName: "node test",
    connectionStrategy: { maxRetry: 0 },
    keepSessionAlive: false,
    ...options,
  });
  await client.connect(url);
  const session = await client.createSession(USER);
  const namespaces = await session.readNamespaceArray();
  return new Cell(client, session, namespaces);
}

/** A story with one client, which is gone when it ends. */
function withCell(story, options) {
  return async (url, wanted) => {
    const cell = await connect(url, options);
    try {
      return await story(cell, wanted, url);
    } finally {
      await cell.close();
    }
  };
}

/** A value to send; the library wants a 64-bit number in two halves. */
function variant(dataType, value) {
  const { Array: array, Scalar: scalar } = opcua.VariantArrayType;
  return new opcua.Variant({
    dataType: opcua.DataType[dataType],
    arrayType: Array.isArray(value) ? array : scalar,
    value: dataType === "Int64" ? [0, value] : value,
  });
}

/** A variant's value as JSON has it; 64-bit numbers, which come in two halves, as one. */
function plain({ dataType, arrayType, value }) {
  if (value === null || value === undefined) return null;
  if (dataType === opcua.DataType.Int64 || dataType === opcua.DataType.UInt64) {
    return value[0] * 2 ** 32 + value[1];
  }
  if (arrayType !== opcua.VariantArrayType.Scalar) return Array.from(value);
  if (dataType === opcua.DataType.NodeId) return value.toString();
  if (dataType === opcua.DataType.LocalizedText) return value.text;
  return value.toJSON ? value.toJSON() : value;
}

/** A source or server time in the units of the wire, 100 ns since 1601; null if there is none. */
function units(date, picoseconds) {
  if (!date) return null;
  return BigInt(date.getTime() + MS_1601_TO_1970) * 10_000n + BigInt(picoseconds) / 100_000n;
}

function sleep(ms) {
  return new Promise((done) => setTimeout(done, ms));
}

module.exports = { opcua, Cell, connect, withCell, plain, units, sleep };
