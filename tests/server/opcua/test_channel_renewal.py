"""The secure channel, both ends in one place: keys that are renewed.

What goes wrong must end the connection with the status that OPC UA has for it.
"""

from dataclasses import replace

import pytest
from asyncua.crypto.security_policies import (
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyNone,
)

from tests.server.opcua.channel_ends import MESSAGE, RENEW, SIGN, made, status_of
from tests.server.security.made_certificates import Made, rsa_key
from twincell.server.opcua.wire import channel as channel_module


def test_both_keys_work_until_the_client_uses_the_new_ones(opened):
    first = opened.server.security_token.TokenId
    renewed = opened.open(RENEW).SecurityToken
    assert renewed.ChannelId == 77
    assert renewed.TokenId == first + 1
    assert opened.send() == MESSAGE  # with the old keys
    opened.use_new_keys()
    assert opened.send() == MESSAGE


def test_the_old_keys_are_worth_nothing_once_the_new_ones_were_used(opened):
    opened.open(RENEW)
    (late,) = opened.message()
    opened.use_new_keys()
    opened._end._sequence_number -= 1
    assert opened.send() == MESSAGE
    assert status_of(lambda: opened.server.receive(late)) == "BadSecureChannelTokenUnknown"


def test_the_old_keys_under_the_name_of_the_new_token_are_refused(opened):
    token = opened.open(RENEW).SecurityToken.TokenId
    assert status_of(lambda: opened.send(token=token)) == "BadSecurityChecksFailed"


def test_a_channel_renewed_twice_uses_the_last_keys(opened):
    opened.open(RENEW)
    opened.open(RENEW)
    opened.use_new_keys()
    assert opened.send() == MESSAGE


def test_renewal_does_not_change_the_mode(opened):
    assert status_of(lambda: opened.open(RENEW, mode=SIGN)) == "BadSecurityModeRejected"


@pytest.mark.parametrize("policy", [SecurityPolicyNone, SecurityPolicyAes256Sha256RsaPss])
def test_renewal_does_not_change_the_policy(opened, policy):
    opened.secure(policy)
    assert status_of(lambda: opened.open(RENEW)) == "BadSecurityChecksFailed"


def test_renewal_does_not_change_the_certificate(opened):
    opened.client = made("another")
    opened.trust()
    opened.secure()
    assert status_of(lambda: opened.open(RENEW)) == "BadSecurityChecksFailed"


def test_renewal_needs_the_key_of_the_certificate(opened):
    opened.client = Made(opened.client.certificate, rsa_key("thief"))
    opened.secure()
    assert status_of(lambda: opened.open(RENEW)) == "BadSecurityChecksFailed"


def test_renewal_names_its_channel(opened):
    opened._end.security_token = replace(opened._end.security_token, ChannelId=78)
    assert status_of(lambda: opened.open(RENEW)) == "BadTcpSecureChannelUnknown"


def test_a_channel_that_was_not_renewed_in_time_is_refused(ends, monkeypatch):
    ends.open(lifetime_ms=60_000)
    clock = channel_module.time.monotonic
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 70)
    assert ends.send() == MESSAGE  # a quarter is for messages on their way
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 76)
    assert ends.server.has_expired
    assert ends.server.seconds_left < 0
    assert status_of(ends.send) == "BadSecureChannelTokenUnknown"


def test_renewal_gives_the_channel_new_time(ends, monkeypatch):
    ends.open(lifetime_ms=60_000)
    clock = channel_module.time.monotonic
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 70)
    ends.open(RENEW, lifetime_ms=60_000)
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 130)
    ends.use_new_keys()
    assert ends.send() == MESSAGE


def test_old_keys_are_not_used_longer_because_there_are_new_ones(ends, monkeypatch):
    ends.open(lifetime_ms=60_000)
    clock = channel_module.time.monotonic
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 70)
    ends.open(RENEW, lifetime_ms=60_000)
    assert ends.send() == MESSAGE  # with the old ones
    monkeypatch.setattr(channel_module.time, "monotonic", lambda: clock() + 80)
    assert status_of(ends.send) == "BadSecureChannelTokenUnknown"
