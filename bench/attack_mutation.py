"""Messages that are almost right: the traffic of a normal session, with mistakes at random."""

import random
import struct
from collections.abc import Callable, Iterator
from typing import Any

from asyncua import ua
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.ua_binary import struct_to_binary

from bench.attack_intruder import Intruder
from twincell.server.opcua.space.namespaces import CELL

LENGTHS = (-1, -2, -(2**31), 0, 1, 255, 4096, 65_536, 10**6, 2**24, 2**31 - 1)
TYPE_BYTES = 4
RETYPED = 0.05  # of the messages say that they are something else
BYTES = (0x00, 0x01, 0x3F, 0x7F, 0x80, 0xC0, 0xFF)
NESTED = (
    b"\x18" * 300,  # Variant in Variant in ...
    b"\x40" * 300,  # DiagnosticInfo in DiagnosticInfo in ...
    b"\x98\x01\x00\x00\x00" * 200,  # arrays of one Variant
    b"\x80\xff\xff\x3f\x00",  # four million Nulls
    b"\xcb\x00\x00\x00\x00\xff\xff\x00\x00" + b"\xff" * 64,  # dimensions without end
    b"\x01\x00\x4f\x00\x01\x04\x00\x00\x00" * 40,  # ExtensionObjects that begin and do not end
    b"\xed\xa0\x80\x00" * 20,  # surrogates and NUL: no UTF-8
    struct.pack("<ddd", float("nan"), float("inf"), -1e308),
)
SERVICES = [
    number for name, number in vars(ObjectIds).items() if name.endswith("_Encoding_DefaultBinary")
]


def conversation(client: Intruder) -> list[bytes]:
    """One request of every service, as a client with a session and a subscription sends it."""
    number = 0
    if not client.token.is_null():
        create = ua.CreateSubscriptionRequest()
        create.Parameters.RequestedPublishingInterval = 1000.0
        create.Parameters.PublishingEnabled = True
        number = client.ask(create).Parameters.SubscriptionId
    return [client.encoded(request) for request in _requests(number)]


def header_bytes(client: Intruder) -> int:
    """Bytes of a message before its parameters."""
    header = ua.RequestHeader()
    header.AuthenticationToken = client.token
    return TYPE_BYTES + len(struct_to_binary(header))


def _requests(subscription: int) -> Iterator[Any]:
    value = ua.ReadValueId(ua.NodeId("Tool1.Pose.X", CELL), ua.AttributeIds.Value)
    flag = ua.NodeId("Robot1Flange.Closed", CELL)
    filter_ = ua.DataChangeFilter(ua.DataChangeTrigger.StatusValue, 1, 0.5)
    items = ua.MonitoringParameters(1, 1.0, filter_, 10, True)
    path = ua.BrowsePath(ua.NodeId(ObjectIds.ObjectsFolder))
    name = ua.QualifiedName("Server", 0)
    path.RelativePath.Elements = [ua.RelativePathElement(ua.NodeId(33), False, True, name)]
    browse = ua.BrowseDescription(
        ua.NodeId(85), ua.BrowseDirection.Both, ua.NodeId(33), True, 0, 63
    )
    operand = ua.SimpleAttributeOperand(ua.NodeId(2041), [ua.QualifiedName("Message", 0)], 13)
    element = ua.ContentFilterElement(
        ua.FilterOperator.GreaterThan, [operand, ua.LiteralOperand(ua.Variant(1))]
    )
    events = ua.EventFilter([operand], ua.ContentFilter([element]))
    created = ua.MonitoredItemCreateRequest(value, ua.MonitoringMode.Reporting, items)
    notifier = ua.ReadValueId(ua.NodeId(ObjectIds.Server), ua.AttributeIds.EventNotifier)
    watched = ua.MonitoredItemCreateRequest(
        notifier, ua.MonitoringMode.Reporting, ua.MonitoringParameters(2, 0.0, events, 10, True)
    )
    written = ua.WriteValue(flag, 13, None, ua.DataValue(ua.Variant(True)))
    call = ua.CallMethodRequest(
        ua.NodeId("Simulation", CELL), ua.NodeId("Simulation.SetSpeed", CELL), [ua.Variant(2.0)]
    )
    history = ua.HistoryReadValueId(ua.NodeId("Tool1.Pose.X", CELL))
    both, mode = ua.TimestampsToReturn.Both, ua.MonitoringMode.Sampling
    make: list[tuple[Any, Any]] = [
        (ua.GetEndpointsRequest(), ua.GetEndpointsParameters("opc.tcp://localhost:4840")),
        (ua.FindServersRequest(), ua.FindServersParameters("opc.tcp://localhost:4840")),
        (ua.ReadRequest(), ua.ReadParameters(0.0, both, [value] * 3)),
        (
            ua.HistoryReadRequest(),
            ua.HistoryReadParameters(ua.ReadRawModifiedDetails(), both, False, [history]),
        ),
        (ua.WriteRequest(), ua.WriteParameters([written] * 2)),
        (ua.CallRequest(), ua.CallParameters([call])),
        (ua.BrowseRequest(), ua.BrowseParameters(ua.ViewDescription(), 2, [browse])),
        (ua.BrowseNextRequest(), ua.BrowseNextParameters(False, [b"\x01\x02"])),
        (
            ua.TranslateBrowsePathsToNodeIdsRequest(),
            ua.TranslateBrowsePathsToNodeIdsParameters([path]),
        ),
        (ua.RegisterNodesRequest(), ua.RegisterNodesParameters([flag])),
        (ua.UnregisterNodesRequest(), ua.UnregisterNodesParameters([flag])),
        (
            ua.CreateSubscriptionRequest(),
            ua.CreateSubscriptionParameters(1000.0, 100, 10, 100, True, 1),
        ),
        (
            ua.ModifySubscriptionRequest(),
            ua.ModifySubscriptionParameters(subscription, 1000.0, 100, 10, 100, 1),
        ),
        (
            ua.CreateMonitoredItemsRequest(),
            ua.CreateMonitoredItemsParameters(subscription, both, [created, watched]),
        ),
        (
            ua.ModifyMonitoredItemsRequest(),
            ua.ModifyMonitoredItemsParameters(
                subscription, both, [ua.MonitoredItemModifyRequest(1, items)]
            ),
        ),
        (
            ua.SetMonitoringModeRequest(),
            ua.SetMonitoringModeParameters(subscription, mode, [1, 2]),
        ),
        (
            ua.SetTriggeringRequest(),
            ua.SetTriggeringParameters(subscription, 1, [2], [3]),
        ),
        (ua.SetPublishingModeRequest(), ua.SetPublishingModeParameters(True, [subscription])),
        (ua.PublishRequest(), ua.PublishParameters([])),
        (ua.RepublishRequest(), ua.RepublishParameters(subscription, 1)),
        (
            ua.TransferSubscriptionsRequest(),
            ua.TransferSubscriptionsParameters([subscription], True),
        ),
        (
            ua.DeleteMonitoredItemsRequest(),
            ua.DeleteMonitoredItemsParameters(subscription, [1]),
        ),
        (ua.DeleteSubscriptionsRequest(), ua.DeleteSubscriptionsParameters([subscription + 1])),
        (ua.CancelRequest(), ua.CancelParameters(7)),
        (ua.RegisterServerRequest(), None),
        (ua.CreateSessionRequest(), ua.CreateSessionParameters()),
        (ua.ActivateSessionRequest(), ua.ActivateSessionParameters()),
        (ua.CloseSessionRequest(), None),
    ]
    for request, parameters in make:
        if parameters is not None:
            request.Parameters = parameters
        yield request


class Mutation:
    """Makes mistakes, always the same ones for a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self._ways: list[Callable[[bytearray], None]] = [
            self._flip,
            self._flip,
            self._cut,
            self._overwrite,
            self._claim,
            self._claim,
            self._nest,
            self._repeat,
        ]

    def mutated(self, message: bytes, header: int = 0) -> bytes:
        """A message with one to three mistakes in it, none of them in its header of so many bytes.

        A mistake in the header ends the connection, and nobody looks at what comes after it.
        """
        made = bytearray(message[header:])
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            self.random.choice(self._ways)(made)
        whole = bytearray(message[:header] + made)
        if self.random.random() < RETYPED:
            self._retype(whole)
        return bytes(whole)

    def chunks(self, client: Intruder, message: bytes, is_broken: bool = False) -> bytes:
        """A message in one chunk or some, perhaps with a mistake in a chunk's own header."""
        pieces = self.random.choice((1, 1, 1, 2, 5))
        size = -(-max(len(message), 1) // pieces)
        parts = [message[i : i + size] for i in range(0, max(len(message), 1), size)]
        sent = b""
        for place, part in enumerate(parts):
            kind = b"F" if place == len(parts) - 1 else b"C"
            sent += client.chunk(part, kind, request=int(place == 0))
        if is_broken:
            broken = bytearray(sent)
            at = self.random.randrange(24)
            broken[at] ^= 1 << self.random.randrange(8)
            return bytes(broken)
        return sent

    def _at(self, made: bytearray, width: int = 1) -> int:
        return self.random.randrange(max(len(made) - width + 1, 1))

    def _flip(self, made: bytearray) -> None:
        if made:
            made[self._at(made)] ^= 1 << self.random.randrange(8)

    def _cut(self, made: bytearray) -> None:
        del made[self._at(made) :]

    def _overwrite(self, made: bytearray) -> None:
        if made:
            made[self._at(made)] = self.random.choice(BYTES)

    def _claim(self, made: bytearray) -> None:
        at = self._at(made, 4)
        made[at : at + 4] = struct.pack("<i", self.random.choice(LENGTHS))

    def _retype(self, made: bytearray) -> None:
        made[0:4] = struct.pack("<BBH", 1, 0, self.random.choice(SERVICES))

    def _nest(self, made: bytearray) -> None:
        at = self._at(made)
        made[at:at] = self.random.choice(NESTED)

    def _repeat(self, made: bytearray) -> None:
        at, end = sorted((self._at(made), self._at(made)))
        made[at:at] = made[at:end] * self.random.choice((1, 2, 50))
