"use strict";

/** Clients of a cell that has users: their application's certificate, and how a user logs in. */

const fs = require("node:fs");

const { opcua, Cell } = require("./cell.js");
const { readCertificate } = require("node-opcua-crypto");

/** Options of a client with a certificate; without a policy its channel is not secured. */
function options({ application, policy = "None", mode = "None", lifetime }) {
  return {
    clientName: "node test",
    applicationName: "conformance",
    ...application,
    securityPolicy: opcua.SecurityPolicy[policy],
    securityMode: opcua.MessageSecurityMode[mode],
    connectionStrategy: { maxRetry: 0 },
    keepSessionAlive: false,
    defaultSecureTokenLifetime: lifetime,
  };
}

/** Who logs in: nobody, carla with her certificate, or somebody with a password. */
function identity({ who, user, password }) {
  if (!who) return { type: opcua.UserTokenType.Anonymous };
  if (who !== "carla") return { type: opcua.UserTokenType.UserName, userName: who, password };
  return {
    type: opcua.UserTokenType.Certificate,
    certificateData: readCertificate(user.certificateFile),
    privateKey: fs.readFileSync(user.privateKeyFile, "utf-8"),
  };
}

/** A new client with a session of its own. */
async function login(url, wanted, more = {}) {
  const client = opcua.OPCUAClient.create({ ...options(wanted), ...more });
  try {
    await client.connect(url);
    const session = await client.createSession(identity(wanted));
    return new Cell(client, session, await session.readNamespaceArray());
  } catch (error) {
    await client.disconnect();
    throw error;
  }
}

module.exports = { options, identity, login };
