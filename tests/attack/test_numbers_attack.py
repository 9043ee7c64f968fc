"""Channels, tokens and sequence numbers that are not the sender's end its connection at once."""

import struct

import pytest
from asyncua import ua

from bench.attack_intruder import Intruder
from tests.attack.besieged import Besieged

ANY = {"channel": 1, "token": 1, "sequence": 1}


@pytest.mark.parametrize(
    "wrong",
    [
        {"channel": 1},
        {"channel": -1},
        {"token": 1},
        {"token": -1},
        {"sequence": 0},
        {"sequence": -1},
        {"sequence": 2},
        {"sequence": 10**6},
    ],
    ids=str,
)
def test_a_forged_number_ends_the_connection(besieged: Besieged, wrong: dict[str, int]):
    with besieged.intruder() as intruder:
        body = intruder.encoded(ua.FindServersRequest())
        intruder.raw(intruder.chunk(body, **wrong))
        assert intruder.is_shown_out()


def test_whole_chunks_that_are_sent_again_end_the_connection(besieged: Besieged):
    with besieged.intruder() as intruder:
        chunk = intruder.chunk(intruder.encoded(ua.FindServersRequest()))
        intruder.raw(chunk + chunk)
        assert intruder.is_shown_out()


@pytest.mark.parametrize("size", [0, 1, 11, 65_536, 2**31 - 1, 2**31, 2**32 - 1])
@pytest.mark.parametrize("type_", [b"HEL", b"OPN", b"MSG", b"CLO"])
def test_a_claim_of_a_size_that_cannot_be_ends_the_connection(
    besieged: Besieged, size: int, type_: bytes
):
    with Intruder(besieged.endpoint) as intruder:
        intruder.raw(intruder.chunk(b"", type_=type_, size=size))
        assert intruder.is_shown_out()


@pytest.mark.parametrize("begin", [b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00" * 9, b"ACKF"])
def test_another_protocol_is_shown_out(besieged: Besieged, begin: bytes):
    with Intruder(besieged.endpoint) as intruder:
        intruder.raw(begin + struct.pack("<IIII", 28, 0, 0, 0))
        assert intruder.is_shown_out()
