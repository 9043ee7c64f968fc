"use strict";

/** Sends requests as they are given: [name, fields], ...; how each of them and its parts end. */

const types = require("node-opcua-types");

const { login } = require("../secured.js");
const { Subscription } = require("../subscription.js");

/** A list may be written in short: what it is full of, and how often. */
function full(fields) {
  const whole = {};
  for (const [name, value] of Object.entries(fields)) {
    const isShort = value !== null && typeof value === "object" && "times" in value;
    whole[name] = isShort ? Array(value.times).fill(value.one) : value;
  }
  return whole;
}

async function ask(session, [name, fields]) {
  try {
    const response = await session.performMessageTransaction(
      new types[`${name}Request`](full(fields)),
    );
    const results = response.results ?? [];
    return ["Good", ...results.map((result) => (result.statusCode ?? result).name)];
  } catch (error) {
    return [/Bad\w+/.exec(error.message)?.[0] ?? error.message];
  }
}

module.exports = async (url, wanted) => {
  const cell = await login(url, wanted);
  try {
    if (wanted.subscribed) await Subscription.create(cell); // the first one of the session
    const outcomes = [];
    for (const request of wanted.requests) outcomes.push(await ask(cell.session, request));
    return { outcomes };
  } finally {
    await cell.close();
  }
};
