"""A subscription to every signal of a cell, fetched when it is wanted.

A server that has something to send and no Publish request waiting is late, and answers the next
request at once, with everything up to now. So we ask only when we want to know: after a step the
answer holds all its ticks, and no time goes by until the next publishing interval.
"""

import asyncio

from asyncua import ua
from asyncua.ua.ua_binary import struct_from_binary

from twincell.server.client.session import AT_ONCE, Session
from twincell.server.kit.catalogue import Catalogue
from twincell.server.kit.samples import Samples, opened
from twincell.server.kit.traces import Traces

PUBLISHING_MS = 5.0  # the shortest that the server gives
LIFETIME_S = 600.0  # the longest that the server gives: a test may stop at a breakpoint
WHOLE_RING = 16_384  # samples that wait; the server makes it less for many signals
SHARE = 2  # fetch when half of what can wait may be there


class Watching:
    """The samples of all signals, on their way from the server to the traces."""

    def __init__(self, session: Session, catalogue: Catalogue) -> None:
        self.traces = Traces(catalogue)
        self.most_ticks = WHOLE_RING // SHARE  # between two fetches, so that none is lost
        self._client = session.client.uaclient
        self._nodes = [session.node_id(name) for name in catalogue]
        self._subscription = 0
        self._acknowledged: list[ua.SubscriptionAcknowledgement] = []
        self._one_at_a_time = asyncio.Lock()

    async def begin(self) -> None:
        """Subscribe; the newest tick is the first of the traces."""
        request = ua.CreateSubscriptionRequest()
        request.Parameters.RequestedPublishingInterval = PUBLISHING_MS
        request.Parameters.RequestedMaxKeepAliveCount = 1  # never wait long for nothing
        request.Parameters.RequestedLifetimeCount = int(LIFETIME_S * 1e3 / PUBLISHING_MS)
        request.Parameters.PublishingEnabled = True
        # not uaclient.create_subscription: it would fetch by itself, and decode one by one
        answer = await self._client.protocol.send_request(request)
        made = struct_from_binary(ua.CreateSubscriptionResponse, answer).Parameters
        self._subscription = made.SubscriptionId
        for first in range(0, len(self._nodes), AT_ONCE):
            await self._monitor(first, self._nodes[first : first + AT_ONCE])
        while self.traces.newest_tick < 0:
            await self.fetch()

    async def fetch(self) -> None:
        """Take everything that has come up to now."""
        async with self._one_at_a_time:
            arrived: list[Samples] = []
            while await self._publish(arrived):
                pass
            self.traces.take(arrived)  # at once: in between, some signals were ahead of others

    async def fetch_to(self, tick: int) -> None:
        """Take everything up to a tick that has run already."""
        while self.traces.newest_tick < tick:
            await self.fetch()

    async def _publish(self, arrived: list[Samples]) -> bool:
        """One Publish; whether more waits behind it."""
        request = ua.PublishRequest()
        request.Parameters.SubscriptionAcknowledgements = self._acknowledged
        answer = await self._client.protocol.send_request(request)
        published = opened(answer.read(len(answer)), self.traces.code_of)
        self._acknowledged = []
        if not published.is_empty:
            acknowledged = ua.SubscriptionAcknowledgement(self._subscription, published.number)
            self._acknowledged = [acknowledged]
            arrived += published.samples
        return published.more

    async def _monitor(self, first: int, nodes: list[ua.NodeId]) -> None:
        asked = ua.CreateMonitoredItemsParameters()
        asked.SubscriptionId = self._subscription
        asked.TimestampsToReturn = ua.TimestampsToReturn.Source
        asked.ItemsToCreate = [
            ua.MonitoredItemCreateRequest(
                ItemToMonitor=ua.ReadValueId(NodeId=node, AttributeId=ua.AttributeIds.Value),
                MonitoringMode=ua.MonitoringMode.Reporting,
                RequestedParameters=ua.MonitoringParameters(
                    ClientHandle=first + place,
                    SamplingInterval=0.0,  # every tick
                    QueueSize=WHOLE_RING,
                    DiscardOldest=True,
                ),
            )
            for place, node in enumerate(nodes)
        ]
        for result in await self._client.create_monitored_items(asked):
            result.StatusCode.check()
            self.most_ticks = min(self.most_ticks, result.RevisedQueueSize // SHARE)
