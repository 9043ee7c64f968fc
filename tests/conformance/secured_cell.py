"""A served cell that trusts one application, and certificates of that and of a user.

Keys and certificates are files, as both client stacks want them.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from asyncua import Client, ua
from asyncua.crypto import uacrypto
from asyncua.crypto.security_policies import (
    SecurityPolicy,
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
)
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from tests.server.opcua.in_process import InProcess
from tests.server.opcua.made_security import PASSWORD
from tests.server.security.made_certificates import DAY, Made, make
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.roles import Role

APPLICATION_URI = "urn:line1:conformance"
PATIENCE_S = 20.0  # of a client; the machine may be busy
SIGN, ENCRYPT = ua.MessageSecurityMode.Sign, ua.MessageSecurityMode.SignAndEncrypt
POLICIES: dict[str, type[SecurityPolicy]] = {
    "Basic256Sha256": SecurityPolicyBasic256Sha256,
    "Aes128_Sha256_RsaOaep": SecurityPolicyAes128Sha256RsaOaep,
    "Aes256_Sha256_RsaPss": SecurityPolicyAes256Sha256RsaPss,
}
SECURED = [(policy, mode) for policy in POLICIES for mode in (SIGN, ENCRYPT)]
SECURED_NAMES = [f"{policy}-{mode.name}" for policy, mode in SECURED]


@dataclass(frozen=True)
class Owner:
    """Somebody who has a certificate, in files."""

    made: Made
    certificate: Path
    key: Path


def owner(folder: Path, name: str, uri: str = APPLICATION_URI) -> Owner:
    """Make a certificate that is valid now."""
    now = datetime.now(UTC)
    made = make(name, uris=[uri], hosts=["localhost"], begins=now - DAY, ends=now + DAY)
    key = folder / f"{name}.key.pem"
    key.write_bytes(
        made.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    )
    return Owner(made, made.put(folder, f"{name}.pem"), key)


class SecuredCell(InProcess):
    """A served cell with a trust folder, and clients that it trusts or does not."""

    def __init__(self, folder: Path, cell: str = "tool_change_single") -> None:
        super().__init__(cell, folder=SecurityFolder(folder / "security"))
        self.application = owner(folder, "application")
        self.application.made.put(self.folder.trusted)
        self.stranger = owner(folder, "stranger")
        self.carla = owner(folder, "carla")  # an engineer who has a certificate
        self.security.users.add("carla", Role.ENGINEER, certificate=self.carla.made.der)
        self._opened: list[Client] = []  # without a session of their own

    async def secured(
        self,
        policy: str = "Basic256Sha256",
        mode: ua.MessageSecurityMode = ENCRYPT,
        user: str | None = "engineer",
        application: Owner | None = None,
        lifetime_ms: int = 3_600_000,
    ) -> Client:
        """A connected client of the trusted application, or of another."""
        client = await self.prepared(policy, mode, application)
        client.secure_channel_timeout = lifetime_ms
        if user == "carla":
            await client.load_client_certificate(str(self.carla.certificate))
            await client.load_private_key(self.carla.key)
        elif user is not None:
            client.set_user(user)
            client.set_password(PASSWORD)
        await client.connect()
        self._clients.append(client)
        return client

    async def prepared(
        self,
        policy: str = "Basic256Sha256",
        mode: ua.MessageSecurityMode = ENCRYPT,
        application: Owner | None = None,
    ) -> Client:
        """A client that has yet to connect."""
        one = application or self.application
        client = Client(self.server.endpoint, timeout=PATIENCE_S)
        client.description = "conformance"
        client.application_uri = APPLICATION_URI
        own = self.security.own.der
        await client.set_security(
            POLICIES[policy],
            str(one.certificate),
            str(one.key),
            server_certificate=uacrypto.CertProperties(own, "der"),
            mode=mode,
        )
        return client

    async def opened(
        self,
        policy: str | None = "Basic256Sha256",
        mode: ua.MessageSecurityMode = ENCRYPT,
        application: Owner | None = None,
    ) -> Client:
        """A client that has a channel, secured unless there is no policy, and no session."""
        if policy is None:
            client = Client(self.server.endpoint, timeout=PATIENCE_S)
        else:
            client = await self.prepared(policy, mode, application)
        await client.connect_socket()
        self._opened.append(client)
        await client.send_hello()
        await client.open_secure_channel()
        return client

    async def disconnect(self) -> None:
        """Close all sessions and channels of clients."""
        await super().disconnect()
        for client in self._opened:
            client.disconnect_socket()
        self._opened.clear()
        self.server.sessions.end_all()  # those that wait for clients to come back
