"use strict";

/** Clients that command and watch are gone without a word; another one looks at what is left. */

const { opcua, connect, withCell, sleep } = require("../cell.js");
const { Subscription, refusal } = require("../subscription.js");

const GUESTS = 3;
const SESSION_MS = 1000; // what the guests ask for; the server grants no less than some seconds

/** Whether there still are subscriptions that somebody could take over. */
async function takeOver(cell, ids) {
  const response = await cell.session.transferSubscriptions({ subscriptionIds: ids });
  return response.results.map((result) => result.statusCode.name);
}

module.exports = withCell(async (cell, _wanted, url) => {
  await cell.rewind();
  await cell.call("Simulation.Resume");
  const events = [];
  const watching = await cell.session.createSubscription2({
    requestedPublishingInterval: 20,
    requestedMaxKeepAliveCount: 100,
    requestedLifetimeCount: 1000,
    publishingEnabled: true,
  });
  const item = await watching.monitor(
    { nodeId: "Server", attributeId: opcua.AttributeIds.EventNotifier },
    {
      samplingInterval: 0,
      queueSize: 100,
      filter: opcua.constructEventFilter(
        [`${cell.types}:Controller`],
        opcua.ofType(`ns=${cell.types};s=ControllerLostEventType`),
      ),
    },
    opcua.TimestampsToReturn.Both,
  );
  item.on("changed", ([controller]) => events.push(controller.value));

  const ids = [];
  let control;
  for (let k = 0; k < GUESTS; k += 1) {
    const guest = await connect(url, {
      clientName: `guest ${k}`,
      requestedSessionTimeout: SESSION_MS,
    });
    const subscription = await Subscription.create(guest, { interval: 5 });
    await subscription.watch(["Simulation.Tick", "Tool1.Pose", "Tool1.Partner"]);
    await guest.write(["Robot1Flange.Closed", "Boolean", k % 2 === 0]);
    [control] = await cell.read("Cell.Control");
    ids.push(subscription.id);
    refusal(subscription.publish());
    refusal(guest.call("Simulation.SetSpeed", ["Double", 1]));
    guest.client._secureChannel.getTransport()._socket.destroy();
  }

  while (!events.length) await sleep(10);
  const [before] = await cell.read("Simulation.Tick");
  await sleep(100);
  const [after, controlThen, closed] = await cell.read(
    "Simulation.Tick",
    "Cell.Control",
    "Robot1Flange.Closed",
  );
  const left = await takeOver(cell, ids);
  await watching.terminate();
  return { guests: GUESTS, events, control, controlThen, closed, ticks: after - before, left };
});
