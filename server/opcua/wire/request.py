"""A request, and the way back for its answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from asyncua import ua
from asyncua.ua.ua_binary import struct_to_binary

if TYPE_CHECKING:
    from twincell.server.opcua.wire.connection import Connection

ADDITIONAL_INFO = 0x04  # of the service, in ReturnDiagnostics; part 4, 7.32
ANY_SIZE = 0xFFFF_FFFF  # bytes: no message has more, as its length is a UInt32


class Request:
    """A request as it came."""

    def __init__(self, connection: Connection, type_id: ua.NodeId, header: Any, number: int):
        self.connection = connection
        self.type_id = type_id
        self.header: ua.RequestHeader = header
        self.number = number  # that its answer must carry
        self.session_room = ANY_SIZE  # bytes of an answer that the client of its session can take
        # whether something on its way takes its answer
        self.on_its_way: Callable[[bytes], bool] | None = None

    @property
    def room(self) -> int:
        """Bytes that its answer may have."""
        return min(self.session_room, self.connection.room)

    @property
    def is_open(self) -> bool:
        return self.connection.is_open

    @property
    def is_congested(self) -> bool:
        return self.connection.is_congested

    def send(self, response: bytes) -> None:
        """Send an encoded response, unless something on its way takes it."""
        if self.on_its_way is None or not self.on_its_way(response):
            self.send_now(response)

    def send_now(self, response: bytes) -> None:
        """Send an encoded response, if its client can take it."""
        if len(response) <= self.room:
            self.connection.send(self.number, response)
        else:
            self.refuse(ua.StatusCodes.BadResponseTooLarge)

    def encoded(self, response: Any) -> bytes:
        """A response to this request, as it is sent."""
        response.ResponseHeader.RequestHandle = self.header.RequestHandle
        return bytes(struct_to_binary(response))

    def answer(self, response: Any) -> None:
        """Encode and send a response."""
        self.send(self.encoded(response))

    def explain(self, response: Any, why: str) -> None:
        """Let a response say why it is not what was asked for, if its client wants to know."""
        if why and self.header.ReturnDiagnostics & ADDITIONAL_INFO:
            response.ResponseHeader.ServiceDiagnostics = ua.DiagnosticInfo(AdditionalInfo=why)

    def refuse(self, status: int, why: str = "") -> None:
        """Send a ServiceFault, which is small enough for everybody."""
        fault = ua.ServiceFault()
        fault.ResponseHeader.ServiceResult = ua.StatusCode(status)
        self.explain(fault, why)
        response = self.encoded(fault)
        if self.on_its_way is None or not self.on_its_way(response):
            self.connection.send(self.number, response)
