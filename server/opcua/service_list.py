"""All services of the server, and who answers each.

Whatever is not listed here is BadServiceUnsupported: nodes that are added or deleted, queries,
other servers that want to register.                                            OPC UA part 4, 5
"""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from asyncua import ua
from asyncua.common.utils import ServiceError

from twincell.server.opcua.attribute.attributes import CellAttributes
from twincell.server.opcua.command.arbitration import Control
from twincell.server.opcua.diagnostic.audit import Audit
from twincell.server.opcua.fault.client_faults import ClientFaults
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.method.methods import CellMethods
from twincell.server.opcua.operations import check_count, in_portions
from twincell.server.opcua.services import Asked, Service, Waits
from twincell.server.opcua.session.session import Session
from twincell.server.opcua.session.session_service import Sessions
from twincell.server.opcua.subscription.item_service import CellItems
from twincell.server.opcua.subscription.publish_queue import PublishRequest
from twincell.server.opcua.subscription.publish_response import republish_response
from twincell.server.opcua.subscription.subscription_service import CellSubscriptions
from twincell.server.opcua.view import discovery
from twincell.server.opcua.view.view import CellView
from twincell.server.opcua.wire.background import encoded_apart
from twincell.server.opcua.wire.decoding import decoded, decoded_acknowledgements
from twincell.server.opcua.wire.endpoints import endpoints
from twincell.server.security.roles import Role
from twincell.server.security.security import Security

SESSIONLESS = ("CreateSession", "ActivateSession", "CloseSession", "GetEndpoints", "FindServers")


class CellServices:
    """What answers the clients of a cell."""

    def __init__(
        self,
        description: ua.ApplicationDescription,
        security: Security,
        limits: Limits,
        sessions: Sessions,
        attributes: CellAttributes,
        view: CellView,
        methods: CellMethods,
        subscriptions: CellSubscriptions,
        items: CellItems,
        control: Control,
        client_faults: ClientFaults,
        audit: Audit,
    ) -> None:
        self._description = description
        self._security = security
        self._limits = limits
        self._sessions = sessions
        self._attributes = attributes
        self._view = view
        self._methods = methods
        self._subscriptions = subscriptions
        self._items = items
        self._control = control
        self._client_faults = client_faults
        self._audit = audit

    def all(self) -> list[Service]:
        """Every service, by its name in the standard."""
        subscriptions, items, view = self._subscriptions, self._items, self._view
        return [
            _service("GetEndpoints", self._get_endpoints),
            _service("FindServers", self._find_servers),
            _service("CreateSession", self._create_session),
            _service("ActivateSession", self._activate_session, waits=Waits.ITS_CLIENT),
            _service("CloseSession", self._close_session, ua.Boolean),
            _service("Cancel", self._cancel),
            _service("Read", self._read),
            _service("HistoryRead", self._history_read),
            _service("Write", self._write),
            _service("Call", self._call, waits=Waits.NOBODY),
            _service(
                "Browse",
                _results(ua.BrowseResponse, _in_a_thread(view.browse)),
                waits=Waits.LONG_ONES,
            ),
            _service(
                "BrowseNext",
                _parameters(ua.BrowseNextResponse, _in_a_thread(view.browse_next)),
                waits=Waits.LONG_ONES,
            ),
            _service("TranslateBrowsePathsToNodeIds", self._translate, waits=Waits.LONG_ONES),
            _service("RegisterNodes", self._register_nodes),
            _service("UnregisterNodes", self._unregister_nodes),
            _service("CreateMonitoredItems", self._create_items),
            _service("ModifyMonitoredItems", _told_why(self._modify_items)),
            _service(
                "DeleteMonitoredItems",
                _results(ua.DeleteMonitoredItemsResponse, items.delete),
            ),
            _service(
                "SetMonitoringMode",
                _parameters(ua.SetMonitoringModeResponse, items.set_mode),
            ),
            _service(
                "SetTriggering",
                _told_why(_result(ua.SetTriggeringResponse, items.set_triggering)),
            ),
            _service("CreateSubscription", self._create_subscription),
            _service("ModifySubscription", self._modify_subscription),
            _service("DeleteSubscriptions", self._delete_subscriptions),
            _service(
                "SetPublishingMode",
                _parameters(ua.SetPublishingModeResponse, subscriptions.set_publishing),
            ),
            _service(
                "TransferSubscriptions",
                _told_why(_parameters(ua.TransferSubscriptionsResponse, subscriptions.transfer)),
            ),
            Service("Publish", decoded_acknowledgements, self._publish),
            _service("Republish", self._republish),
        ]

    # ---------------------------------------------------------------- discovery and sessions

    async def _get_endpoints(self, asked: Asked, params: ua.GetEndpointsParameters) -> Any:
        response = ua.GetEndpointsResponse()
        response.Endpoints = self._endpoints(asked, params)
        return response

    def _endpoints(
        self, asked: Asked, params: ua.GetEndpointsParameters
    ) -> list[ua.EndpointDescription]:
        """Endpoints that this client can use, with the address that it used."""
        is_local = asked.connection.is_local
        offered = endpoints(
            self._description,
            "",
            self._security.own,
            self._security.anonymous(is_local) is not Role.NOBODY,
            self._security.allows_plain(is_local),
        )
        return discovery.get_endpoints(params, offered, asked.connection.local_address)

    async def _find_servers(self, asked: Asked, params: ua.FindServersParameters) -> Any:
        response = ua.FindServersResponse()
        response.Servers = discovery.find_servers(
            params, self._description, asked.connection.local_address
        )
        return response

    async def _create_session(self, asked: Asked, params: ua.CreateSessionParameters) -> Any:
        response = ua.CreateSessionResponse()
        offered = self._endpoints(asked, ua.GetEndpointsParameters(params.EndpointUrl))
        try:
            response.Parameters = self._sessions.create(
                asked.connection, params, offered, self._control.outside_commands
            )
        except ServiceError as refusal:
            self._audit.session_created(asked.request, None, refusal.code)
            raise
        session = self._session(response.Parameters.AuthenticationToken)
        self._audit.session_created(asked.request, session, ua.StatusCodes.Good)
        return response

    async def _activate_session(self, asked: Asked, params: ua.ActivateSessionParameters) -> Any:
        response = ua.ActivateSessionResponse()
        request, given = asked.request, params.UserIdentityToken
        try:
            response.Parameters = await self._sessions.activate(
                asked.connection, asked.token, params
            )
        except ServiceError as refusal:
            session = self._session(asked.token)
            self._audit.session_activated(request, session, given, refusal.code)
            raise
        session = self._session(asked.token)
        self._audit.session_activated(request, session, given, ua.StatusCodes.Good)
        asked.connection.session_activated()
        return response

    def _session(self, token: ua.NodeId) -> Session | None:
        """The session with a token, for whoever wants to tell of it."""
        return next((one for one in self._sessions if one.token == token), None)

    async def _close_session(self, asked: Asked, delete_subscriptions: bool) -> Any:
        self._sessions.close(asked.connection, asked.token, delete_subscriptions)
        return ua.CloseSessionResponse()

    async def _cancel(self, asked: Asked, params: ua.CancelParameters) -> Any:
        response = ua.CancelResponse()
        response.Parameters.CancelCount = asked.session.publish_queue.cancel(params.RequestHandle)
        return response

    # ---------------------------------------------------------------- attributes and methods

    async def _read(self, asked: Asked, params: ua.ReadParameters) -> Any:
        if self._client_faults.are_there and self._attributes.reads_signals(params):
            self._client_faults.expose(asked.request, asked.session)
        response = ua.ReadResponse()
        response.Results = await self._attributes.read_for(asked.session, params)
        return response

    async def _history_read(self, asked: Asked, params: ua.HistoryReadParameters) -> Any:
        """There is no history; whoever may not read a node is not told even that."""
        check_count(params.NodesToRead, self._limits.read_nodes)
        response = ua.HistoryReadResponse()
        response.Results = [
            ua.HistoryReadResult(
                ua.StatusCode(self._attributes.why_no_history(asked.session, one.NodeId))
            )
            async for one in in_portions(params.NodesToRead)
        ]
        return response

    async def _write(self, asked: Asked, params: ua.WriteParameters) -> Any:
        self._client_faults.expose(asked.request, asked.session)
        response = ua.WriteResponse()
        values = params.NodesToWrite or []
        check_count(values, self._limits.write_nodes)
        before = await self._attributes.commanded(values) if self._audit.is_heard else None
        response.Results = await self._attributes.write_for(asked.session, params)
        if before is not None:
            self._audit.written(asked.request, asked.session, values, before, response.Results)
        return response

    async def _call(self, asked: Asked, params: ua.CallParameters) -> Any:
        response = ua.CallResponse()
        response.Results = await self._methods.call_for(asked.session, params.MethodsToCall)
        self._audit.called(asked.request, asked.session, params.MethodsToCall, response.Results)
        return response

    # ---------------------------------------------------------------- view

    async def _translate(
        self, asked: Asked, params: ua.TranslateBrowsePathsToNodeIdsParameters
    ) -> Any:
        response = ua.TranslateBrowsePathsToNodeIdsResponse()
        response.Results = await asyncio.to_thread(self._view.translate, params)
        return response

    async def _register_nodes(self, asked: Asked, params: ua.RegisterNodesParameters) -> Any:
        response = ua.RegisterNodesResponse()
        response.Parameters.RegisteredNodeIds = self._view.register(params)
        return response

    async def _unregister_nodes(self, asked: Asked, params: ua.UnregisterNodesParameters) -> Any:
        self._view.unregister(params)
        return ua.UnregisterNodesResponse()

    # ---------------------------------------------------------------- subscriptions

    async def _create_items(self, asked: Asked, params: ua.CreateMonitoredItemsParameters) -> None:
        """Answered before the first of the new items reports: its client has to know them."""
        response, account = ua.CreateMonitoredItemsResponse(), asked.session.account
        account.short_of = None
        with self._subscriptions.held(asked.session, params.SubscriptionId):
            response.Results = await self._items.create(asked.session, params)
            asked.request.explain(response, account.why_short)
            asked.request.send(await encoded_apart(asked.request.encoded, response))

    async def _modify_items(self, asked: Asked, params: ua.ModifyMonitoredItemsParameters) -> Any:
        response = ua.ModifyMonitoredItemsResponse()
        response.Results = await self._items.modify(asked.session, params)
        return response

    async def _create_subscription(
        self, asked: Asked, params: ua.CreateSubscriptionParameters
    ) -> Any:
        response = ua.CreateSubscriptionResponse()
        response.Parameters = self._subscriptions.create(asked.session, params)
        return self._explained(asked, params, response)

    async def _modify_subscription(
        self, asked: Asked, params: ua.ModifySubscriptionParameters
    ) -> Any:
        response = ua.ModifySubscriptionResponse()
        response.Parameters = self._subscriptions.modify(asked.session, params)
        return self._explained(asked, params, response)

    def _explained(self, asked: Asked, params: Any, response: Any) -> Any:
        """Let a response say why publishing is slower than was asked for, if it is."""
        given_ms = response.Parameters.RevisedPublishingInterval
        wanted_ms = params.RequestedPublishingInterval
        asked.request.explain(
            response, self._subscriptions.why_slower(asked.session, wanted_ms, given_ms)
        )
        return response

    async def _delete_subscriptions(
        self, asked: Asked, params: ua.DeleteSubscriptionsParameters
    ) -> Any:
        response = ua.DeleteSubscriptionsResponse()
        response.Results = self._subscriptions.delete(asked.session, params.SubscriptionIds)
        return response

    async def _publish(self, asked: Asked, acknowledged: list[tuple[int, int]]) -> None:
        """Answered later, when there is something to tell."""
        self._client_faults.expose(asked.request, asked.session)
        self._subscriptions.publish(asked.session, PublishRequest(asked.request), acknowledged)

    async def _republish(self, asked: Asked, params: ua.RepublishParameters) -> bytes:
        self._client_faults.expose(asked.request, asked.session)
        message = self._subscriptions.republish(asked.session, params)
        return republish_response(asked.request.header.RequestHandle, message)


Answer = Callable[[Asked, Any], Awaitable[Any]]
Serve = Callable[[Session, Any], list[Any] | Awaitable[list[Any]]]


async def _done(results: list[Any] | Awaitable[list[Any]]) -> list[Any]:
    return results if isinstance(results, list) else await results


def _service(
    name: str, answer: Answer, parameters: Any = None, waits: Waits = Waits.EVERYBODY
) -> Service:
    """A service whose request holds the standard's parameters, or those given."""
    structure = parameters or getattr(ua, f"{name}Parameters")
    return Service(name, partial(decoded, structure), answer, name not in SESSIONLESS, waits)


def _in_a_thread(serve: Callable[[Session, Any], list[Any]]) -> "Serve":
    """A service that may take long, and looks at nothing that others change."""
    return lambda session, params: asyncio.to_thread(serve, session, params)


def _told_why(answer: Answer) -> Answer:
    """A service whose response says why, if an operation was refused for want of a share."""

    async def explained(asked: Asked, params: Any) -> Any:
        account = asked.session.account
        account.short_of = None
        response = await answer(asked, params)
        asked.request.explain(response, account.why_short)
        return response

    return explained


def _results(response: type[Any], serve: "Serve") -> Answer:
    """A service with one result for each operation."""

    async def answer(asked: Asked, params: Any) -> Any:
        made = response()
        made.Results = await _done(serve(asked.session, params))
        return made

    return answer


def _parameters(response: type[Any], serve: "Serve") -> Answer:
    """The same, for responses that asyncua has wrapped once more."""

    async def answer(asked: Asked, params: Any) -> Any:
        made = response()
        made.Parameters.Results = await _done(serve(asked.session, params))
        return made

    return answer


def _result(response: type[Any], serve: Callable[[Session, Any], Any]) -> Answer:
    """A service with a single result."""

    async def answer(asked: Asked, params: Any) -> Any:
        made = response()
        made.Parameters = serve(asked.session, params)
        return made

    return answer
