"""Who a client acts for: passwords and other tokens, and each way in which they fail."""

import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from asyncua import ua
from asyncua.crypto import uacrypto
from asyncua.crypto.security_policies import (
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
)

from tests.server.opcua.asking import call_status, change, read_status, write
from tests.server.opcua.guest import ENCRYPT, SIGN, made
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.visitor import OAEP, Visitor, token
from twincell.server.security.roles import Role

pytestmark = pytest.mark.asyncio(loop_scope="session")

OAEP_SHA256 = "http://opcfoundation.org/UA/security/rsa-oaep-sha2-256"
RSA15 = "http://www.w3.org/2001/04/xmlenc#rsa-1_5"


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
    other = await Visitor(house).created()
    assert await other.status(visitor.named()) == "BadIdentityTokenInvalid"
    other.leave()


async def test_every_activation_asks_for_another_nonce(visitor):
    nonces = {visitor.nonce}
    for _ in range(3):
        nonces.add((await visitor.show(visitor.named())).ServerNonce)
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
    one = await Visitor(house, made(), policy=policy, mode=mode).created()
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


# ---------------------------------------------------------------- another machine


@pytest.fixture
def far_away(house: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every address counts as one of another machine."""
    monkeypatch.setattr(house.server.admission, "origin_of", lambda client, own: client)


async def test_from_another_machine_nobody_gets_a_session_without_security(house, far_away):
    one = Visitor(house)
    with pytest.raises(ua.uaerrors.BadSecurityPolicyRejected):
        await one.created()
    assert len(house.server.sessions) == 0
    await one.client.get_endpoints()  # it may look at the endpoints on the same channel
    await one.client.find_servers()
    one.leave()


async def test_from_another_machine_nobody_is_anonymous(house, far_away):
    one = await Visitor(house, made()).created()
    for identity in (ua.AnonymousIdentityToken("anonymous"), ua.ExtensionObject()):
        assert await one.status(identity) == "BadIdentityTokenRejected"
    assert await one.status(one.named("observer")) == "Good"
    assert await read_status(one.client, "Simulation.Tick") == "Good"
    assert await write(one.client, change("Robot1Flange.Closed", True)) == ["BadUserAccessDenied"]
    assert await call_status(one.client, "Simulation.Pause") == "BadUserAccessDenied"
    one.leave()
