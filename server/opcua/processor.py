"""One client's connection: asyncua's, with the services that it lacks or does too slowly.

Publish and Republish are answered with bytes that are encoded already; SetTriggering is unknown to
asyncua; a method that takes its time must not hold up the requests behind it.
"""

import asyncio
import logging
import socket
import struct
from typing import Any

from asyncua import ua
from asyncua.common.utils import NotEnoughData, ServiceError
from asyncua.server.binary_server_asyncio import BinaryServer, OPCUAProtocol
from asyncua.server.uaprocessor import UaProcessor
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.ua_binary import struct_from_binary

from server.opcua.publish_queue import PublishRequest
from server.opcua.publish_response import republish_response
from server.opcua.session import CellSession
from server.opcua.subscription_service import CellSubscriptions

log = logging.getLogger("twincell.opcua")

MOST_UNREAD_BYTES = 8_000_000  # sent and not read by the client, before it gets no more; chosen


class CellProcessor(UaProcessor):
    """Answers the requests of one connection."""

    def __init__(self, subscriptions: CellSubscriptions, *parts: Any) -> None:
        super().__init__(*parts)
        self.subscriptions = subscriptions
        self._calls: set[asyncio.Task[None]] = set()  # that run

    @property
    def is_open(self) -> bool:
        return not self._transport.is_closing()

    @property
    def is_congested(self) -> bool:
        return bool(self._transport.get_write_buffer_size() > MOST_UNREAD_BYTES)

    def send(self, request: PublishRequest, response: bytes) -> None:
        """Send an encoded response."""
        self._send_bytes(request.sequence, response)

    def refuse(self, request: PublishRequest, status: int) -> None:
        """Send a ServiceFault."""
        self._send_fault(request.header, request.sequence, status)

    async def _process_message(self, typeid: Any, requesthdr: Any, seqhdr: Any, body: Any) -> Any:
        answer = OWN_SERVICES.get(typeid.Identifier) if typeid.NamespaceIndex == 0 else None
        try:
            if answer is None:
                return await super()._process_message(typeid, requesthdr, seqhdr, body)
            answer(self, self._active_session(), requesthdr, seqhdr, body)
        except (ValueError, struct.error, NotEnoughData) as error:
            # asyncua decodes here: a number that is no member of its enumeration, a short body
            log.warning("a request of %s makes no sense: %s", self.name, error)
            raise ServiceError(ua.StatusCodes.BadDecodingError) from error
        return True

    def _active_session(self) -> CellSession:
        session = self.session
        if not isinstance(session, CellSession):
            raise ServiceError(ua.StatusCodes.BadSessionIdInvalid)
        if not session.is_activated():
            raise ServiceError(ua.StatusCodes.BadSessionNotActivated)
        self.session_last_activity = asyncio.get_running_loop().time()
        session.touch()
        return session

    def _publish(self, session: CellSession, header: Any, sequence: Any, body: Any) -> None:
        acknowledgements = _acknowledgements(body)
        request = PublishRequest(self, header, sequence, [])
        self.subscriptions.publish(session, request, acknowledgements)

    def _republish(self, session: CellSession, header: Any, sequence: Any, body: Any) -> None:
        params = struct_from_binary(ua.RepublishParameters, body)
        message = self.subscriptions.republish(session, params)
        self._send_bytes(sequence, republish_response(header.RequestHandle, message))

    def _set_triggering(self, session: CellSession, header: Any, sequence: Any, body: Any) -> None:
        params = struct_from_binary(ua.SetTriggeringParameters, body)
        response = ua.SetTriggeringResponse()
        response.Parameters = self.subscriptions.set_triggering(session, params)
        self.send_response(header.RequestHandle, sequence, response)

    def _call(self, session: CellSession, header: Any, sequence: Any, body: Any) -> None:
        params = struct_from_binary(ua.CallParameters, body)
        task = asyncio.create_task(self._call_methods(session, header, sequence, params))
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)

    async def _call_methods(
        self, session: CellSession, header: Any, sequence: Any, params: ua.CallParameters
    ) -> None:
        response = ua.CallResponse()
        try:
            response.Results = await session.call(params.MethodsToCall)
        except (ServiceError, ua.uaerrors.UaStatusCodeError) as error:
            self._send_fault(header, sequence, error.code)
            return
        if self.is_open:
            self.send_response(header.RequestHandle, sequence, response)

    def _send_bytes(self, sequence: Any, response: bytes) -> None:
        data = self._connection.message_to_binary(response, request_id=sequence.RequestId)
        self._transport.write(data)

    def _send_fault(self, header: Any, sequence: Any, status: int) -> None:
        if not self.is_open:
            return
        response = ua.ServiceFault()
        response.ResponseHeader.ServiceResult = ua.StatusCode(status)
        self.send_response(header.RequestHandle, sequence, response)


OWN_SERVICES = {
    int(ObjectIds.PublishRequest_Encoding_DefaultBinary): CellProcessor._publish,
    int(ObjectIds.RepublishRequest_Encoding_DefaultBinary): CellProcessor._republish,
    int(ObjectIds.SetTriggeringRequest_Encoding_DefaultBinary): CellProcessor._set_triggering,
    int(ObjectIds.CallRequest_Encoding_DefaultBinary): CellProcessor._call,
}


def _acknowledgements(body: Any) -> list[ua.SubscriptionAcknowledgement]:
    """The parameters of a Publish request: pairs of subscription and sequence number."""
    count = struct.unpack("<i", body.read(4))[0]
    if count <= 0:
        return []
    numbers = struct.unpack(f"<{2 * count}I", body.read(8 * count))
    pairs = zip(numbers[::2], numbers[1::2], strict=True)
    return [ua.SubscriptionAcknowledgement(*pair) for pair in pairs]


class CellProtocol(OPCUAProtocol):
    """A connection whose requests go to a CellProcessor."""

    processor: UaProcessor | None

    def __init__(self, subscriptions: CellSubscriptions, **parts: Any) -> None:
        super().__init__(**parts)
        self._subscriptions = subscriptions

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept a client."""
        super().connection_made(transport)
        # a small answer must not wait until the last one was acknowledged, up to 40 ms later
        connection = transport.get_extra_info("socket")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.processor is not None:
            parts = (self.iserver, self.transport, self.limits)
            self.processor = CellProcessor(self._subscriptions, *parts)
            self.processor.set_policies(self.policies)


class CellBinaryServer(BinaryServer):
    """Listens for clients."""

    subscriptions: CellSubscriptions
    listening: socket.socket

    async def start(self) -> None:
        """Accept clients at a socket that is bound already."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._make_protocol, sock=self.listening)
        self.cleanup_task = asyncio.create_task(self._close_task_loop())

    def _make_protocol(self) -> OPCUAProtocol:
        return CellProtocol(
            self.subscriptions,
            iserver=self.iserver,
            policies=self._policies,
            clients=self.clients,
            closing_tasks=self.closing_tasks,
            limits=self.limits,
        )
