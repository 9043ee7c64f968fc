"use strict";

/** A subscription by hand: nothing is published, acknowledged or repeated unless a story does. */

const { opcua, plain, units } = require("./cell.js");

const { AttributeIds, DataChangeTrigger, DeadbandType, TimestampsToReturn } = opcua;

/** What a story may ask of an item, in the words of the standard. */
function parameters(asked, clientHandle) {
  const { sampling = 1, queue = 10_000, discardOldest = true } = asked;
  const { trigger = "StatusValueTimestamp" } = asked;
  const { deadband = 0, deadbandType = deadband ? "Absolute" : "None" } = asked;
  return {
    clientHandle,
    samplingInterval: sampling,
    queueSize: queue,
    discardOldest,
    filter: new opcua.DataChangeFilter({
      trigger: DataChangeTrigger[trigger],
      deadbandType: DeadbandType[deadbandType],
      deadbandValue: deadband,
    }),
  };
}

const revised = (result) => ({
  item: result.monitoredItemId,
  status: result.statusCode.name,
  sampling: result.revisedSamplingInterval,
  queue: result.revisedQueueSize,
});

/** A PublishResponse or RepublishResponse in short. */
function short(message, names) {
  const samples = [];
  let change = null;
  for (const data of message.notificationData ?? []) {
    if (data instanceof opcua.StatusChangeNotification) change = data.status.name;
    for (const { clientHandle, value } of data.monitoredItems ?? []) {
      samples.push({
        name: names[clientHandle],
        value: plain(value.value),
        status: value.statusCode.value,
        stamp: units(value.sourceTimestamp, value.sourcePicoseconds),
      });
    }
  }
  return { number: message.sequenceNumber, samples, change };
}

class Subscription {
  constructor(cell, response) {
    this.cell = cell;
    this.id = response.subscriptionId;
    this.interval = response.revisedPublishingInterval;
    this.names = [];
  }

  static async create(cell, { interval = 20, keepAlive = 20, lifetime = 1000, most = 0 } = {}) {
    const response = await cell.session.createSubscription({
      requestedPublishingInterval: interval,
      requestedMaxKeepAliveCount: keepAlive,
      requestedLifetimeCount: lifetime,
      maxNotificationsPerPublish: most,
      publishingEnabled: true,
      priority: 1,
    });
    return new Subscription(cell, response);
  }

  /** Watch signals; their client handles are their places in `names`. */
  async watch(signals, asked = {}) {
    const first = this.names.length;
    this.names.push(...signals);
    const response = await this.cell.session.createMonitoredItems({
      subscriptionId: this.id,
      timestampsToReturn: TimestampsToReturn.Source,
      itemsToCreate: signals.map((name, k) => ({
        itemToMonitor: { nodeId: this.cell.id(name), attributeId: AttributeIds.Value },
        monitoringMode: opcua.MonitoringMode[asked.mode ?? "Reporting"],
        requestedParameters: parameters(asked, first + k),
      })),
    });
    return response.results.map(revised);
  }

  /** Ask other things of an item. */
  async change(item, name, asked) {
    const requestedParameters = parameters(asked, this.names.indexOf(name));
    const response = await this.cell.session.modifyMonitoredItems({
      subscriptionId: this.id,
      timestampsToReturn: TimestampsToReturn.Source,
      itemsToModify: [{ monitoredItemId: item, requestedParameters }],
    });
    return { ...revised(response.results[0]), item };
  }

  /** Send one Publish request and wait for its answer. */
  async publish(...acknowledged) {
    const request = {
      subscriptionAcknowledgements: acknowledged.map((sequenceNumber) => ({
        subscriptionId: this.id,
        sequenceNumber,
      })),
    };
    const response = await send(this.cell.session, "publish", request);
    return {
      ...short(response.notificationMessage, this.names),
      available: response.availableSequenceNumbers ?? [],
      more: response.moreNotifications,
      acknowledged: (response.results ?? []).map((code) => code.name),
    };
  }

  /** Publish, and acknowledge, until samples of a name have a value; give all samples. */
  async publishUntil(name, value) {
    const samples = [];
    const isLast = (sample) => sample.name === name && sample.value >= value;
    for (let last = []; ; ) {
      const message = await this.publish(...last);
      last = message.samples.length ? [message.number] : []; // a keep-alive needs none
      samples.push(...message.samples);
      if (message.samples.some(isLast)) return samples;
    }
  }

  async republish(number) {
    const request = { subscriptionId: this.id, retransmitSequenceNumber: number };
    const response = await send(this.cell.session, "republish", request);
    return short(response.notificationMessage, this.names);
  }

  async remove() {
    await this.cell.session.deleteSubscriptions({ subscriptionIds: [this.id] });
  }
}

/** A service that the library offers with a callback only. */
function send(session, service, request) {
  return new Promise((done, refuse) => {
    session[service](request, (error, response) => (error ? refuse(error) : done(response)));
  });
}

/** The status in the message of a refused service. */
async function refusal(promise) {
  return promise.then(
    () => "Good",
    (error) => /Bad\w+/.exec(error.message)?.[0] ?? error.message,
  );
}

module.exports = { Subscription, refusal };
