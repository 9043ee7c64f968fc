"""The monitored item services: everything a client can ask about the items of a subscription.

OPC UA part 4, 5.13
"""

from collections.abc import Sequence
from typing import Any

from asyncua import ua
from asyncua.common.utils import ServiceError

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.operations import check_count, in_portions
from twincell.server.opcua.shares import Shared, ShareUsedUp
from twincell.server.opcua.subscription.item_rules import Asking
from twincell.server.opcua.subscription.sample_encoding import Times
from twincell.server.opcua.subscription.subscription import Subscription
from twincell.server.opcua.subscription.subscription_service import CellSubscriptions, Owner


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
        most = self._limits.monitored_items_per_subscription
        if len(subscription.items) + len(asked) > most:
            raise ServiceError(ua.StatusCodes.BadTooManyMonitoredItems)
        self._subscriptions.make_room(owner, Shared.ITEMS, len(asked))
        results = []
        with subscription.items.room_for(len(asked)) as there_is_room:
            if not there_is_room:
                why = owner.account.why_no_more(Shared.ITEMS)
                raise ShareUsedUp(ua.StatusCodes.BadTooManyMonitoredItems, why)
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
        return [(request, Asking(wanted, interval_ms)) for request in requests]


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
