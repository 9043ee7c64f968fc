"""The subscription services: everything a client can ask about subscriptions.

A session sees its own subscriptions only; another one may take them over when it acts for the
same user.                                                              OPC UA part 4, 5.14
"""

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from asyncua import ua
from asyncua.common.utils import ServiceError

from twincell.server.opcua.diagnostic.diagnostics import Counters
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.operations import check_count
from twincell.server.opcua.shares import (
    LEFT_BEHIND,
    Account,
    Holding,
    Rank,
    Shared,
    Shares,
    ShareUsedUp,
    makes_room,
)
from twincell.server.opcua.subscription.event_item import Event
from twincell.server.opcua.subscription.publish_queue import PublishQueue, PublishRequest
from twincell.server.opcua.subscription.publish_response import Message
from twincell.server.opcua.subscription.publishing_clock import PublishingClock
from twincell.server.opcua.subscription.sources import Sources
from twincell.server.opcua.subscription.subscription import Subscription
from twincell.server.opcua.subscription.subscription_terms import (
    UNASKED_INTERVAL_MS,
    Terms,
    revised_terms,
)

# in one Publish, and in all that wait of a session: five times what a subscription keeps; chosen
MOST_ACKNOWLEDGEMENTS = 5_000
LEAST_CYCLES = 1.0  # a second, for a subscription whose client has used up its share; chosen


class Owner(Protocol):
    """A session, as far as its subscriptions go."""

    session_id: ua.NodeId
    account: Account
    publish_queue: PublishQueue
    client_description: ua.ApplicationDescription

    @property
    def rank(self) -> Rank:
        """Whom it has to leave something to."""

    @property
    def client(self) -> str:
        """Whose share it has a part of."""

    def may_read(self, node: ua.NodeId) -> bool:
        """Whether its user may see a node's value."""

    def may_have(self, other: Any) -> bool:
        """Whether what belongs to another owner may become its own."""


class CellSubscriptions:
    """All subscriptions of the server."""

    def __init__(
        self, sources: Sources, limits: Limits, shares: Shares, counters: Counters
    ) -> None:
        self._sources = sources
        self._limits = limits
        self._shares = shares
        self._clock = PublishingClock()
        self._counters = counters
        self.subscriptions: dict[int, Subscription] = {}
        self.notifications = 0  # values sent so far
        self.losses = sources.losses  # values that were not
        self._counter = 0

    def create(
        self, owner: Owner, params: ua.CreateSubscriptionParameters
    ) -> ua.CreateSubscriptionResult:
        """CreateSubscription."""
        if len(self._those_of(owner)) >= self._limits.subscriptions_per_session:
            raise ServiceError(ua.StatusCodes.BadTooManySubscriptions)
        if not self.make_room(owner, Shared.SUBSCRIPTIONS, 1):
            why = owner.account.why_no_more(Shared.SUBSCRIPTIONS)
            raise ShareUsedUp(ua.StatusCodes.BadTooManySubscriptions, why)
        holding = Holding(owner.account)
        terms = self._terms(params, holding)
        holding.add(Shared.SUBSCRIPTIONS, 1)
        self._counter += 1
        self._counters.cumulated_subscriptions += 1
        subscription = Subscription(
            self._counter,
            terms,
            params.PublishingEnabled,
            self._sources,
            holding,
            self._clock,
            self._count_sent,
            self._expire,
        )
        self._give(subscription, owner)
        self.subscriptions[subscription.number] = subscription
        subscription.start()
        return ua.CreateSubscriptionResult(
            subscription.number, terms.interval_ms, terms.lifetime, terms.keep_alive
        )

    def modify(
        self, owner: Owner, params: ua.ModifySubscriptionParameters
    ) -> ua.ModifySubscriptionResult:
        """ModifySubscription."""
        subscription = self.of(owner, params.SubscriptionId)
        terms = self._terms(params, subscription.holding)
        subscription.change(terms)
        return ua.ModifySubscriptionResult(terms.interval_ms, terms.lifetime, terms.keep_alive)

    def why_slower(self, owner: Owner, wanted_ms: float, given_ms: float) -> str:
        """Why a publishing interval is longer than was asked for; nothing if it is not."""
        if not wanted_ms > 0.0:
            wanted_ms = UNASKED_INTERVAL_MS
        if given_ms <= max(wanted_ms, self._limits.min_publishing_interval_ms):
            return ""
        why = owner.account.why_no_more(Shared.CYCLES)
        return f"publishing every {given_ms:g} ms instead of {wanted_ms:g} ms: {why}"

    def delete(self, owner: Owner, numbers: Sequence[int]) -> list[ua.StatusCode]:
        """DeleteSubscriptions."""
        check_count(numbers, self._limits.subscriptions_per_session)
        results = []
        for number in numbers:
            subscription = self._find(owner, number)
            if subscription is None:
                results.append(ua.StatusCode(ua.StatusCodes.BadSubscriptionIdInvalid))
                continue
            self._remove(subscription)
            results.append(ua.StatusCode())
        if not self._those_of(owner):
            owner.publish_queue.refuse_all(ua.StatusCodes.BadNoSubscription)
        return results

    def set_publishing(
        self, owner: Owner, params: ua.SetPublishingModeParameters
    ) -> list[ua.StatusCode]:
        """SetPublishingMode."""
        check_count(params.SubscriptionIds, self._limits.subscriptions_per_session)
        results = []
        for number in params.SubscriptionIds:
            subscription = self._find(owner, number)
            if subscription is not None:
                subscription.enabled = params.PublishingEnabled
                subscription.heard()
            status = 0 if subscription else ua.StatusCodes.BadSubscriptionIdInvalid
            results.append(ua.StatusCode(status))
        return results

    def transfer(
        self, owner: Owner, params: ua.TransferSubscriptionsParameters
    ) -> list[ua.TransferResult]:
        """TransferSubscriptions: to another session, with all that waits in them."""
        check_count(params.SubscriptionIds, self._limits.subscriptions_per_session)
        results = []
        for number in params.SubscriptionIds:
            subscription = self.subscriptions.get(number)
            if subscription is None:
                status = ua.StatusCode(ua.StatusCodes.BadSubscriptionIdInvalid)
                results.append(ua.TransferResult(status, []))
                continue
            subscription.counts.transfer_requests += 1
            refusal = self._why_not(owner, subscription)
            if not refusal and subscription.queue is not owner.publish_queue:
                refusal = self._take_over(subscription, owner)
            if refusal:
                results.append(ua.TransferResult(ua.StatusCode(refusal), []))
                continue
            available = subscription.kept_numbers
            if params.SendInitialValues:
                subscription.items.report_again()
            results.append(ua.TransferResult(ua.StatusCode(), available))
        return results

    def publish(
        self,
        owner: Owner,
        request: PublishRequest,
        acknowledgements: Sequence[tuple[int, int]],
    ) -> None:
        """Publish: acknowledge, and answer at once if a subscription is late, else wait."""
        mine = self._those_of(owner)
        if not mine and not owner.publish_queue.has_news:
            raise ServiceError(ua.StatusCodes.BadNoSubscription)
        if len(acknowledgements) + owner.publish_queue.n_result > MOST_ACKNOWLEDGEMENTS:
            raise ServiceError(ua.StatusCodes.BadTooManyOperations)
        for number, message in acknowledgements:
            subscription = self._find(owner, number)
            request.results.append(
                int(ua.StatusCodes.BadSubscriptionIdInvalid)
                if subscription is None
                else subscription.acknowledge(message)
            )
        owner.publish_queue.put(request)
        owner.publish_queue.tell_news()
        for subscription in mine:
            subscription.heard()
        # those that wait, the most important first, and of these the one that has waited longest
        late = [subscription for subscription in mine if subscription.is_late]
        for subscription in sorted(late, key=lambda s: (-s.terms.priority, s.late_since_s)):
            subscription.serve()

    def republish(self, owner: Owner, params: ua.RepublishParameters) -> Message:
        """Republish: a message once more, as often as it is asked for."""
        subscription = self.of(owner, params.SubscriptionId)
        subscription.heard()
        message = subscription.kept(params.RetransmitSequenceNumber)
        if message is None:
            raise ServiceError(ua.StatusCodes.BadMessageNotAvailable)
        return message

    @contextmanager
    def held(self, owner: Owner, number: int) -> Iterator[None]:
        """Let a subscription send nothing: its client has to know its items first."""
        subscription = self.of(owner, number)
        subscription.is_held = True
        try:
            yield
        finally:
            subscription.is_held = False
            if number in self.subscriptions:
                subscription.serve()

    def has_any(self, owner: Owner) -> bool:
        """Whether a session has subscriptions."""
        return bool(self._those_of(owner))

    def session_closed(self, owner: Owner, delete: bool) -> None:
        """A session ends: its subscriptions go with it, or wait for one that takes them over."""
        for subscription in self._those_of(owner):
            if delete:
                self._remove(subscription)
            else:
                subscription.queue = None
                subscription.session_id = ua.NodeId()
                subscription.orphan_since_s = time.monotonic()
                subscription.sleep()
                subscription.holding.set(Shared.CYCLES, 0)  # it publishes nothing
        owner.publish_queue.refuse_all(ua.StatusCodes.BadSessionClosed)
        self._keep_share(owner)

    def put_event(self, event: Event) -> None:
        """Offer an event to everybody who watches for events."""
        for subscription in self.subscriptions.values():
            subscription.items.put_event(event)

    def publish_now(self) -> None:
        """Let everybody know at once what has changed, however long his interval is."""
        for subscription in list(self.subscriptions.values()):
            subscription.items.look_now()
            subscription.cycle()

    def stop(self) -> None:
        """End all subscriptions."""
        for subscription in list(self.subscriptions.values()):
            self._remove(subscription)
        self._clock.stop()

    def make_room(self, owner: Owner, what: Shared, amount: int) -> bool:
        """Whether a session may have so much more: what nobody listens to makes room for it.

        The one goes first that has been without a session for longest, then the oldest of those
        whose client's connection is lost: whoever crashes and comes again is not in his own way.
        """
        if owner.account.room(what) >= amount:
            return True
        if owner.account.room(what, without_silent=True) < amount:
            return False
        lost = [one for one in self.subscriptions.values() if one.owner.is_lost]
        for silent in [*self._orphans(), *lost]:
            if silent.holding.has(what) and makes_room(silent.owner, owner.rank, owner.client):
                self._expire(silent)
                if owner.account.room(what) >= amount:
                    return True
        return False

    def _keep_share(self, owner: Owner) -> None:
        """What a session has left behind is its client's: of too much, the oldest has to go."""
        shares, client = self._shares, owner.client
        orphans = [one for one in self._orphans() if one.owner.client == client]
        while orphans and any(
            shares.room_of_client(what, owner.rank, client) < 0.0 for what in LEFT_BEHIND
        ):
            self._remove(orphans.pop(0))

    def _orphans(self) -> list[Subscription]:
        """Subscriptions without a session, the oldest first."""
        orphans = [one for one in self.subscriptions.values() if one.queue is None]
        return sorted(orphans, key=lambda one: one.orphan_since_s)

    def _give(self, subscription: Subscription, owner: Owner) -> None:
        subscription.owner = owner
        subscription.items.may_read = owner.may_read
        subscription.queue = owner.publish_queue
        subscription.session_id = owner.session_id
        subscription.heard()

    def _why_not(self, owner: Owner, subscription: Subscription) -> int:
        """Why a session may not have a subscription; 0 if it may."""
        if subscription.owner is None or not owner.may_have(subscription.owner):
            return int(ua.StatusCodes.BadUserAccessDenied)
        if subscription.queue is owner.publish_queue:
            return 0
        if len(self._those_of(owner)) >= self._limits.subscriptions_per_session:
            return int(ua.StatusCodes.BadTooManySubscriptions)
        return 0

    def _take_over(self, subscription: Subscription, owner: Owner) -> int:
        """Give a subscription to another session, and tell the one that had it; or why not."""
        holding = subscription.holding
        before = holding.has(Shared.CYCLES)
        holding.set(Shared.CYCLES, _cycles(subscription.terms))
        if not holding.move_to(owner.account):
            holding.set(Shared.CYCLES, before)
            return int(ua.StatusCodes.BadTooManySubscriptions)
        old, other = subscription.queue, subscription.owner
        same = other is not None and _application(other) == _application(owner)
        subscription.counts.transferred_to_same_client += same
        subscription.counts.transferred_to_other_client += not same
        subscription.tell(ua.StatusCodes.GoodSubscriptionTransferred)
        self._give(subscription, owner)
        if old is not None and all(s.queue is not old for s in self.subscriptions.values()):
            old.refuse_all(ua.StatusCodes.BadNoSubscription)
        return 0

    def _find(self, owner: Owner, number: int) -> Subscription | None:
        subscription = self.subscriptions.get(number)
        is_mine = subscription is not None and subscription.queue is owner.publish_queue
        return subscription if is_mine else None

    def of(self, owner: Owner, number: int) -> Subscription:
        """A subscription of a session; else raises ServiceError."""
        subscription = self._find(owner, number)
        if subscription is None:
            raise ServiceError(ua.StatusCodes.BadSubscriptionIdInvalid)
        return subscription

    def _those_of(self, owner: Owner) -> list[Subscription]:
        return [s for s in self.subscriptions.values() if s.queue is owner.publish_queue]

    def _expire(self, subscription: Subscription) -> None:
        """It is over for want of a listener; whoever has its session is told when he asks again."""
        subscription.tell(ua.StatusCodes.BadTimeout)
        self._remove(subscription)

    def _remove(self, subscription: Subscription) -> None:
        self.subscriptions.pop(subscription.number, None)
        subscription.stop()

    def _count_sent(self, count: int) -> None:
        self.notifications += count

    def _terms(self, params: Any, holding: Holding) -> Terms:
        """What becomes of a request; its publishing interval is as short as the share allows."""
        holding.set(Shared.CYCLES, 0)
        most_cycles = max(holding.room(Shared.CYCLES), LEAST_CYCLES)
        terms = revised_terms(
            params.RequestedPublishingInterval,
            params.RequestedMaxKeepAliveCount,
            params.RequestedLifetimeCount,
            params.MaxNotificationsPerPublish,
            params.Priority,
            max(self._limits.min_publishing_interval_ms, 1e3 / most_cycles),
        )
        holding.set(Shared.CYCLES, _cycles(terms))
        return terms


def _cycles(terms: Terms) -> int:
    """Of publishing, in a second."""
    return math.ceil(1e3 / terms.interval_ms)


def _application(owner: Owner) -> str | None:
    uri: str | None = owner.client_description.ApplicationUri
    return uri
