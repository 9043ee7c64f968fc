"""Who a client says it acts for, and whether that is true: the user identity tokens.

A password comes encrypted with our certificate, together with the nonce that the session was last
given: so neither can anybody read it, nor send it again. A user certificate signs that nonce.

                                                OPC UA part 4, 5.7.3, 7.40; part 7 for algorithms
"""

import asyncio
import hmac
import logging
import struct
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import NamedTuple

from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.crypto import uacrypto
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey

from twincell.server.opcua.session.session import Session, SessionConnection, User
from twincell.server.opcua.wire.endpoints import ANONYMOUS, CERTIFICATE, USER_NAME, token_policy
from twincell.server.security.own_certificate import OwnCertificate
from twincell.server.security.roles import Identity, Role
from twincell.server.security.security import Security

LONGEST_SECRET_BYTES = 2_048  # encrypted password; chosen: a few blocks of the largest key
MINUTE_S = 60.0
USERS_A_MACHINE = 5  # that may fail as often as one: chosen
LEAST_KEY_BITS = 2_048

Decrypt = Callable[[RSAPrivateKey, bytes], bytes]  # one block

DECRYPTORS: dict[str, Decrypt] = {
    "http://www.w3.org/2001/04/xmlenc#rsa-oaep": uacrypto.decrypt_rsa_oaep,
    "http://opcfoundation.org/UA/security/rsa-oaep-sha2-256": uacrypto.decrypt_rsa_oaep_sha256,
}
VERIFIERS = {
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": uacrypto.verify_sha256,
    "http://opcfoundation.org/UA/security/rsa-pss-sha2-256": uacrypto.verify_pss_sha256,
}

log = logging.getLogger("twincell.opcua")


class _Failure(NamedTuple):
    """A wrong password."""

    at_s: float
    origin: str
    name: str


class UserTokens:
    """Checks the tokens of ActivateSession requests."""

    def __init__(self, security: Security, failed_logins: int) -> None:
        self._security = security
        self._most = failed_logins  # of one user from one machine within a minute
        self._failures: deque[_Failure] = deque()
        self._hashing = asyncio.Lock()  # one password at a time: hashing is slow on purpose

    async def user(
        self,
        session: Session,
        connection: SessionConnection,
        token: object,
        signature: ua.SignatureData,
    ) -> User:
        """Who the token stands for; else raises ServiceError."""
        if isinstance(token, ua.ExtensionObject) and token.TypeId == ua.NodeId():
            return self._anonymous(connection)  # an empty token is anonymous
        if isinstance(token, ua.AnonymousIdentityToken):
            _check_policy(token.PolicyId, ANONYMOUS)
            return self._anonymous(connection)
        if isinstance(token, ua.UserNameIdentityToken):
            _check_policy(token.PolicyId, USER_NAME)
            return await self._by_password(session, connection, token)
        if isinstance(token, ua.X509IdentityToken):
            _check_policy(token.PolicyId, CERTIFICATE)
            return self._by_certificate(session, connection, token, signature)
        raise ServiceError(ua.StatusCodes.BadIdentityTokenInvalid)

    def _anonymous(self, connection: SessionConnection) -> User:
        role = self._security.anonymous(connection.is_local)
        if role is Role.NOBODY:
            raise ServiceError(ua.StatusCodes.BadIdentityTokenRejected)
        return User(Identity("", role), "anonymous")

    async def _by_password(
        self, session: Session, connection: SessionConnection, token: ua.UserNameIdentityToken
    ) -> User:
        # a client that leaves meanwhile has guessed all the same, and its turn lasts to the end
        return await asyncio.shield(self._compare(session, connection, token))

    async def _compare(
        self, session: Session, connection: SessionConnection, token: ua.UserNameIdentityToken
    ) -> User:
        name, users = token.UserName or "", self._security.users
        async with self._hashing:
            # a millisecond for each of its blocks: dozens at once would hold up everybody
            password = await asyncio.to_thread(
                _password, self._security.own, session, connection, token
            )
            if not users.is_our_program(name, password):
                self._check_failures(connection, name)
            identity = await asyncio.to_thread(users.by_password, name, password)
            return self._known(identity, connection, name)

    def _by_certificate(
        self,
        session: Session,
        connection: SessionConnection,
        token: ua.X509IdentityToken,
        signature: ua.SignatureData,
    ) -> User:
        der = token.CertificateData or b""
        _check_signature(der, self._security.own.der + session.nonce, signature)
        identity = self._security.users.by_certificate(der)
        if identity is None:
            raise self._refused("a certificate that no user has", connection)
        return User(identity, "certificate")

    def _known(self, identity: Identity | None, connection: SessionConnection, name: str) -> User:
        if identity is None and self._security.lets_everybody_in:
            identity = Identity(name, Role.ENGINEER)
        if identity is None:
            self._failures.append(_Failure(time.monotonic(), connection.origin, name))
            raise self._refused("a wrong name or password", connection)
        return User(identity, "username")

    def _check_failures(self, connection: SessionConnection, name: str) -> None:
        """Who guesses too often has to wait, whatever the next guess is.

        One user on a machine may fail so often, and all of them together some times more: so one
        client that guesses does not lock out the others beside it.
        """
        before = time.monotonic() - MINUTE_S
        while self._failures and self._failures[0].at_s < before:
            self._failures.popleft()
        here = [one for one in self._failures if one.origin == connection.origin]
        of_name = sum(one.name == name for one in here)
        if of_name >= self._most or len(here) >= self._most * USERS_A_MACHINE:
            raise self._refused("too many wrong passwords within a minute", connection)

    def _refused(self, why: str, connection: SessionConnection) -> ServiceError:
        log.warning("refused a login from %s: %s", connection.address, why)
        return ServiceError(ua.StatusCodes.BadUserAccessDenied)


def _check_policy(policy_id: str | None, kind: str) -> None:
    """A token names the policy that it follows; many clients leave that of anonymous away."""
    if policy_id != kind and not (kind == ANONYMOUS and not policy_id):
        raise ServiceError(ua.StatusCodes.BadIdentityTokenInvalid)


def _password(
    own: OwnCertificate,
    session: Session,
    connection: SessionConnection,
    token: ua.UserNameIdentityToken,
) -> str:
    """The password in a token: its length, itself and the nonce, encrypted block by block."""
    policy = token_policy(connection.channel.security_policy)
    decrypt = DECRYPTORS.get(token.EncryptionAlgorithm or "")
    secret = token.Password or b""
    if decrypt is None or token.EncryptionAlgorithm != policy.AsymmetricEncryptionURI:
        raise ServiceError(ua.StatusCodes.BadIdentityTokenInvalid)
    if len(secret) > LONGEST_SECRET_BYTES:
        raise ServiceError(ua.StatusCodes.BadIdentityTokenInvalid)
    try:
        return _opened(own.key, decrypt, secret, session.nonce)
    except ValueError:  # of decryption, decoding or our own: nobody is told which
        raise ServiceError(ua.StatusCodes.BadIdentityTokenInvalid) from None


def _opened(key: RSAPrivateKey, decrypt: Decrypt, secret: bytes, nonce: bytes) -> str:
    block = key.key_size // 8
    if not secret or len(secret) % block:
        raise ValueError("no whole blocks")
    plain = b"".join(decrypt(key, secret[i : i + block]) for i in range(0, len(secret), block))
    if len(plain) < 4:
        raise ValueError("no length")
    (length,) = struct.unpack_from("<I", plain)
    content = plain[4 : 4 + length]
    if length < len(nonce) or len(content) != length:
        raise ValueError("a wrong length")
    if not hmac.compare_digest(content[-len(nonce) :], nonce):
        raise ValueError("the nonce of another session or time")
    return content[: -len(nonce)].decode("utf-8")


def _check_signature(der: bytes, signed: bytes, signature: ua.SignatureData) -> None:
    """A user certificate is in force, and its owner signed what we asked for."""
    try:
        certificate = x509.load_der_x509_certificate(der)
        key = certificate.public_key()
    except ValueError:
        raise ServiceError(ua.StatusCodes.BadIdentityTokenInvalid) from None
    now = datetime.now(UTC)
    is_strong = isinstance(key, RSAPublicKey) and key.key_size >= LEAST_KEY_BITS
    is_valid = certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc
    if not is_strong or not is_valid:
        raise ServiceError(ua.StatusCodes.BadIdentityTokenRejected)
    verify = VERIFIERS.get(signature.Algorithm or "")
    if verify is None:
        raise ServiceError(ua.StatusCodes.BadUserSignatureInvalid)
    try:
        verify(certificate, signed, signature.Signature or b"")
    except InvalidSignature:
        raise ServiceError(ua.StatusCodes.BadUserSignatureInvalid) from None
