"use strict";

/** Browses in portions: a few references at a time, each portion from where the last one ended. */

const { opcua } = require("../cell.js");
const { login } = require("../secured.js");

const below = (nodeId) => ({
  nodeId,
  referenceTypeId: "HierarchicalReferences",
  browseDirection: opcua.BrowseDirection.Forward,
  includeSubtypes: true,
  nodeClassMask: 0,
  resultMask: 63,
});

const ids = (result) => (result.references ?? []).map(({ nodeId }) => nodeId.toString());

async function inPortions(session, node, most) {
  session.requestedMaxReferencesPerNode = most;
  let result = await session.browse(below(node));
  const portions = [ids(result)];
  while (result.continuationPoint) {
    result = await session.browseNext(result.continuationPoint, false);
    portions.push(ids(result));
  }
  session.requestedMaxReferencesPerNode = 0;
  return portions;
}

/** Give a point back: nothing is answered, as the standard wants it and the library does not. */
async function release(session, point) {
  const request = { releaseContinuationPoints: true, continuationPoints: [point] };
  await session.performMessageTransaction(new opcua.BrowseNextRequest(request));
}

/** A point after it was used, and after it was given back. */
async function spent(session, node) {
  session.requestedMaxReferencesPerNode = 1;
  const first = await session.browse(below(node));
  const second = await session.browseNext(first.continuationPoint, false);
  const used = await session.browseNext(first.continuationPoint, false);
  await release(session, second.continuationPoint);
  const released = await session.browseNext(second.continuationPoint, false);
  session.requestedMaxReferencesPerNode = 0;
  return [second, used, released].map(({ statusCode }) => statusCode.name);
}

/** RegisterNodes gives ids that can be read, and takes them back. */
async function register(cell) {
  const registered = await cell.session.registerNodes([cell.id("Simulation.Tick")]);
  const value = await cell.session.read({ nodeId: registered[0] });
  await cell.session.unregisterNodes(registered);
  return value.statusCode.name;
}

module.exports = async (url, wanted) => {
  const cell = await login(url, wanted);
  try {
    const { session } = cell;
    const node = cell.id("Cell");
    return {
      whole: ids(await session.browse(below(node))),
      portions: await inPortions(session, node, wanted.most),
      spent: await spent(session, node),
      registered: await register(cell),
    };
  } finally {
    await cell.close();
  }
};
