"use strict";

/** One session acts for one user after the other; then it is closed, and cannot be used. */

const { identity, login } = require("../secured.js");
const { refusal } = require("../subscription.js");

const COMMAND = ["Robot1Flange.Closed", "Boolean", true];

module.exports = async (url, wanted) => {
  const cell = await login(url, { ...wanted, who: "observer" });
  const { session } = cell;
  const id = session.sessionId.toString();
  const writes = { observer: await cell.write(COMMAND) };
  for (const who of ["operator", "carla", ""]) {
    const status = await session.changeUser(identity({ ...wanted, who }));
    writes[who || "anonymous"] = [status.name, ...(await cell.write(COMMAND))];
  }
  const wrong = await session.changeUser(identity({ ...wanted, who: "operator", password: "no" }));
  const same = session.sessionId.toString() === id;
  await session.close();
  const closed = await refusal(cell.read("Simulation.Tick"));
  await cell.client.disconnect();
  return { writes, wrong: wrong.name, same, closed };
};
