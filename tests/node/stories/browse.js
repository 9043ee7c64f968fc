"use strict";

/** Walks through the whole cell, and reads what every node says about itself. */

const { opcua, connect, withCell, plain } = require("../cell.js");

const { AttributeIds } = opcua;
const ABOUT = {
  dataType: AttributeIds.DataType,
  valueRank: AttributeIds.ValueRank,
  dimensions: AttributeIds.ArrayDimensions,
  access: AttributeIds.AccessLevel,
  sampling: AttributeIds.MinimumSamplingInterval,
  description: AttributeIds.Description,
};

const hierarchical = (nodeId) => ({
  nodeId,
  referenceTypeId: "HierarchicalReferences",
  browseDirection: opcua.BrowseDirection.Forward,
  includeSubtypes: true,
  nodeClassMask: 0,
  resultMask: 63,
});

/** Every node below one: by its id, with its parent, type and class. */
async function walk(session, root) {
  const nodes = {};
  let level = [root];
  while (level.length) {
    const found = await session.browse(level.map(hierarchical));
    const next = [];
    found.forEach((result, k) => {
      for (const reference of result.references) {
        const id = reference.nodeId.toString();
        if (id in nodes) continue;
        nodes[id] = {
          parent: level[k],
          reference: reference.referenceTypeId.toString(),
          name: reference.browseName.toString(),
          class: opcua.NodeClass[reference.nodeClass],
          type: reference.typeDefinition.toString(),
        };
        next.push(id);
      }
    });
    level = next;
  }
  return nodes;
}

/** Add the attributes of all variables, and the values of those properties that give a unit. */
async function describe(session, nodes) {
  const ids = Object.keys(nodes).filter((id) => nodes[id].class === "Variable");
  for (const [name, attributeId] of Object.entries(ABOUT)) {
    const values = await session.read(ids.map((nodeId) => ({ nodeId, attributeId })));
    values.forEach((value, k) => {
      nodes[ids[k]][name] = plain(value.value);
    });
  }
  const units = ids.filter((id) => /Units?$/.test(nodes[id].name));
  const values = await session.read(units.map((nodeId) => ({ nodeId })));
  values.forEach((value, k) => {
    const { namespaceUri, unitId, displayName, description } = value.value.value;
    nodes[nodes[units[k]].parent].unit = {
      property: nodes[units[k]].name,
      uri: namespaceUri,
      id: unitId,
      symbol: displayName.text,
      description: description.text,
    };
  });
}

/** What the server calls itself, when it is called by this address. */
async function endpoints(url) {
  const cell = await connect(url);
  const found = await cell.client.getEndpoints();
  await cell.close();
  return found.map(({ endpointUrl, securityPolicyUri }) => [endpointUrl, securityPolicyUri]);
}

module.exports = withCell(async (cell, _wanted, url) => {
  const { session } = cell;
  const byAddress = url.replace("localhost", "127.0.0.1");
  const nodes = await walk(session, cell.id("Cell"));
  await describe(session, nodes);
  const [t, c] = [cell.types, cell.index];
  const paths = await session.translateBrowsePath([
    opcua.makeBrowsePath(
      "RootFolder",
      `/Objects/${c}:Cell/${t}:ConstrainedObjects/${c}:Tool1/${t}:Pose/CartesianCoordinates/X`,
    ),
    opcua.makeBrowsePath("RootFolder", `/Objects/${c}:Cell/${t}:Nowhere`),
  ]);
  const notifiers = await session.browse({
    ...hierarchical("Server"),
    referenceTypeId: "HasNotifier",
  });
  return {
    endpoints: [[url, await endpoints(url)], [byAddress, await endpoints(byAddress)]],
    namespaces: cell.namespaces,
    nodes,
    paths: paths.map((path) => ({
      status: path.statusCode.name,
      targets: (path.targets ?? []).map((target) => target.targetId.toString()),
    })),
    notifiers: notifiers.references.map((reference) => reference.nodeId.toString()),
  };
});
