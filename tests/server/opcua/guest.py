"""A client that is steered step by step: channel, session, user; and what each step ends with."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from asyncua import Client, ua
from asyncua.crypto.security_policies import SecurityPolicyBasic256Sha256

from tests.server.opcua.asking import read_status, status_of
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import RawClient
from tests.server.security.made_certificates import Made, make
from twincell.server.security.roles import Role

ENCRYPT, SIGN = ua.MessageSecurityMode.SignAndEncrypt, ua.MessageSecurityMode.Sign
TODAY, DAY = datetime.now(UTC), timedelta(days=1)
URI = "urn:test:client"
TICK = "Simulation.Tick"


def made(name: str = "application", **changed: Any) -> Made:
    """A certificate that is in force."""
    return make(name, **({"uris": (URI,), "begins": TODAY - DAY, "ends": TODAY + DAY} | changed))


class Guest:
    """A client of a guarded cell; its application may have a certificate, which is trusted."""

    def __init__(
        self,
        cell: InProcess,
        application: Made | None = None,
        *,
        policy: Any = SecurityPolicyBasic256Sha256,
        mode: Any = ENCRYPT,
        address: str = "127.0.0.1",
        is_trusted: bool = True,
    ) -> None:
        self.client = Client(cell.server.endpoint, timeout=20)
        self.raw = RawClient(self.client)
        self._cell = cell
        self._address = address
        if application is not None:
            if is_trusted:
                application.put(cell.folder.trusted)
            self.client.application_uri = URI
            self.client.security_policy = policy(
                cell.security.own.certificate, application.certificate, application.key, mode
            )
            self.client.uaclient.set_security(self.client.security_policy)

    async def channel(self) -> Self:
        """As far as an open channel."""
        await asyncio.get_running_loop().create_connection(
            self.client.uaclient._make_protocol,
            "127.0.0.1",
            self._cell.server.port,
            local_addr=(self._address, 0),
        )
        await self.client.send_hello()
        await self.client.open_secure_channel()
        return self

    async def created(self) -> Self:
        """As far as a session that is not activated."""
        await self.channel()
        await self.client.create_session()
        return self

    async def active(self, user: str | None = "operator") -> Self:
        await self.created()
        await self.activate(user)
        return self

    async def activate(self, user: str | None = "operator") -> None:
        password = None if user is None else PASSWORD
        await self.client.activate_session(user, password)

    def pretend_to_be(self, other: "Guest") -> None:
        """Use all that another guest knows: its token and nonce."""
        protocol = self.client.uaclient.protocol
        protocol.authentication_token = other.token
        self.client._server_nonce = other.client._server_nonce
        self.client._policy_ids = other.client._policy_ids
        if not self.client.security_policy.peer_certificate:
            certificate = self._cell.security.own.der
            self.client.security_policy.peer_certificate = certificate
        self.client.uaclient.session._state = other.client.uaclient.session._state

    @property
    def token(self) -> ua.NodeId:
        return self.client.uaclient.protocol.authentication_token

    async def read(self) -> str:
        """How reading a value ends."""
        return await status_of(read_status(self.client, TICK))

    @property
    def role(self) -> Role:
        """Of its session, which must be the only one."""
        (session,) = self._cell.server.sessions
        return session.role

    def leave(self) -> None:
        protocol = self.client.uaclient.protocol
        if protocol is not None:
            protocol.disconnect_socket()
