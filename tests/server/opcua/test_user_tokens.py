"""Who a client acts for: each way to prove it, and each way in which that fails."""

import asyncio
import struct
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import pytest_asyncio
from asyncua import Client, ua
from asyncua.crypto import uacrypto
from asyncua.crypto.security_policies import (
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
)

from server.opcua.session import user_tokens
from server.security.folder import SecurityFolder
from server.security.roles import Role
from tests.server.opcua.asking import call_status, change, read_status, write
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.inside import comes_true
from tests.server.opcua.made_security import PASSWORD, made_security
from tests.server.security.made_certificates import Made, make, rsa_key

pytestmark = pytest.mark.asyncio(loop_scope="session")

OAEP = "http://www.w3.org/2001/04/xmlenc#rsa-oaep"
OAEP_SHA256 = "http://opcfoundation.org/UA/security/rsa-oaep-sha2-256"
RSA15 = "http://www.w3.org/2001/04/xmlenc#rsa-1_5"
SIGNED = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SIGNED_PSS = "http://opcfoundation.org/UA/security/rsa-pss-sha2-256"
ENCRYPT, SIGN = ua.MessageSecurityMode.SignAndEncrypt, ua.MessageSecurityMode.Sign
TODAY, DAY = datetime.now(UTC), timedelta(days=1)
URI = "urn:test:client"


def made(name: str, **changed: Any) -> Made:
    return make(name, **({"uris": (URI,), "begins": TODAY - DAY, "ends": TODAY + DAY} | changed))


class Visitor:
    """A client with a session that is not activated yet."""

    def __init__(self, cell: InProcess, address: str = "127.0.0.1") -> None:
        self._cell = cell
        self._address = address
        self.client = Client(cell.server.endpoint, timeout=20)
        self.nonce = b""

    def secure(self, policy: Any, application: Made, mode: Any = ENCRYPT) -> None:
        self.client.application_uri = URI
        certificate = self._cell.security.own.certificate
        self.client.security_policy = policy(
            certificate, application.certificate, application.key, mode
        )
        self.client.uaclient.set_security(self.client.security_policy)

    async def come(self) -> "Visitor":
        """As far as CreateSession."""
        loop, uaclient = asyncio.get_running_loop(), self.client.uaclient
        await loop.create_connection(
            uaclient._make_protocol,
            "127.0.0.1",
            self._cell.server.port,
            local_addr=(self._address, 0),
        )
        await self.client.send_hello()
        await self.client.open_secure_channel()
        self.nonce = (await self.client.create_session()).ServerNonce
        return self

    def leave(self) -> None:
        protocol = self.client.uaclient.protocol
        if protocol is not None:
            protocol.disconnect_socket()

    # ---------------------------------------------------------------- tokens

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

    async def activate(self, identity: Any, signature: Any = None) -> ua.ActivateSessionResult:
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
        try:
            await self.activate(identity, signature)
        except ua.UaStatusCodeError as error:
            return str(ua.StatusCode(error.code).name)
        return "Good"

    @property
    def role(self) -> Role:
        (session,) = self._cell.server.sessions
        return session.role


def token(name: str | None, secret: bytes | None, algorithm: str | None = OAEP) -> Any:
    return ua.UserNameIdentityToken("username", name, secret, algorithm)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[InProcess]:
    """A cell with a security folder, in which users and certificates can be put."""
    cell = InProcess("tool_change_single")
    folder = SecurityFolder(tmp_path_factory.mktemp("guarded"))
    cell.security = cell.server.security = made_security(folder)
    cell.folder = folder
    async with cell:
        yield cell


@pytest_asyncio.fixture(loop_scope="session")
async def house(guarded: InProcess) -> AsyncIterator[InProcess]:
    """The same cell with nobody in it, and nobody who has failed to log in."""
    guarded.server.sessions._tokens._failures.clear()
    yield guarded
    guarded.server.sessions.end_all()
    guarded.server.door.close()
    while guarded.server.door.connections:
        await asyncio.sleep(0.005)


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(house: InProcess) -> AsyncIterator[Visitor]:
    one = await Visitor(house).come()
    yield one
    one.leave()


# ---------------------------------------------------------------- passwords


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.OPERATOR, Role.ENGINEER])
async def test_the_right_password_gives_the_role(visitor, role):
    assert await visitor.status(visitor.named(role.name.lower())) == "Good"
    assert visitor.role is role


async def test_a_user_of_the_file_logs_in_with_the_hashed_password(house, visitor):
    house.security.users.add("anna", Role.OPERATOR, "a long password")
    try:
        assert await visitor.status(visitor.named("anna", "another one")) == "BadUserAccessDenied"
        assert await visitor.status(visitor.named("anna", "a long password")) == "Good"
        assert visitor.role is Role.OPERATOR
    finally:
        house.security.users.remove("anna")
    assert await visitor.status(visitor.named("anna", "a long password")) == "BadUserAccessDenied"


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("operator", "wrong"),
        ("operator", ""),
        ("operator", PASSWORD + " "),
        ("Operator", PASSWORD),
        ("admin", "admin"),
        ("admin", ""),
        ("", PASSWORD),
        ("nobody", PASSWORD),
        ("op\0erator", PASSWORD),
    ],
)
async def test_a_wrong_name_or_password_is_denied(visitor, name, password):
    assert await visitor.status(visitor.named(name, password)) == "BadUserAccessDenied"


async def test_a_session_that_failed_to_log_in_can_do_nothing(visitor):
    assert await visitor.status(visitor.named(password="wrong")) == "BadUserAccessDenied"
    with pytest.raises(ua.uaerrors.BadSessionNotActivated):
        await read_status(visitor.client, "Simulation.Tick")


BAD_SECRETS: dict[str, Callable[[Visitor], Any]] = {
    "plain": lambda v: token("operator", PASSWORD.encode(), None),
    "plain, said to be encrypted": lambda v: token("operator", PASSWORD.encode()),
    "plain with an empty algorithm": lambda v: token("operator", PASSWORD.encode(), ""),
    "none at all": lambda v: token("operator", None, None),
    "empty": lambda v: token("operator", b""),
    "of an algorithm nobody offered": lambda v: token("operator", v.secret(b"x"), RSA15),
    "of another policy's algorithm": lambda v: token("operator", v.secret(b"x"), OAEP_SHA256),
    "of an unknown algorithm": lambda v: token("operator", v.secret(b"x"), "urn:rot13"),
    "of one byte too few": lambda v: token("operator", v.secret(b"x")[:-1]),
    "random": lambda v: token("operator", bytes(256)),
    "endless": lambda v: token("operator", bytes(256 * 100)),
    "without a nonce": lambda v: token("operator", v.secret(PASSWORD.encode(), nonce=b"")),
    "with another nonce": lambda v: token("operator", v.secret(PASSWORD.encode(), nonce=bytes(32))),
    "with a short nonce": lambda v: token(
        "operator", v.secret(PASSWORD.encode(), nonce=v.nonce[:-1])
    ),
    "with more behind the nonce": lambda v: token(
        "operator", v.secret(PASSWORD.encode(), nonce=v.nonce + b"x")
    ),
    "shorter than it says": lambda v: token(
        "operator", v.secret(PASSWORD.encode(), length=PASSWORD.__len__() + 33)
    ),
    "longer than it says": lambda v: token("operator", v.secret(PASSWORD.encode(), length=32)),
    "of a negative length": lambda v: token("operator", v.secret(PASSWORD.encode(), length=-1)),
    "of length zero": lambda v: token("operator", v.secret(PASSWORD.encode(), length=0)),
    "no text": lambda v: token("operator", v.secret(b"\xff\xfe")),
    "of another token policy": lambda v: ua.UserNameIdentityToken(
        "anonymous", "operator", v.secret(PASSWORD.encode()), OAEP
    ),
    "without a token policy": lambda v: ua.UserNameIdentityToken(
        None, "operator", v.secret(PASSWORD.encode()), OAEP
    ),
}


@pytest.mark.parametrize("secret", BAD_SECRETS.values(), ids=BAD_SECRETS)
async def test_a_password_that_is_not_as_it_must_be_is_invalid(visitor, secret):
    assert await visitor.status(secret(visitor)) == "BadIdentityTokenInvalid"


async def test_the_same_token_is_good_only_once(visitor):
    recorded = visitor.named()
    assert await visitor.status(recorded) == "Good"
    assert await visitor.status(recorded) == "BadIdentityTokenInvalid"


async def test_a_token_of_another_session_is_worth_nothing(house, visitor):
    other = await Visitor(house).come()
    assert await other.status(visitor.named()) == "BadIdentityTokenInvalid"
    other.leave()


async def test_every_activation_asks_for_another_nonce(visitor):
    nonces = {visitor.nonce}
    for _ in range(3):
        nonces.add((await visitor.activate(visitor.named())).ServerNonce)
    assert len(nonces) == 4
    assert all(len(nonce) == 32 for nonce in nonces)


@pytest.mark.parametrize(
    ("policy", "algorithm", "encrypt"),
    [
        (SecurityPolicyBasic256Sha256, OAEP, uacrypto.encrypt_rsa_oaep),
        (SecurityPolicyAes128Sha256RsaOaep, OAEP, uacrypto.encrypt_rsa_oaep),
        (SecurityPolicyAes256Sha256RsaPss, OAEP_SHA256, uacrypto.encrypt_rsa_oaep_sha256),
    ],
)
@pytest.mark.parametrize("mode", [SIGN, ENCRYPT])
async def test_on_a_secure_channel_a_password_follows_its_policy(
    house, policy, algorithm, encrypt, mode
):
    application = made("application")
    application.put(house.folder.trusted)
    one = Visitor(house)
    one.secure(policy, application, mode)
    await one.come()
    key = house.security.own.certificate.public_key()
    content = PASSWORD.encode() + one.nonce
    secret = encrypt(key, struct.pack("<I", len(content)) + content)
    wrong = OAEP_SHA256 if algorithm == OAEP else OAEP
    plain = token("operator", PASSWORD.encode(), None)
    assert await one.status(plain) == "BadIdentityTokenInvalid"
    assert await one.status(token("operator", secret, wrong)) == "BadIdentityTokenInvalid"
    assert await one.status(token("operator", secret, algorithm)) == "Good"
    one.leave()


# ---------------------------------------------------------------- other tokens


async def test_an_empty_token_and_an_anonymous_one_are_the_same(visitor):
    for identity in (
        ua.ExtensionObject(),
        ua.AnonymousIdentityToken("anonymous"),
        ua.AnonymousIdentityToken(None),
        ua.AnonymousIdentityToken(""),
    ):
        assert await visitor.status(identity) == "Good"
        assert visitor.role is Role.OBSERVER


@pytest.mark.parametrize(
    "identity",
    [
        ua.AnonymousIdentityToken("username"),
        ua.AnonymousIdentityToken("0"),
        ua.IssuedIdentityToken("issued", b"ticket"),
        ua.UserIdentityToken("anonymous"),
        ua.DataChangeFilter(),
        ua.ExtensionObject(ua.NodeId(99_999), b"what is this"),
    ],
    ids=lambda one: f"{type(one).__name__} {getattr(one, 'PolicyId', '')}",
)
async def test_what_is_no_token_of_ours_is_invalid(visitor, identity):
    assert await visitor.status(identity) == "BadIdentityTokenInvalid"


async def test_where_anonymous_is_nobody_it_is_rejected(house, visitor, monkeypatch):
    strict = replace(house.security, anonymous_here=Role.NOBODY)
    monkeypatch.setattr(house.server.sessions._tokens, "_security", strict)
    identity = ua.AnonymousIdentityToken("anonymous")
    assert await visitor.status(identity) == "BadIdentityTokenRejected"
    assert await visitor.status(ua.ExtensionObject()) == "BadIdentityTokenRejected"
    assert await visitor.status(visitor.named()) == "Good"


# ---------------------------------------------------------------- certificates


@pytest.fixture
def known(house: InProcess):
    """Puts a certificate into the file of users."""
    added = []

    def add(user: Made, name: str = "bert", role: Role = Role.OPERATOR) -> Made:
        house.security.users.add(name, role, certificate=user.der)
        added.append(name)
        return user

    yield add
    for name in added:
        house.security.users.remove(name)


async def test_the_owner_of_a_known_certificate_gets_the_role(visitor, known):
    bert = known(made("bert"))
    assert await visitor.status(*visitor.certified(bert)) == "Good"
    assert visitor.role is Role.OPERATOR
    assert await visitor.status(*visitor.certified(bert)) == "Good"  # with the next nonce


async def test_a_signature_may_be_of_the_newer_kind(visitor, known):
    bert = known(made("bert"))
    signature = uacrypto.sign_pss_sha256(bert.key, visitor.challenge)
    identity = ua.X509IdentityToken("certificate", bert.der)
    assert await visitor.status(identity, ua.SignatureData(SIGNED_PSS, signature)) == "Good"


async def test_an_unknown_certificate_is_denied(visitor):
    assert await visitor.status(*visitor.certified(made("stranger"))) == "BadUserAccessDenied"


async def test_a_user_certificate_is_worth_nothing_without_its_key(visitor, known):
    bert = known(made("bert"))
    stolen = visitor.certified(bert, by=rsa_key("thief"))
    assert await visitor.status(*stolen) == "BadUserSignatureInvalid"


async def test_a_signature_is_good_only_once(visitor, known):
    recorded = visitor.certified(known(made("bert")))
    assert await visitor.status(*recorded) == "Good"
    assert await visitor.status(*recorded) == "BadUserSignatureInvalid"


@pytest.mark.parametrize("algorithm", [None, "", "http://www.w3.org/2000/09/xmldsig#rsa-sha1"])
async def test_a_signature_of_an_unknown_algorithm_is_invalid(visitor, known, algorithm):
    identity, signature = visitor.certified(known(made("bert")))
    signature.Algorithm = algorithm
    assert await visitor.status(identity, signature) == "BadUserSignatureInvalid"


async def test_a_missing_signature_is_invalid(visitor, known):
    identity, _ = visitor.certified(known(made("bert")))
    assert await visitor.status(identity) == "BadUserSignatureInvalid"
    assert await visitor.status(identity, ua.SignatureData(SIGNED, b"")) == (
        "BadUserSignatureInvalid"
    )


async def test_a_user_certificate_that_is_not_in_force_is_rejected(visitor, known):
    expired = known(made("expired", begins=TODAY - 9 * DAY, ends=TODAY - DAY), "expired")
    coming = known(made("coming", begins=TODAY + DAY, ends=TODAY + 9 * DAY), "coming")
    for user in (expired, coming):
        assert await visitor.status(*visitor.certified(user)) == "BadIdentityTokenRejected"


async def test_a_weak_user_certificate_is_rejected(visitor, known):
    weak = known(made("weak", key=rsa_key("weak", 1_024)))
    assert await visitor.status(*visitor.certified(weak)) == "BadIdentityTokenRejected"


@pytest.mark.parametrize("der", [None, b"", b"0", bytes(1_000)])
async def test_what_is_no_certificate_is_invalid(visitor, der):
    identity = ua.X509IdentityToken("certificate", der)
    signature = ua.SignatureData(SIGNED, bytes(256))
    assert await visitor.status(identity, signature) == "BadIdentityTokenInvalid"


# ---------------------------------------------------------------- guessing


@pytest.fixture
def three_guesses(house: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house.server.sessions._tokens, "_most", 3)


async def guess(visitor: Visitor, times: int) -> list[str]:
    return [await visitor.status(visitor.named(password=f"guess {n}")) for n in range(times)]


async def test_after_some_wrong_passwords_even_the_right_one_has_to_wait(visitor, three_guesses):
    assert await guess(visitor, 3) == ["BadUserAccessDenied"] * 3
    assert await visitor.status(visitor.named()) == "BadUserAccessDenied"


async def test_a_new_connection_is_no_new_chance(house, visitor, three_guesses):
    await guess(visitor, 3)
    again = await Visitor(house).come()
    assert await again.status(again.named()) == "BadUserAccessDenied"
    again.leave()


async def test_certificates_do_not_wait_as_nobody_guesses_them(visitor, known, three_guesses):
    bert = known(made("bert"))
    await guess(visitor, 3)
    assert await visitor.status(*visitor.certified(bert)) == "Good"


async def test_who_guesses_one_name_does_not_lock_out_another(visitor, three_guesses):
    await guess(visitor, 3)
    assert await visitor.status(visitor.named("observer")) == "Good"


async def test_who_tries_many_names_has_to_wait_as_well(visitor, three_guesses):
    for n in range(3 * user_tokens.USERS_AN_ADDRESS):
        assert await visitor.status(visitor.named(f"name {n}")) == "BadUserAccessDenied"
    assert await visitor.status(visitor.named()) == "BadUserAccessDenied"


async def test_a_refused_login_is_logged(visitor, three_guesses, caplog):
    await guess(visitor, 1)
    assert "refused a login from 127.0.0.1: a wrong name or password" in caplog.messages


async def test_anonymous_does_not_wait(visitor, three_guesses):
    await guess(visitor, 3)
    assert await visitor.status(ua.AnonymousIdentityToken("anonymous")) == "Good"


async def test_other_addresses_do_not_wait(house, visitor, three_guesses):
    await guess(visitor, 3)
    neighbour = await Visitor(house, address="127.0.0.2").come()
    assert await neighbour.status(neighbour.named()) == "Good"
    neighbour.leave()


async def test_right_passwords_are_not_counted(visitor, three_guesses):
    for _ in range(5):
        assert await visitor.status(visitor.named()) == "Good"


async def test_after_a_minute_all_is_forgotten(house, visitor, three_guesses, monkeypatch):
    await guess(visitor, 3)
    real, tokens = user_tokens.time.monotonic, house.server.sessions._tokens
    for later_s, status in ((50.0, "BadUserAccessDenied"), (61.0, "Good")):
        clock = SimpleNamespace(monotonic=lambda later_s=later_s: real() + later_s)
        monkeypatch.setattr(user_tokens, "time", clock)
        assert await visitor.status(visitor.named()) == status
    assert not tokens._failures


@pytest.fixture
def tried(house: InProcess, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passwords that were compared, each of which takes a while."""
    compared = []
    by_password = house.security.users.by_password

    def counted(name: str, password: str) -> Any:
        compared.append(password)
        time.sleep(0.05)  # as long as hashing takes
        return by_password(name, password)

    monkeypatch.setattr(house.security.users, "by_password", counted)
    return compared


async def test_guesses_at_once_are_no_more_than_guesses_one_by_one(house, three_guesses, tried):
    visitors = [await Visitor(house).come() for _ in range(8)]
    statuses = await asyncio.gather(
        *(one.status(one.named(password=f"guess {n}")) for n, one in enumerate(visitors))
    )
    for one in visitors:
        one.leave()
    assert statuses == ["BadUserAccessDenied"] * 8
    assert len(tried) == 3


async def test_who_does_not_wait_for_the_answer_has_guessed_all_the_same(
    house, three_guesses, tried
):
    visitors = [await Visitor(house).come() for _ in range(8)]
    asked = []
    for n, one in enumerate(visitors):
        asked.append(asyncio.ensure_future(one.status(one.named(password=f"guess {n}"))))
        await comes_true(lambda n=n: len(tried) > n or asked[n].done())
        one.client.uaclient.protocol.transport.abort()
    await asyncio.gather(*asked, return_exceptions=True)
    await comes_true(lambda: not house.server.door.connections)
    await comes_true(lambda: not house.server.sessions._tokens._hashing.locked())
    assert len(tried) == 3
    late = await Visitor(house).come()
    assert await late.status(late.named()) == "BadUserAccessDenied"
    late.leave()


# ---------------------------------------------------------------- another machine


@pytest.fixture
def far_away(house: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every address counts as one of another machine."""
    monkeypatch.setattr(house.server.door, "is_local", lambda *_: False)


async def test_from_another_machine_nobody_gets_a_session_without_security(house, far_away):
    one = Visitor(house)
    with pytest.raises(ua.uaerrors.BadSecurityPolicyRejected):
        await one.come()
    assert len(house.server.sessions) == 0
    await one.client.get_endpoints()  # it may look at the endpoints on the same channel
    await one.client.find_servers()
    one.leave()


async def test_from_another_machine_nobody_is_anonymous(house, far_away):
    application = made("application")
    application.put(house.folder.trusted)
    one = Visitor(house)
    one.secure(SecurityPolicyBasic256Sha256, application)
    await one.come()
    for identity in (ua.AnonymousIdentityToken("anonymous"), ua.ExtensionObject()):
        assert await one.status(identity) == "BadIdentityTokenRejected"
    assert await one.status(one.named("observer")) == "Good"
    assert await read_status(one.client, "Simulation.Tick") == "Good"
    assert await write(one.client, change("Robot1Flange.Closed", True)) == ["BadUserAccessDenied"]
    assert await call_status(one.client, "Simulation.Pause") == "BadUserAccessDenied"
    one.leave()
