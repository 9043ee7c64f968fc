"""A client's session: asyncua's, with our services behind it."""

from collections.abc import Callable
from typing import Any

from asyncua import ua
from asyncua.crypto.permission_rules import User, UserRole
from asyncua.server.internal_server import InternalServer
from asyncua.server.internal_session import InternalSession, SessionState
from asyncua.server.user_managers import UserManager

from server.opcua.attributes import CellAttributes
from server.opcua.control import Control
from server.opcua.methods import CellMethods
from server.opcua.publish_queue import PublishQueue
from server.opcua.subscription_service import CellSubscriptions


class Services:
    """What sessions ask."""

    def __init__(
        self,
        attributes: CellAttributes,
        methods: CellMethods,
        subscriptions: CellSubscriptions,
        control: Control,
    ) -> None:
        self.attributes = attributes
        self.methods = methods
        self.subscriptions = subscriptions
        self.control = control


class CellSession(InternalSession):
    """One client."""

    def __init__(self, iserver: InternalServer, services: Services, name: str) -> None:
        user = User(role=UserRole.User)
        super().__init__(iserver, iserver.aspace, iserver.subscription_service, name, user, True)
        self._services = services
        self.publish_queue = PublishQueue()
        self.client_name = ""
        self.outside_before = services.control.outside_commands

    @property
    def is_closed(self) -> bool:
        return self.state is SessionState.Closed

    async def create_session(
        self, params: ua.CreateSessionParameters, sockname: tuple[str, int] | None = None
    ) -> ua.CreateSessionResult:
        """Create the session, and remember what the client calls it."""
        self.client_name = params.SessionName or ""
        return await super().create_session(params, sockname)

    async def close_session(self, delete_subs: bool = True) -> None:
        """End the session; what it commanded stays, but nobody commands any more."""
        self._services.subscriptions.session_closed(self, delete_subs)
        self._services.control.session_closed(self.session_id)
        await super().close_session(False)

    async def write(self, params: ua.WriteParameters) -> list[ua.StatusCode]:
        return await self._services.attributes.write(params, self)

    async def call(self, params: list[ua.CallMethodRequest]) -> list[ua.CallMethodResult]:
        return await self._services.methods.call(params, self)

    async def create_subscription(
        self, params: ua.CreateSubscriptionParameters, *_: Any, **__: Any
    ) -> ua.CreateSubscriptionResult:
        return self._services.subscriptions.create(self, params)

    def modify_subscription(
        self, params: ua.ModifySubscriptionParameters
    ) -> ua.ModifySubscriptionResult:
        return self._services.subscriptions.modify(self, params)

    async def delete_subscriptions(self, ids: list[int]) -> list[ua.StatusCode]:
        return self._services.subscriptions.delete(self, ids)

    async def set_publishing_mode(
        self, params: ua.SetPublishingModeParameters
    ) -> list[ua.StatusCode]:
        return self._services.subscriptions.set_publishing(self, params)

    async def transfer_subscriptions(
        self, params: ua.TransferSubscriptionsParameters, callback: Callable[..., Any]
    ) -> list[ua.TransferResult]:
        return self._services.subscriptions.transfer(self, params)

    async def create_monitored_items(
        self, params: ua.CreateMonitoredItemsParameters
    ) -> list[ua.MonitoredItemCreateResult]:
        return self._services.subscriptions.create_items(self, params)

    async def modify_monitored_items(
        self, params: ua.ModifyMonitoredItemsParameters
    ) -> list[ua.MonitoredItemModifyResult]:
        return self._services.subscriptions.modify_items(self, params)

    async def delete_monitored_items(
        self, params: ua.DeleteMonitoredItemsParameters
    ) -> list[ua.StatusCode]:
        return self._services.subscriptions.delete_items(self, params)

    async def set_monitoring_mode(
        self, params: ua.SetMonitoringModeParameters
    ) -> list[ua.StatusCode]:
        return self._services.subscriptions.set_mode(self, params)


class PlainUsers(UserManager):
    """Every client is an ordinary user: nobody may change the address space."""

    def get_user(self, *_: Any, **__: Any) -> User:
        return User(role=UserRole.User)
