"""Where clients find a server, and who counts as being on the same machine."""

import pytest

from twincell.server.listening import endpoint_of
from twincell.server.security.security import is_same_machine


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("127.0.0.1", "localhost"),
        ("0.0.0.0", "localhost"),
        ("127.0.0.2", "127.0.0.2"),
        ("192.168.0.7", "192.168.0.7"),
    ],
)
def test_a_client_on_the_machine_finds_it(host: str, name: str):
    assert endpoint_of(host, 4840) == f"opc.tcp://{name}:4840"


@pytest.mark.parametrize(
    ("client", "own", "is_same"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.5", "127.0.0.2", True),
        ("::1", "::1", True),
        ("192.168.0.7", "192.168.0.7", True),  # by our own address on the network
        ("192.168.0.8", "192.168.0.7", False),
        ("nonsense", "192.168.0.7", False),
    ],
)
def test_who_is_on_the_same_machine(client: str, own: str, is_same: bool):
    assert is_same_machine(client, own) is is_same
