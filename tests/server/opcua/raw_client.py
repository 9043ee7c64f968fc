"""A client whose every request is the test's own: asyncua's hides messages, acknowledgements, more.

It sends no Publish request unless the test says so, and takes each message as it came.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from asyncua import Client, ua
from asyncua.ua.ua_binary import nodeid_to_binary, struct_from_binary, struct_to_binary

from twincell.server.opcua.space.layout import numbers_of
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.opcua.space.variable import Variable

EVERY_SAMPLE = ua.DataChangeFilter(ua.DataChangeTrigger.StatusValueTimestamp, 0, 0.0)
OVERFLOW = 0x480
PATIENCE_S = 20.0


def absolute(deadband: float) -> ua.DataChangeFilter:
    return ua.DataChangeFilter(ua.DataChangeTrigger.StatusValue, ua.DeadbandType.Absolute, deadband)


def item(
    node: str | ua.NodeId,
    handle: int = 1,
    sampling_ms: float = 1.0,
    queue: int = 10_000,
    filter_: Any = None,
    *,
    discard_oldest: bool = True,
    mode: ua.MonitoringMode = ua.MonitoringMode.Reporting,
    attribute: int = ua.AttributeIds.Value,
    index_range: str | None = None,
    encoding: ua.QualifiedName | None = None,
) -> ua.MonitoredItemCreateRequest:
    """A monitored item to create; a string is the name of a node of the cell."""
    node_id = cell_id(node) if isinstance(node, str) else node
    wanted = ua.ReadValueId(node_id, attribute, index_range, encoding or ua.QualifiedName())
    parameters = ua.MonitoringParameters(handle, sampling_ms, filter_, queue, discard_oldest)
    return ua.MonitoredItemCreateRequest(wanted, mode, parameters)


class RawClient:
    """Subscriptions by hand."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.messages: list[ua.PublishResult] = []
        self.values: dict[int, list[ua.DataValue]] = defaultdict(list)  # by handle
        self.events: dict[int, list[list[Any]]] = defaultdict(list)
        self.acknowledgements: list[ua.SubscriptionAcknowledgement] = []

    @property
    def protocol(self) -> Any:
        return self.client.uaclient.protocol

    async def ask(self, request: Any, parameters: Any = None) -> Any:
        """Send a request; its response, or the error of a ServiceFault."""
        if parameters is not None:
            request.Parameters = parameters
        data = await self.protocol.send_request(request, PATIENCE_S)
        return struct_from_binary(getattr(ua, _response(request)), data)

    async def ask_with_bytes(self, type_id: int, parameters: bytes) -> None:
        """Send a request whose parameters are any bytes; raises the error of its answer."""
        header = ua.RequestHeader()
        self.protocol._setup_request_header(header, PATIENCE_S)
        type_ = nodeid_to_binary(ua.FourByteNodeId(type_id))
        self.protocol._request_id += 1
        number = self.protocol._request_id
        data = self.protocol._connection.message_to_binary(
            type_ + struct_to_binary(header) + parameters, request_id=number
        )
        answer = self.protocol._callbackmap[number] = asyncio.get_running_loop().create_future()
        self.protocol.transport.write(data)
        self.protocol.check_answer(await asyncio.wait_for(answer, PATIENCE_S), "")

    # ---------------------------------------------------------------- subscriptions and items

    async def subscribe(
        self,
        interval_ms: float = 5.0,
        *,
        keep_alive: int = 2_000,
        lifetime: int = 10_000,
        most: int = 0,
        enabled: bool = True,
        priority: int = 0,
    ) -> ua.CreateSubscriptionResult:
        parameters = ua.CreateSubscriptionParameters(
            interval_ms, lifetime, keep_alive, most, enabled, priority
        )
        return (await self.ask(ua.CreateSubscriptionRequest(), parameters)).Parameters

    async def monitor(
        self,
        subscription: ua.CreateSubscriptionResult,
        *items: ua.MonitoredItemCreateRequest,
        times: ua.TimestampsToReturn = ua.TimestampsToReturn.Source,
    ) -> list[ua.MonitoredItemCreateResult]:
        parameters = ua.CreateMonitoredItemsParameters(
            subscription.SubscriptionId, times, list(items)
        )
        return list((await self.ask(ua.CreateMonitoredItemsRequest(), parameters)).Results)

    async def monitored(
        self, *items: ua.MonitoredItemCreateRequest, **terms: Any
    ) -> tuple[ua.CreateSubscriptionResult, list[int]]:
        """A new subscription with items, all of which are good."""
        subscription = await self.subscribe(**terms)
        results = await self.monitor(subscription, *items)
        for result in results:
            result.StatusCode.check()
        return subscription, [result.MonitoredItemId for result in results]

    async def modify(
        self,
        subscription: ua.CreateSubscriptionResult,
        number: int,
        changed: ua.MonitoredItemCreateRequest,
        times: ua.TimestampsToReturn = ua.TimestampsToReturn.Source,
    ) -> ua.MonitoredItemModifyResult:
        """Give an item the parameters of another request."""
        modify = ua.MonitoredItemModifyRequest(number, changed.RequestedParameters)
        parameters = ua.ModifyMonitoredItemsParameters(subscription.SubscriptionId, times, [modify])
        (result,) = (await self.ask(ua.ModifyMonitoredItemsRequest(), parameters)).Results
        return result

    async def set_mode(
        self,
        subscription: ua.CreateSubscriptionResult,
        mode: ua.MonitoringMode,
        *numbers: int,
    ) -> list[str]:
        parameters = ua.SetMonitoringModeParameters(
            subscription.SubscriptionId, mode, list(numbers)
        )
        response = await self.ask(ua.SetMonitoringModeRequest(), parameters)
        return names(response.Parameters.Results)

    async def set_publishing(self, enabled: bool, *numbers: int) -> list[str]:
        parameters = ua.SetPublishingModeParameters(enabled, list(numbers))
        response = await self.ask(ua.SetPublishingModeRequest(), parameters)
        return names(response.Parameters.Results)

    async def delete(self, *numbers: int) -> list[str]:
        parameters = ua.DeleteSubscriptionsParameters(list(numbers))
        return names((await self.ask(ua.DeleteSubscriptionsRequest(), parameters)).Results)

    # ---------------------------------------------------------------- messages

    def publish(
        self, *acknowledge: ua.SubscriptionAcknowledgement, hint_s: float = 0.0
    ) -> "asyncio.Future[ua.PublishResult]":
        """Send a Publish request now; its answer comes when it comes."""
        request = ua.PublishRequest()
        request.Parameters.SubscriptionAcknowledgements = list(acknowledge)
        sent = self.protocol._send_request(request, timeout=hint_s)
        answer = asyncio.ensure_future(self._answer(sent))
        answer.add_done_callback(_look_at)
        return answer

    async def _answer(self, sent: "asyncio.Future[Any]") -> ua.PublishResult:
        data = await asyncio.wait_for(sent, PATIENCE_S)
        self.protocol.check_answer(data, "")
        return struct_from_binary(ua.PublishResponse, data).Parameters

    async def next_message(self) -> ua.PublishResult:
        """Ask for one message, acknowledge those before, and keep what it says."""
        result = await self.publish(*self.acknowledgements)
        self.acknowledgements.clear()
        self.keep(result)
        return result

    def keep(self, result: ua.PublishResult) -> None:
        """Take a message apart."""
        self.messages.append(result)
        message = result.NotificationMessage
        for part in message.NotificationData or []:
            for value in getattr(part, "MonitoredItems", []):
                self.values[value.ClientHandle].append(value.Value)
            for event in getattr(part, "Events", []):
                self.events[event.ClientHandle].append([f.Value for f in event.EventFields])
        if message.NotificationData:
            self.acknowledgements.append(
                ua.SubscriptionAcknowledgement(result.SubscriptionId, message.SequenceNumber)
            )

    async def listen(self, until: Callable[[], bool]) -> None:
        """Take messages until something is true."""
        end = time.monotonic() + PATIENCE_S
        while not until():
            assert time.monotonic() < end, "it never came true"
            await self.next_message()

    async def hear(self, handle: int, count: int) -> list[ua.DataValue]:
        """Take messages until an item has reported so many values in all."""
        await self.listen(lambda: len(self.values[handle]) >= count)
        return self.values[handle]

    def told(self, handle: int) -> list[Any]:
        """Plain values that an item has reported so far."""
        return [value.Value.Value for value in self.values[handle]]


def statuses(values: Sequence[ua.DataValue]) -> list[int]:
    return [value.StatusCode.value for value in values]


def names(results: Sequence[ua.StatusCode]) -> list[str]:
    return [str(result.name) for result in results]


def columns_of(variable: Variable, values: Sequence[ua.DataValue]) -> np.ndarray:
    """What a row would have to hold for these values."""
    rows = []
    for value in values:
        if variable.texts:
            rows.append([float(variable.texts.index(value.Value.Value))])
        else:
            rows.append(numbers_of(variable.layout, value.Value))
    return np.array(rows, dtype=np.float64)


def _look_at(answer: "asyncio.Future[ua.PublishResult]") -> None:
    """Not every test waits for the end of its requests: nobody has to hear that they failed."""
    if not answer.cancelled():
        answer.exception()


def _response(request: Any) -> str:
    return type(request).__name__.removesuffix("Request") + "Response"
