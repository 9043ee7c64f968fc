"""Methods of the Server object that a client calls when it comes back to its subscriptions.

GetMonitoredItems   tells the items of a subscription, to a client that has lost its own list
ResendData          lets all items report once more, to a client that has lost their values

They are about what a session has already, so every session may call them.

    OPC UA part 5, 9.1 and 9.2
"""

from collections.abc import Sequence
from typing import Any, cast

from asyncua import ua

from twincell.server.opcua.command.arbitration import Commander
from twincell.server.opcua.method.methods import Method
from twincell.server.opcua.session.rights import GET_MONITORED_ITEMS, RESEND_DATA
from twincell.server.opcua.subscription.subscription import Subscription
from twincell.server.opcua.subscription.subscription_service import CellSubscriptions, Owner


class SubscriptionMethods:
    """What a session can ask about a subscription of its own."""

    def __init__(self, subscriptions: CellSubscriptions) -> None:
        self._subscriptions = subscriptions

    def by_node(self) -> dict[ua.NodeId, Method]:
        return {GET_MONITORED_ITEMS: self._get_monitored_items, RESEND_DATA: self._resend_data}

    async def _get_monitored_items(self, session: Commander, values: list[Any]) -> Sequence[Any]:
        handles = self._own(session, *values).items.handles
        return list(handles), list(handles.values())

    async def _resend_data(self, session: Commander, values: list[Any]) -> Sequence[Any]:
        self._own(session, *values).items.report_again()
        return ()

    def _own(self, session: Commander, number: int) -> Subscription:
        subscription = self._subscriptions.subscriptions.get(number)
        if subscription is None:
            raise ua.uaerrors.BadSubscriptionIdInvalid
        if subscription.queue is not cast(Owner, session).publish_queue:
            raise ua.uaerrors.BadUserAccessDenied
        subscription.heard()
        return subscription
