"""A client whose user tokens are the test's own: right, wrong, recorded, made up."""

import struct
from typing import Any, Self

from asyncua import ua
from asyncua.crypto import uacrypto

from tests.server.opcua.asking import status_of
from tests.server.opcua.guest import Guest
from tests.server.opcua.made_security import PASSWORD
from tests.server.security.made_certificates import Made

OAEP = "http://www.w3.org/2001/04/xmlenc#rsa-oaep"
SIGNED = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"


def token(name: str | None, secret: bytes | None, algorithm: str | None = OAEP) -> Any:
    return ua.UserNameIdentityToken("username", name, secret, algorithm)


class Visitor(Guest):
    """A guest with a session, who says in many ways whom it acts for."""

    nonce = b""  # that the next token must hold

    async def created(self) -> Self:
        """As far as a session that is not activated."""
        await self.channel()
        self.nonce = (await self.client.create_session()).ServerNonce
        return self

    @property
    def challenge(self) -> bytes:
        return bytes(self._cell.security.own.der + self.nonce)

    def secret(
        self, password: bytes, *, nonce: bytes | None = None, length: int | None = None
    ) -> bytes:
        """A password as it goes into a token."""
        content = password + (self.nonce if nonce is None else nonce)
        claimed = len(content) if length is None else length
        key = self._cell.security.own.certificate.public_key()
        return uacrypto.encrypt_rsa_oaep(key, struct.pack("<I", claimed & 0xFFFF_FFFF) + content)

    def named(self, name: str = "operator", password: str = PASSWORD) -> Any:
        return token(name, self.secret(password.encode()))

    def certified(self, user: Made, *, by: Any = None, signed: bytes | None = None) -> Any:
        """A user certificate and a signature that belongs to it, or not."""
        signature = uacrypto.sign_sha256(by or user.key, signed or self.challenge)
        return (
            ua.X509IdentityToken("certificate", user.der),
            ua.SignatureData(SIGNED, signature),
        )

    async def show(self, identity: Any, signature: Any = None) -> ua.ActivateSessionResult:
        """Activate the session with a token."""
        params = ua.ActivateSessionParameters(UserIdentityToken=identity)
        params.UserTokenSignature = signature or ua.SignatureData()
        policy = self.client.security_policy
        params.ClientSignature.Algorithm = policy.AsymmetricSignatureURI
        params.ClientSignature.Signature = policy.asymmetric_cryptography.signature(self.challenge)
        result = await self.client.uaclient.activate_session(params)
        self.nonce = result.ServerNonce
        return result

    async def status(self, identity: Any, signature: Any = None) -> str:
        """How an activation ends."""
        return await status_of(self.show(identity, signature))
