"""A lean OPC UA client for measuring: one session, and notifications as bytes.

Everything that happens once goes through asyncua's encoders; Publish, which happens hundreds of
times a second, is written and cut open by hand (OPC UA part 4, 5.13.5; part 6, 5.2).
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from asyncua import ua
from asyncua.ua.ua_binary import nodeid_to_binary, struct_to_binary

from bench.ua_user import User, user_token
from bench.ua_wire import ConnectionEnded, Wire, decoded

SESSION_MS = 60_000.0
PUBLISH = struct.pack("<BBH", 1, 0, ua.ObjectIds.PublishRequest_Encoding_DefaultBinary)
PUBLISHED = struct.pack("<BBH", 1, 0, ua.ObjectIds.PublishResponse_Encoding_DefaultBinary)
DATA_CHANGE = struct.pack("<BBH", 1, 0, ua.ObjectIds.DataChangeNotification_Encoding_DefaultBinary)
REQUESTS = 6  # Publish requests kept on their way: a message may come in parts; chosen
WHOLE_RING = 16_384
EVERY_SAMPLE = ua.DataChangeTrigger.StatusValueTimestamp
CHANGES = ua.DataChangeTrigger.StatusValue


class Notifications(NamedTuple):
    """One NotificationMessage."""

    subscription: int
    number: int
    data: list[bytes]  # its DataChangeNotifications


class UaClient:
    """One client with one session."""

    def __init__(self, endpoint: str, name: str = "bench", user: User | None = None) -> None:
        self._wire = Wire(endpoint)
        self._token: Any = ua.NodeId()
        self._publishing: set[int] = set()  # requests that wait for notifications
        self._arrived: list[Notifications] = []
        try:
            self._begin_session(endpoint, name, user)
        except BaseException:
            self.vanish()
            raise

    def fileno(self) -> int:
        """For select."""
        return self._wire.socket.fileno()

    def vanish(self) -> None:
        """Close the socket and say nothing."""
        self._wire.close()

    def send_half(self) -> None:
        """Send the beginning of a message, and never the rest."""
        self._wire.socket.sendall(b"MSGF" + struct.pack("<IQ", 1000, 0))

    def close(self, delete_subscriptions: bool = True) -> None:
        """End the session, subscriptions included unless they are to stay."""
        request = ua.CloseSessionRequest()
        request.DeleteSubscriptions = delete_subscriptions
        self._publishing.clear()  # these will be refused
        try:
            self.call(request, ua.CloseSessionResponse)
        finally:
            self._wire.close()

    def call(self, request: Any, response_type: Any) -> Any:
        """Send a request and wait for its answer."""
        number = self.send(request)
        answer = None
        while answer is None:
            for answered, body in self._wire.receive():
                if answered == number:
                    answer = decoded(response_type, body)
                else:
                    self._take(answered, body)
        return answer

    def send(self, request: Any) -> int:
        """Send a request; returns its number."""
        request.RequestHeader.AuthenticationToken = self._token
        return self._wire.send(struct_to_binary(request))

    def subscribe(
        self,
        nodes: Sequence[Any],
        publishing_ms: float,
        trigger: Any = EVERY_SAMPLE,
        sampling_ms: float = 1.0,
        lifetime: int = 10_000,
    ) -> int:
        """Monitor nodes, whose handles count from 0, and begin to ask; returns the subscription."""
        create = ua.CreateSubscriptionRequest()
        create.Parameters.RequestedPublishingInterval = publishing_ms
        create.Parameters.RequestedLifetimeCount = lifetime
        create.Parameters.RequestedMaxKeepAliveCount = 100
        create.Parameters.PublishingEnabled = True
        made = self.call(create, ua.CreateSubscriptionResponse).Parameters
        self._monitor(made.SubscriptionId, nodes, trigger, sampling_ms)
        while len(self._publishing) < REQUESTS:
            self._publish([])
        return int(made.SubscriptionId)

    def read(self, nodes: Sequence[Any]) -> list[Any]:
        """Values of nodes."""
        request = ua.ReadRequest()
        request.Parameters.TimestampsToReturn = ua.TimestampsToReturn.Source
        request.Parameters.NodesToRead = [
            ua.ReadValueId(NodeId=node, AttributeId=ua.AttributeIds.Value) for node in nodes
        ]
        results = self.call(request, ua.ReadResponse).Results
        return [result.Value.Value if result.Value else None for result in results]

    def write(self, node: Any, value: Any, variant: Any) -> None:
        """Write a value, and see that the server accepts it."""
        item = ua.WriteValue(NodeId=node, AttributeId=ua.AttributeIds.Value)
        item.Value = ua.DataValue(ua.Variant(value, variant))
        request = ua.WriteRequest()
        request.Parameters.NodesToWrite = [item]
        for status in self.call(request, ua.WriteResponse).Results:
            status.check()

    def notifications(self) -> Iterator[Notifications]:
        """What has arrived, after reading once; acknowledged, and asked for more."""
        if not self._arrived:
            for number, body in self._wire.receive():
                self._take(number, body)
        arrived, self._arrived = self._arrived, []
        yield from arrived

    def _take(self, number: int, body: bytes) -> None:
        """A message that nobody waits for: notifications."""
        if number not in self._publishing:
            return
        self._publishing.discard(number)
        if body[:4] != PUBLISHED:
            decoded(ua.PublishResponse, body)  # raises its status
        found = _opened(body)
        if found.data:
            self._arrived.append(found)
        self._publish([(found.subscription, found.number)] if found.data else [])

    def _publish(self, acknowledged: Sequence[tuple[int, int]]) -> None:
        header = nodeid_to_binary(self._token) + struct.pack("<qIIiIHB", 0, 0, 0, -1, 0, 0, 0)
        numbers = [n for pair in acknowledged for n in pair]
        tail = struct.pack(f"<i{len(numbers)}I", len(acknowledged), *numbers)
        self._publishing.add(self._wire.send(PUBLISH + header + tail))

    def _begin_session(self, endpoint: str, name: str, user: User | None) -> None:
        create = ua.CreateSessionRequest()
        create.Parameters.EndpointUrl = endpoint
        create.Parameters.SessionName = name
        create.Parameters.RequestedSessionTimeout = SESSION_MS
        create.Parameters.ClientDescription.ApplicationUri = "urn:twincell:bench"
        create.Parameters.ClientDescription.ApplicationType = ua.ApplicationType.Client
        made = self.call(create, ua.CreateSessionResponse).Parameters
        self._token = made.AuthenticationToken
        activate = ua.ActivateSessionRequest()
        if user is None:
            policies = [p for e in made.ServerEndpoints for p in e.UserIdentityTokens or []]
            anonymous = (p.PolicyId for p in policies if p.TokenType == ua.UserTokenType.Anonymous)
            identity = ua.AnonymousIdentityToken(next(anonymous))
        else:
            identity = user_token(made.ServerCertificate, made.ServerNonce, *user)
        activate.Parameters.UserIdentityToken = identity
        self.call(activate, ua.ActivateSessionResponse)

    def _monitor(
        self, subscription: int, nodes: Sequence[Any], trigger: Any, sampling_ms: float
    ) -> None:
        request = ua.CreateMonitoredItemsRequest()
        request.Parameters.SubscriptionId = subscription
        request.Parameters.TimestampsToReturn = ua.TimestampsToReturn.Source
        request.Parameters.ItemsToCreate = [
            ua.MonitoredItemCreateRequest(
                ItemToMonitor=ua.ReadValueId(NodeId=node, AttributeId=ua.AttributeIds.Value),
                MonitoringMode=ua.MonitoringMode.Reporting,
                RequestedParameters=ua.MonitoringParameters(
                    ClientHandle=handle,
                    SamplingInterval=sampling_ms,
                    QueueSize=WHOLE_RING,
                    DiscardOldest=True,
                    Filter=ua.DataChangeFilter(Trigger=trigger),
                ),
            )
            for handle, node in enumerate(nodes)
        ]
        for result in self.call(request, ua.CreateMonitoredItemsResponse).Results:
            result.StatusCode.check()


def _opened(message: bytes) -> Notifications:
    """Cut a PublishResponse open."""
    at = 4 + 8 + 4  # type, time, handle
    status, diagnostics, texts = struct.unpack_from("<IBi", message, at)
    if status or diagnostics or texts > 0:
        decoded(ua.PublishResponse, message)  # raises its status
    at += 9 + 3  # and the additional header, which is empty
    subscription, available = struct.unpack_from("<Ii", message, at)
    at += 8 + 4 * max(available, 0) + 1  # and MoreNotifications
    number, _, count = struct.unpack_from("<Iqi", message, at)
    at += 16
    data = []
    for _ in range(count):
        kind, size = struct.unpack_from("<4sxi", message, at)
        if kind != DATA_CHANGE:
            raise ConnectionEnded(f"not a notification of values: {message[at : at + 9 + size]!r}")
        data.append(message[at + 9 : at + 9 + size])
        at += 9 + size
    return Notifications(subscription, number, data)
