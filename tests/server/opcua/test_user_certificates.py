"""Users who prove by a certificate who they are, and each way in which that fails."""

import pytest
from asyncua import ua
from asyncua.crypto import uacrypto

from tests.server.opcua.guest import DAY, TODAY, made
from tests.server.opcua.visitor import SIGNED
from tests.server.security.made_certificates import rsa_key
from twincell.server.security.roles import Role

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIGNED_PSS = "http://opcfoundation.org/UA/security/rsa-pss-sha2-256"


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
