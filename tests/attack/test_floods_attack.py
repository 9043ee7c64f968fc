"""Whoever comes too often, too slowly or too many times keeps nobody else out."""

import select
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from asyncua import ua

from bench.attack_intruder import Intruder
from bench.ua_wire import ConnectionEnded
from tests.attack.besieged import Besieged, descriptors
from twincell.server.opcua.limits import Limits

LIMITS = Limits()
HELLO = struct.pack("<3scIIIIIIi", b"HEL", b"F", 32, 0, 65_535, 65_535, 0, 0, -1)


@contextmanager
def sockets(besieged: Besieged, count: int) -> Iterator[list[socket.socket]]:
    """So many connections that say nothing."""
    with ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(("127.0.0.1", besieged.cell.port), 20))
            for _ in range(count)
        ]


def is_closed(one: socket.socket) -> bool:
    try:
        return bool(select.select([one], [], [], 0)[0]) and not one.recv(1000)
    except OSError:
        return True


def test_hundreds_of_silent_connections_keep_nobody_out(besieged: Besieged):
    before = descriptors(besieged.pid)
    with sockets(besieged, 300) as silent:
        with besieged.intruder() as welcome:
            assert welcome.lives()
        assert descriptors(besieged.pid) - before <= LIMITS.unauthenticated_connections + 10
        closed = sum(map(is_closed, silent))
    assert closed >= 300 - LIMITS.unauthenticated_connections


def test_handshakes_that_stop_half_way_keep_nobody_out(besieged: Besieged):
    with sockets(besieged, 120) as half:
        for one in half:
            try:
                one.sendall(HELLO)
            except OSError:
                continue  # it had to make room
        with ExitStack() as stack:
            for _ in range(60):  # with a channel, and no session
                stack.enter_context(Intruder(besieged.endpoint))
            with besieged.intruder() as welcome:
                assert welcome.lives()


def test_a_client_that_sends_a_byte_now_and_then_is_shown_out(besieged: Besieged):
    began = time.monotonic()
    with sockets(besieged, 5) as slow:
        for byte in HELLO * 2:
            for one in slow:
                try:
                    one.sendall(bytes([byte]))
                except OSError:
                    continue
            time.sleep(0.25)
            if all(map(is_closed, slow)):
                break
        else:
            pytest.fail("it could go on")
    assert time.monotonic() - began < LIMITS.seconds_to_activate + 2.0


def test_chunks_that_never_end_are_cut_off_before_a_login(besieged: Besieged):
    with Intruder(besieged.endpoint) as intruder:
        sent = flood_of_chunks(intruder, bytes(8_000))
    assert sent * 8_000 < LIMITS.message_bytes  # the rest of it is in sockets


def test_chunks_that_never_end_are_cut_off_after_a_login(besieged: Besieged):
    for size in (0, 16, 60_000):
        with besieged.intruder() as intruder:
            assert flood_of_chunks(intruder, bytes(size)) < 100_000


def flood_of_chunks(intruder: Intruder, body: bytes) -> int:
    """How many chunks of a message without an end can be sent."""
    intruder.socket.settimeout(5.0)
    for count in range(100_000):
        try:
            intruder.raw(intruder.chunk(body, b"C", request=int(count == 0)))
        except OSError:
            return count
    return 100_000


def test_aborted_messages_cost_nothing(besieged: Besieged):
    with besieged.intruder() as intruder:
        for _ in range(300):
            intruder.raw(intruder.chunk(bytes(10_000), b"C"))
            intruder.raw(intruder.chunk(struct.pack("<Ii", 0x80000000, -1), b"A", request=0))
        assert intruder.lives()


def test_sessions_that_are_never_used_make_room_for_others(besieged: Besieged):
    with ExitStack() as stack:
        made = 0
        for _ in range(20):
            intruder = stack.enter_context(Intruder(besieged.endpoint))
            for _ in range(12):
                try:
                    intruder.create_session()
                except ua.uaerrors.BadTooManySessions:
                    break
                made += 1
        assert made > LIMITS.sessions
        with besieged.intruder() as welcome:
            assert welcome.lives()


def test_sessions_whose_clients_vanish_make_room_for_others(besieged: Besieged):
    for _ in range(LIMITS.sessions + 10):
        with besieged.intruder() as intruder:
            intruder.ask(subscription())
    with besieged.intruder() as welcome:
        assert welcome.lives()


def test_subscriptions_have_an_end(besieged: Besieged):
    with besieged.intruder() as intruder:
        for _ in range(LIMITS.subscriptions_per_session):
            intruder.ask(subscription(0.0))
        with pytest.raises(ua.uaerrors.BadTooManySubscriptions):
            intruder.ask(subscription())
        intruder.ask(ua.CloseSessionRequest(DeleteSubscriptions=True))


def test_publish_requests_have_an_end(besieged: Besieged):
    with besieged.intruder() as intruder:
        intruder.ask(subscription(1e6))
        intruder.ask(ua.CreateSubscriptionRequest())
        publish = [intruder.send(intruder.encoded(ua.PublishRequest())) for _ in range(1000)]
        assert intruder.lives()
        assert len(intruder.answers) >= len(publish) - LIMITS.publish_requests_per_session


def subscription(interval_ms: float = 1000.0) -> ua.CreateSubscriptionRequest:
    request = ua.CreateSubscriptionRequest()
    request.Parameters.RequestedPublishingInterval = interval_ms
    request.Parameters.RequestedLifetimeCount = 1000
    request.Parameters.PublishingEnabled = True
    return request


def test_requests_of_hundreds_of_connections_are_answered_in_turns(besieged: Besieged):
    with ExitStack() as stack:
        crowd = [stack.enter_context(besieged.intruder()) for _ in range(60)]
        for _ in range(5):
            for one in crowd:
                one.send(one.encoded(ua.FindServersRequest()))
        for one in crowd:
            try:
                assert one.lives()
            except ConnectionEnded:
                pytest.fail("who logged in is shown out by nobody")
