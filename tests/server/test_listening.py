"""Where clients find a server."""

import pytest

from twincell.server.listening import endpoint_of


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
