"""Who counts as being on this machine, and what that is worth."""

from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.server.opcua.made_security import made_security
from twincell.server.security.origin import THIS_MACHINE, is_loopback, origin_of
from twincell.server.security.roles import Identity, Role


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "127.255.255.254", "::1"])
def test_loopback_is_this_machine(address):
    assert is_loopback(address)


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.0.1",
        "128.0.0.1",
        "::",
        "fe80::1",
        "localhost",
        "127.0.0.1.example.com",
        "127.1",
        "2130706433",
        "0127.0.0.1",
        " 127.0.0.1",
        "",
    ],
)
def test_every_other_address_is_another_machine(address):
    assert not is_loopback(address)


@given(st.text())
def test_nonsense_is_another_machine(text):
    assert not is_loopback(text) or text.startswith(("127.", "::", "0"))


@given(st.ip_addresses())
def test_an_address_is_this_machine_only_if_it_is_loopback(address):
    assert is_loopback(str(address)) == address.is_loopback


@pytest.mark.parametrize(
    ("client", "own", "origin"),
    [
        ("127.0.0.1", "127.0.0.1", THIS_MACHINE),
        ("127.0.0.5", "127.0.0.2", THIS_MACHINE),  # it has many addresses to itself
        ("192.168.0.7", "192.168.0.7", THIS_MACHINE),  # by our own address on the network
        ("192.168.0.8", "192.168.0.7", "192.168.0.8"),
        ("nonsense", "192.168.0.7", "nonsense"),
    ],
)
def test_who_is_on_this_machine_has_one_origin_whatever_address(client, own, origin):
    assert origin_of(client, own) == origin


def test_by_default_anonymous_clients_read_here_and_do_nothing_elsewhere():
    security = made_security()
    assert security.anonymous(is_local=True) is Role.OBSERVER
    assert security.anonymous(is_local=False) is Role.NOBODY


def test_by_default_nobody_elsewhere_does_without_encryption():
    security = made_security()
    assert security.allows_plain(is_local=True)
    assert not security.allows_plain(is_local=False)


def test_a_network_in_plain_gives_anonymous_clients_nothing():
    security = replace(made_security(), plain_elsewhere=True, anonymous_here=Role.ENGINEER)
    assert security.allows_plain(is_local=False)
    assert security.anonymous(is_local=False) is Role.NOBODY


def test_roles_are_ordered_by_what_they_may_do():
    assert Role.NOBODY < Role.OBSERVER < Role.OPERATOR < Role.ENGINEER


def test_what_was_decided_does_not_change_while_the_server_runs():
    with pytest.raises(FrozenInstanceError):
        made_security().anonymous_elsewhere = Role.ENGINEER  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Identity("anna", Role.OBSERVER).role = Role.ENGINEER  # type: ignore[misc]
