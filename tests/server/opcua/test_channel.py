"""The secure channel, both ends in one place: how it is opened, and by whom.

What goes wrong must end the connection with the status that OPC UA has for it.
"""

from hashlib import sha1
from pathlib import Path

import pytest
from asyncua.crypto.security_policies import (
    SecurityPolicyBasic256,
    SecurityPolicyNone,
)

from tests.server.opcua.channel_ends import (
    DAY,
    ENCRYPT,
    HOUR_MS,
    MESSAGE,
    NONE,
    POLICIES,
    RENEW,
    SIGN,
    TODAY,
    Ends,
    made,
    status_of,
)
from tests.server.security.made_certificates import Made, rsa_key
from twincell.server.opcua.wire.framing import TransportRefused


def rejected(ends: Ends) -> list[Path]:
    return sorted(ends.folder.rejected.glob("*")) if ends.folder.rejected.exists() else []


# ---------------------------------------------------------------- open


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("mode", [SIGN, ENCRYPT])
def test_a_channel_of_every_policy_and_mode_carries_messages(ends, policy, mode):
    ends.secure(policy, mode)
    ends.open()
    assert ends.send() == MESSAGE
    assert ends.server.is_secured
    assert ends.server.client_certificate == ends.client.der
    assert ends.server.security_policy.Mode == mode
    ends.open(RENEW)
    ends.use_new_keys()
    assert ends.send() == MESSAGE


def test_a_channel_without_security_carries_messages(ends):
    ends.secure(SecurityPolicyNone)
    ends.open()
    assert ends.send() == MESSAGE
    assert not ends.server.is_secured
    assert ends.server.client_certificate is None


def test_what_is_encrypted_cannot_be_read_and_what_is_signed_can(ends):
    ends.open()
    assert MESSAGE not in ends.message()[0]
    ends.secure(mode=SIGN)
    signing = Ends(ends.folder.root, ends.client)
    signing.secure(mode=SIGN)
    signing.open()
    assert MESSAGE in signing.message()[0]


@pytest.mark.parametrize(
    ("asked_ms", "revised_ms"),
    [(0, 10_000), (1, 10_000), (60_000, 60_000), (2**32 - 1, HOUR_MS)],
)
def test_a_lifetime_is_kept_within_bounds(ends, asked_ms, revised_ms):
    assert ends.open(lifetime_ms=asked_ms).SecurityToken.RevisedLifetime == revised_ms


def test_tokens_and_nonces_of_two_channels_have_nothing_in_common(tmp_path):
    results = []
    for _ in range(5):
        ends = Ends(tmp_path)
        ends.trust()
        ends.secure()
        results.append(ends.open())
    assert len({one.SecurityToken.TokenId for one in results}) == 5
    assert len({one.ServerNonce for one in results}) == 5
    assert all(len(one.ServerNonce) == 32 for one in results)


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_a_nonce_of_the_wrong_length_is_refused(ends, length):
    assert status_of(lambda: ends.open(nonce=bytes(length))) == "BadNonceInvalid"


def test_renewal_needs_a_nonce_of_the_right_length_as_well(opened):
    assert status_of(lambda: opened.open(RENEW, nonce=b"")) == "BadNonceInvalid"


def test_a_channel_that_is_not_open_cannot_be_renewed(ends):
    assert status_of(lambda: ends.open(RENEW)) == "BadRequestTypeInvalid"


def test_a_channel_is_not_opened_twice(opened):
    assert status_of(opened.open) == "BadRequestTypeInvalid"


def test_a_mode_that_the_policy_does_not_have_is_refused(ends):
    assert status_of(lambda: ends.open(mode=NONE)) == "BadSecurityModeRejected"


def test_none_with_a_mode_that_pretends_security_is_refused(ends):
    ends.secure(SecurityPolicyNone)
    assert status_of(lambda: ends.open(mode=ENCRYPT)) == "BadSecurityModeRejected"


def test_an_old_policy_is_refused(ends):
    ends.secure(SecurityPolicyBasic256)
    assert status_of(ends.open) == "BadSecurityPolicyRejected"


def test_a_request_meant_for_another_certificate_is_refused(ends):
    chunk = ends.open_chunk(ends.request(), ReceiverCertificateThumbPrint=sha1(b"x").digest())
    assert status_of(lambda: ends.open_with(chunk)) == "BadSecurityChecksFailed"


def test_a_request_without_a_certificate_is_refused(ends):
    chunk = ends.open_chunk(ends.request(), SenderCertificate=b"")
    assert status_of(lambda: ends.open_with(chunk)) == "BadSecurityChecksFailed"
    assert rejected(ends) == []


# ---------------------------------------------------------------- who may come in


def test_a_stranger_that_has_its_key_is_kept_for_a_decision(tmp_path):
    ends = Ends(tmp_path)
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    (kept,) = rejected(ends)
    assert kept.read_bytes() == ends.client.der


def test_a_stranger_is_told_neither_why_nor_where_our_files_are(tmp_path):
    ends = Ends(tmp_path)
    ends.secure()
    with pytest.raises(TransportRefused) as refused:
        ends.open()
    assert f"twincell trust accept {ends.client.thumbprint}" in refused.value.reason  # our log
    assert str(tmp_path) not in refused.value.told
    assert "trust" not in refused.value.told


def test_somebody_elses_certificate_is_not_kept_and_does_not_let_in(tmp_path):
    ends = Ends(tmp_path)
    thief = Made(ends.client.certificate, rsa_key("thief"))
    ends.client = thief
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    assert rejected(ends) == []


def test_a_trusted_certificate_is_worth_nothing_without_its_key(tmp_path):
    ends = Ends(tmp_path)
    ends.trust()
    ends.client = Made(ends.client.certificate, rsa_key("thief"))
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    assert not ends.server.is_open()


def test_a_stranger_comes_in_once_it_is_trusted(tmp_path):
    ends = Ends(tmp_path)
    ends.secure()
    assert status_of(ends.open) == "BadSecurityChecksFailed"
    ends.trust()
    again = Ends(tmp_path, ends.client)
    again.secure()
    again.open()
    assert again.send() == MESSAGE


def test_a_trusted_certificate_that_has_expired_is_refused_and_not_kept(tmp_path):
    ends = Ends(tmp_path, made("old", begins=TODAY - 9 * DAY, ends=TODAY - DAY))
    ends.trust()
    ends.secure()
    assert status_of(ends.open) == "BadCertificateTimeInvalid"
    assert rejected(ends) == []


def test_a_weak_key_is_refused(tmp_path):
    ends = Ends(tmp_path, made("weak", key=rsa_key("weak", 1_024)))
    ends.trust()
    ends.secure()
    status = status_of(ends.open)
    assert status in ("BadCertificatePolicyCheckFailed", "BadSecurityChecksFailed")
    assert not ends.server.is_open()
