"use strict";

/** Opens a channel with a policy and a mode, logs in and reads: or says why not. */

const { login } = require("../secured.js");

module.exports = async (url, wanted) => {
  try {
    const cell = await login(url, wanted);
    const [tick] = await cell.read("Simulation.Tick");
    const { securityPolicy, securityMode } = cell.client;
    await cell.close();
    return { tick, securityPolicy, securityMode };
  } catch (error) {
    return { refused: error.message };
  }
};
