"""The monitored item services: everything a client can ask about the items of a subscription.

OPC UA part 4, 5.13
"""

from collections.abc import Sequence
from typing import Any

from asyncua import ua
from asyncua.common.utils import ServiceError

from server.opcua.limits import Limits
from server.opcua.operations import check_count, in_portions
from server.opcua.subscription.item_rules import Asking
from server.opcua.subscription.sample_encoding import Times
from server.opcua.subscription.subscription import Subscription
from server.opcua.subscription.subscription_service import CellSubscriptions, Owner


class CellItems:
    """The monitored items of all subscriptions."""

    def __init__(self, subscriptions: CellSubscriptions, limits: Limits) -> None:
        self._subscriptions = subscriptions
        self._limits = limits

    async def create(
        self, owner: Owner, params: ua.CreateMonitoredItemsParameters
    ) -> list[ua.MonitoredItemCreateResult]:
        """CreateMonitoredItems."""
        subscription = self._subscriptions.of(owner, params.SubscriptionId)
        asked = self._asked(subscription, params.ItemsToCreate, params.TimestampsToReturn)
        self._check_room(subscription, len(asked))
        results = []
        async for request, asking in in_portions(asked):
            self._subscriptions.of(owner, params.SubscriptionId)  # it may be over meanwhile
            results.append(subscription.items.create(request, asking))
        return results

    async def modify(
        self, owner: Owner, params: ua.ModifyMonitoredItemsParameters
    ) -> list[ua.MonitoredItemModifyResult]:
        """ModifyMonitoredItems."""
        subscription = self._subscriptions.of(owner, params.SubscriptionId)
        asked = self._asked(subscription, params.ItemsToModify, params.TimestampsToReturn)
        results = []
        async for request, asking in in_portions(asked):
            self._subscriptions.of(owner, params.SubscriptionId)  # it may be over meanwhile
            results.append(subscription.items.modify(request, asking))
        return results

    async def delete(
        self, owner: Owner, params: ua.DeleteMonitoredItemsParameters
    ) -> list[ua.StatusCode]:
        """DeleteMonitoredItems."""
        subscription = self._subscriptions.of(owner, params.SubscriptionId)
        check_count(params.MonitoredItemIds, self._limits.monitored_item_calls)
        subscription.heard()
        results = []
        async for number in in_portions(params.MonitoredItemIds):
            self._subscriptions.of(owner, params.SubscriptionId)  # it may be over meanwhile
            results.append(ua.StatusCode(subscription.items.delete(number)))
        return results

    async def set_mode(
        self, owner: Owner, params: ua.SetMonitoringModeParameters
    ) -> list[ua.StatusCode]:
        """SetMonitoringMode."""
        subscription = self._subscriptions.of(owner, params.SubscriptionId)
        check_count(params.MonitoredItemIds, self._limits.monitored_item_calls)
        mode = _mode(params.MonitoringMode)
        subscription.heard()
        results = []
        async for number in in_portions(params.MonitoredItemIds):
            self._subscriptions.of(owner, params.SubscriptionId)  # it may be over meanwhile
            results.append(ua.StatusCode(subscription.items.set_mode(number, mode)))
        return results

    def set_triggering(
        self, owner: Owner, params: ua.SetTriggeringParameters
    ) -> ua.SetTriggeringResult:
        """SetTriggering."""
        subscription = self._subscriptions.of(owner, params.SubscriptionId)
        add, remove = params.LinksToAdd or [], params.LinksToRemove or []
        check_count([*add, *remove], self._limits.monitored_item_calls)
        if params.TriggeringItemId not in subscription.items:
            raise ServiceError(ua.StatusCodes.BadMonitoredItemIdInvalid)
        subscription.heard()
        return subscription.items.link(params.TriggeringItemId, add, remove)

    def _asked(
        self, subscription: Subscription, requests: Sequence[Any], times: Any
    ) -> list[tuple[Any, Asking]]:
        """Each item of a request, with what the request says about all of them."""
        check_count(requests, self._limits.monitored_item_calls)
        wanted, interval_ms = _times(times), subscription.terms.interval_ms
        subscription.heard()
        left = range(len(requests), 0, -1)
        return [(r, Asking(wanted, interval_ms, n)) for r, n in zip(requests, left, strict=True)]

    def _check_room(self, subscription: Subscription, count: int) -> None:
        """There may be so many more items."""
        limits = self._limits
        everywhere = sum(len(one.items) for one in self._subscriptions.subscriptions.values())
        if (
            len(subscription.items) + count > limits.monitored_items_per_subscription
            or everywhere + count > limits.monitored_items
        ):
            raise ServiceError(ua.StatusCodes.BadTooManyMonitoredItems)


def _times(asked: Any) -> Times:
    try:
        return Times(int(asked))
    except ValueError:
        raise ServiceError(ua.StatusCodes.BadTimestampsToReturnInvalid) from None


def _mode(asked: Any) -> ua.MonitoringMode:
    try:
        return ua.MonitoringMode(asked)
    except ValueError:
        raise ServiceError(ua.StatusCodes.BadMonitoringModeInvalid) from None
