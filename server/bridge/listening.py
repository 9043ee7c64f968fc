"""A subscription whose messages are handed over whole: what changed together stays together.

asyncua's own subscription hands values over one by one, and keeps what the server granted to
itself. Relies on asyncua: UaSession.create_subscription calls back with each PublishResult.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from asyncua import ua

from twincell.server.bridge.peer import AT_ONCE
from twincell.server.client.session import Session

KEEP_ALIVE_S = 1.0  # how often a server with nothing to say says so
PATIENCE = 4  # so many of these without a word, and the subscription is dead
LIFETIME = 10  # so many of these without our asking, and the server gives it up
FASTEST = 0.0  # sampling interval: as fast as the server can

Changes = Sequence[tuple[ua.NodeId, ua.DataValue]]
Hear = Callable[[Changes], None]


class Listening:
    """What a server sends by itself."""

    def __init__(self, hear: Hear) -> None:
        self._hear = hear  # what to call with the changes of one message
        self._service: Any = None  # asyncua's, once it has begun
        self._id = 0
        self._nodes: dict[int, ua.NodeId] = {}  # by the handle that we gave
        self._monitored: set[ua.NodeId] = set()
        self._last_s = time.monotonic()
        self._patience_s = PATIENCE * KEEP_ALIVE_S
        self._failure: Exception | None = None  # what a message led to
        self.ended = ""  # why the server gave it up
        self.publishing_ms = 0.0  # as granted
        self.sampling_ms = 0.0  # the slowest that was granted
        self.refused: dict[ua.NodeId, ua.StatusCode] = {}

    async def begin(self, session: Session, publishing_ms: float) -> None:
        """Subscribe, to nothing as yet; the end of the session is the end of it."""
        params = ua.CreateSubscriptionParameters(
            RequestedPublishingInterval=publishing_ms,
            RequestedMaxKeepAliveCount=max(1, round(KEEP_ALIVE_S * 1e3 / publishing_ms)),
            RequestedLifetimeCount=max(3, round(LIFETIME * KEEP_ALIVE_S * 1e3 / publishing_ms)),
            MaxNotificationsPerPublish=0,
            PublishingEnabled=True,
        )
        self._service = session.client.uaclient.session
        created = await self._service.create_subscription(params, callback=self._published)
        self._id = created.SubscriptionId
        self.publishing_ms = created.RevisedPublishingInterval
        keep_alive_s = created.RevisedMaxKeepAliveCount * self.publishing_ms / 1e3
        self._patience_s = PATIENCE * max(keep_alive_s, KEEP_ALIVE_S)
        self._last_s = time.monotonic()

    async def add(self, nodes: Sequence[ua.NodeId], sampling_ms: float, queue: int) -> None:
        """Listen to nodes as well; to those that were refused before, if they are not any more."""
        new = [node for node in nodes if node not in self._monitored]
        for first in range(0, len(new), AT_ONCE):
            part = new[first : first + AT_ONCE]
            wanted = ua.CreateMonitoredItemsParameters(
                self._id,
                ua.TimestampsToReturn.Source,
                [self._item(node, sampling_ms, queue) for node in part],
            )
            answers = await self._service.create_monitored_items(wanted)
            for node, answer in zip(part, answers, strict=True):
                if answer.StatusCode.is_bad():
                    self.refused[node] = answer.StatusCode
                    continue
                self._monitored.add(node)
                self.refused.pop(node, None)
                self.sampling_ms = max(self.sampling_ms, answer.RevisedSamplingInterval)

    def check(self) -> None:
        """Raise what a message led to, or ConnectionError when the server says nothing any more."""
        if self._failure is not None:
            raise self._failure
        if self.ended:
            raise ConnectionError(f"the server ended the subscription: {self.ended}")
        if time.monotonic() - self._last_s > self._patience_s:
            raise ConnectionError("the server's subscription says nothing any more")

    def _item(
        self, node: ua.NodeId, sampling_ms: float, queue: int
    ) -> ua.MonitoredItemCreateRequest:
        handle = len(self._nodes) + 1
        self._nodes[handle] = node
        return ua.MonitoredItemCreateRequest(
            ua.ReadValueId(node, ua.AttributeIds.Value),
            ua.MonitoringMode.Reporting,
            ua.MonitoringParameters(
                ClientHandle=handle,
                SamplingInterval=sampling_ms,
                QueueSize=queue,
                DiscardOldest=True,
            ),
        )

    async def _published(self, result: ua.PublishResult) -> None:
        self._last_s = time.monotonic()
        try:
            for part in result.NotificationMessage.NotificationData or ():
                self._take(part)
        except Exception as error:  # asyncua would swallow it, and the rest of the message with it
            self._failure = error

    def _take(self, part: object) -> None:
        if isinstance(part, ua.DataChangeNotification):
            items = part.MonitoredItems
            self._hear(
                [
                    (self._nodes[i.ClientHandle], i.Value)
                    for i in items
                    if i.ClientHandle in self._nodes
                ]
            )
        elif isinstance(part, ua.StatusChangeNotification):
            self.ended = part.Status.name
