"""A client that keeps to no rule: every byte that it sends is its own choice.

It can behave as well, so that it gets far enough: open a channel, log in, ask.
"""

import select
import struct
import time
from typing import Any

from asyncua import ua
from asyncua.ua.ua_binary import struct_to_binary

from bench.ua_user import user_token
from bench.ua_wire import HEAD, ConnectionEnded, Wire, decoded

PATIENCE_S = 20.0


class Intruder(Wire):
    """One connection with an open channel, and perhaps a session."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(endpoint)
        self._endpoint = endpoint
        self.token: Any = ua.NodeId()
        self.answers: dict[int, bytes] = {}  # that nobody has taken yet, by request

    def __enter__(self) -> "Intruder":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---------------------------------------------------------------- as it should be

    def ask(self, request: Any, response: Any = None) -> Any:
        """Send a request and wait for its answer; a ServiceFault raises its status."""
        kind = response or getattr(ua, type(request).__name__.replace("Request", "Response"))
        number = self.send(self.encoded(request))
        return decoded(kind, self.answer_to(number))

    def encoded(self, request: Any) -> bytes:
        """A request of this session."""
        request.RequestHeader.AuthenticationToken = self.token
        return bytes(struct_to_binary(request))

    def answer_to(self, number: int, within_s: float = PATIENCE_S) -> bytes:
        """The answer to a request; a TimeoutError if there is none."""
        end_s = time.monotonic() + within_s
        while number not in self.answers:
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not select.select([self.socket], [], [], left_s)[0]:
                raise TimeoutError("no answer")
            self.answers.update(self.receive())
        return self.answers.pop(number)

    def create_session(self, timeout_ms: float = 60_000.0) -> Any:
        """CreateSession; its token is used from now on."""
        request = ua.CreateSessionRequest()
        request.Parameters.EndpointUrl = self._endpoint
        request.Parameters.SessionName = "intruder"
        request.Parameters.RequestedSessionTimeout = timeout_ms
        made = self.ask(request).Parameters
        self.token = made.AuthenticationToken
        return made

    def activate(self, identity: Any = None) -> Any:
        """ActivateSession, anonymous if nobody is named."""
        request = ua.ActivateSessionRequest()
        request.Parameters.UserIdentityToken = identity or ua.AnonymousIdentityToken("anonymous")
        return self.ask(request).Parameters

    def log_in(self, name: str | None = None, password: str = "") -> Any:
        """Both; returns what CreateSession said."""
        made = self.create_session()
        identity = None
        if name is not None:
            identity = user_token(made.ServerCertificate, made.ServerNonce, name, password)
        self.activate(identity)
        return made

    def lives(self) -> bool:
        """Whether the server still answers here."""
        try:
            self.ask(ua.FindServersRequest())
        except (ConnectionEnded, OSError, TimeoutError):
            return False
        return True

    # ---------------------------------------------------------------- as it should not be

    def raw(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def chunk(
        self,
        body: bytes,
        kind: bytes = b"F",
        type_: bytes = b"MSG",
        channel: int = 0,
        token: int = 0,
        sequence: int = 1,
        request: int = 1,
        size: int | None = None,
    ) -> bytes:
        """A chunk with numbers that differ by so much from the right ones."""
        if not request:
            request = 0
        self._sequence += sequence
        self._request += request
        head = struct.pack(
            "<IIII",
            (self._channel + channel) & 0xFFFFFFFF,
            (self._token + token) & 0xFFFFFFFF,
            self._sequence & 0xFFFFFFFF,
            self._request & 0xFFFFFFFF,
        )
        whole = HEAD.size + len(head) + len(body)
        return HEAD.pack(type_, kind, whole if size is None else size) + head + body

    @property
    def request_number(self) -> int:
        """Of the last request."""
        return self._request

    def is_shown_out(self, within_s: float = PATIENCE_S) -> bool:
        """Whether the server closes the connection soon."""
        end_s = time.monotonic() + within_s
        while (left_s := end_s - time.monotonic()) > 0:
            if not select.select([self.socket], [], [], left_s)[0]:
                return False
            try:
                if not self.socket.recv(1 << 20):
                    return True
            except OSError:
                return True
        return False
