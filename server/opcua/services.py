"""Requests find the service that answers them.

A request names its service by the type of its structure and its session by a token. What makes no
sense or is not allowed gets a ServiceFault, and changes nothing.

Long requests of all clients stand in a line of their own: one after the other is decoded and
answered, in a thread where that takes long, while short ones, Publish above all, go past them.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from enum import Enum
from typing import Any

from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.diagnostic.diagnostics import Counters
from twincell.server.opcua.session.session import Session
from twincell.server.opcua.wire.background import encoded_apart
from twincell.server.opcua.wire.connection import Connection
from twincell.server.opcua.wire.decoding import LimitedBuffer
from twincell.server.opcua.wire.request import ANY_SIZE, Request
from twincell.server.opcua.wire.turns import Turns

MOST_CALLS = 32  # of one connection that are not over; chosen
SHORT_BYTES = 2_048  # of a request that is answered in its turn: some milliseconds; measured

log = logging.getLogger("twincell.opcua")


class Waits(Enum):
    """Who waits while a request is answered."""

    EVERYBODY = 0  # it takes no time
    ITS_CLIENT = 1  # other clients go on
    NOBODY = 2  # the client's own next requests go on as well
    LONG_ONES = 3  # its client, and whoever asks for something long too


class Asked:
    """A request, and the session that it belongs to."""

    def __init__(self, request: Request, session: Session | None) -> None:
        self.request = request
        self._session = session

    @property
    def session(self) -> Session:
        """The active session; only of services that need one."""
        assert self._session is not None
        return self._session

    @property
    def connection(self) -> Connection:
        return self.request.connection

    @property
    def token(self) -> ua.NodeId:
        """Which session the request says it belongs to."""
        return self.request.header.AuthenticationToken


@dataclass(frozen=True)
class Service:
    """One service."""

    name: str
    read: Callable[[LimitedBuffer], Any]  # its parameters from a request
    # (who asks, parameters) → response as a structure, as bytes, or none yet
    answer: Callable[[Asked, Any], Awaitable[Any]]
    needs_session: bool = True  # an active one
    waits: Waits = Waits.EVERYBODY


class Dispatcher:
    """Finds who answers a request."""

    def __init__(
        self,
        services: list[Service],
        session_of: Callable[[Connection, ua.NodeId], Session],
        lost: Callable[[Connection], None],
        counters: Counters,
    ) -> None:
        self._services = {_request_type(one.name): one for one in services}
        self._session_of = session_of
        self._lost = lost
        self._counters = counters
        self._line = Turns()  # of long requests
        self._long: set[asyncio.Task[None]] = set()  # requests that wait there or are answered

    def connection_lost(self, connection: Connection) -> None:
        """A connection is gone."""
        self._lost(connection)

    async def answer(
        self, request: Request, body: LimitedBuffer
    ) -> Coroutine[Any, Any, None] | None:
        """Answer a request; or what remains to be done, which may take its time."""
        session, service = None, self._services.get(request.type_id)
        try:
            if service is None:
                raise ServiceError(ua.StatusCodes.BadServiceUnsupported)
            if service.needs_session:
                token = request.header.AuthenticationToken
                session = self._session_of(request.connection, token)
                session.requests.count(service.name)
                request.session_room = session.max_response_bytes or ANY_SIZE
            if service.waits is Waits.NOBODY and request.connection.n_call >= MOST_CALLS:
                raise ServiceError(ua.StatusCodes.BadTooManyOperations)
            if service.waits is Waits.LONG_ONES or len(body) > SHORT_BYTES:
                return self._to_its_end(self._answer_in_line(service, request, session, body))
            params = service.read(body)
        except ServiceError as error:
            self._refuse(request, session, service, error.code)
            return None
        return await self._begin(service, params, request, session)

    async def _answer_in_line(
        self, service: Service, request: Request, session: Session | None, body: LimitedBuffer
    ) -> None:
        """Answer a request that is long, or whose answer may be."""
        async with self._line.of(request.connection.long_time_used):
            try:
                params = await asyncio.to_thread(service.read, body)
                if session is not None:  # it may have ended or moved meanwhile
                    self._session_of(request.connection, request.header.AuthenticationToken)
            except ServiceError as error:
                self._refuse(request, session, service, error.code)
                return
            rest = await self._begin(service, params, request, session)
            if service.waits is Waits.LONG_ONES and rest is not None:
                await rest
                return
        if rest is not None:
            await rest

    async def _to_its_end(self, work: Coroutine[Any, Any, None]) -> None:
        """Wait for work that goes on if its client leaves: no thread can be called back."""
        task = asyncio.create_task(work)
        self._long.add(task)
        task.add_done_callback(self._long.discard)
        await asyncio.shield(task)

    async def _begin(
        self, service: Service, params: Any, request: Request, session: Session | None
    ) -> Coroutine[Any, Any, None] | None:
        """Answer a request whose parameters are known; or what others need not wait for."""
        work = self._run(service, params, request, session)
        if service.waits in (Waits.ITS_CLIENT, Waits.LONG_ONES):
            return work
        if service.waits is Waits.NOBODY:
            request.connection.start(work)
        else:
            await work
        return None

    async def _run(
        self, service: Service, params: Any, request: Request, session: Session | None
    ) -> None:
        try:
            response = await service.answer(Asked(request, session), params)
        except (ServiceError, ua.uaerrors.UaStatusCodeError) as error:
            self._refuse(request, session, service, error.code, getattr(error, "why", ""))
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("a %s request of %s failed", service.name, request.connection.name)
            self._refuse(request, session, service, ua.StatusCodes.BadInternalError)
        else:
            if isinstance(response, bytes):
                request.send(response)
            elif response is not None:
                request.send(await encoded_apart(request.encoded, response))

    def _refuse(
        self,
        request: Request,
        session: Session | None,
        service: Service | None,
        status: int,
        why: str = "",
    ) -> None:
        self._counters.rejected_requests += 1
        if session is not None and service is not None:
            session.requests.failed(service.name)
            session.requests.unauthorised += status == ua.StatusCodes.BadUserAccessDenied
        request.refuse(status, why)


def _request_type(name: str) -> ua.NodeId:
    return ua.NodeId(getattr(ObjectIds, f"{name}Request_Encoding_DefaultBinary"))
