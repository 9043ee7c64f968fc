"""A server of asyncua that clients of ours log in to, and what it was told."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar, NamedTuple

from asyncua import Server, ua
from asyncua.common.utils import ServiceError
from asyncua.crypto.permission_rules import User, UserRole
from asyncua.server.internal_server import InternalServer
from asyncua.ua import SecurityPolicyType as Policy

from twincell.server.security.own_certificate import OwnCertificate

USER, PASSWORD = "anna", "correct horse"
HOSTS = ["localhost", "127.0.0.1"]
ALL_POLICIES = (
    Policy.NoSecurity,
    Policy.Basic256Sha256_SignAndEncrypt,
    Policy.Aes128Sha256RsaOaep_SignAndEncrypt,
    Policy.Aes256Sha256RsaPss_SignAndEncrypt,
)


class OneUser:
    """Lets in whom a test wants, and notes what it was told."""

    def __init__(self, anonymous: bool) -> None:
        self._anonymous = anonymous
        self.told: list[tuple[str | None, str | None]] = []

    def get_user(
        self,
        iserver: object,
        username: str | None = None,
        password: str | None = None,
        certificate: object = None,
    ) -> User | None:
        self.told.append((username, password))
        if username is None:
            return User(role=UserRole.User) if self._anonymous else None
        return User(role=UserRole.User) if (username, password) == (USER, PASSWORD) else None


class QuickCore(InternalServer):
    """Takes over the nodes of the standard from the one before: making them takes seconds."""

    nodes: ClassVar[dict[ua.NodeId, object]] = {}

    async def load_standard_address_space(self, shelf_file: Path | None = None) -> None:
        if not self.nodes:
            await super().load_standard_address_space(shelf_file)
            self.nodes.update(self.aspace._nodes)
        self.aspace._nodes.update(self.nodes)


class Listening(NamedTuple):
    """A server of asyncua."""

    url: str
    users: OneUser
    server: Server


@asynccontextmanager
async def listening(
    own: OwnCertificate | None = None,
    policies: tuple[Policy, ...] = ALL_POLICIES,
    anonymous: bool = True,
    refuses: int = 0,
) -> AsyncIterator[Listening]:
    """A server with a variable; it may refuse the certificates of clients with a status."""
    users = OneUser(anonymous)
    core = QuickCore(users)
    core.disabled_clock = True  # it would sleep for a second at the end
    server = Server(iserver=core)
    await server.init()
    server.set_endpoint("opc.tcp://127.0.0.1:0")
    server.set_security_policy(list(policies))
    if own:
        await server.set_application_uri(own.application_uri)
        server.iserver.certificate, server.iserver.private_key = own.certificate, own.key
    if refuses:

        async def refuse(*_: object) -> None:
            raise ServiceError(refuses)

        server.set_certificate_validator(refuse)
    await server.nodes.objects.add_variable("ns=1;s=Number", "1:Number", 7)
    async with server:
        yield Listening(f"opc.tcp://localhost:{server.bserver.port}", users, server)
