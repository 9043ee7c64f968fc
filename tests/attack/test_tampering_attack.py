"""Whoever stands between a client and the server can listen, spoil and repeat, but gains nothing.

The relay is real, and so are the client, its certificate and its messages.
"""

import asyncio
import random
import socket
from collections.abc import Iterator
from contextlib import suppress

import pytest
from asyncua import Client, ua
from asyncua.crypto import uacrypto

from bench.attack_intruder import Intruder
from bench.attack_mutation import Mutation
from tests.attack.besieged import PASSWORD, Besieged
from tests.attack.relay import Relay, relay
from tests.attack.test_memory_attack import read
from tests.conformance.secured_cell import APPLICATION_URI, POLICIES, Owner, owner
from twincell.server.security.own_files import certificate_file

SIGN, ENCRYPT = ua.MessageSecurityMode.Sign, ua.MessageSecurityMode.SignAndEncrypt
STOP = ua.NodeId("Robot1.Stop", 3)  # which the timeline leaves alone
POSE = ua.NodeId("Tool1.Pose.X", 3)
PATIENCE_S = 20.0
LOST_S = 1.0  # a spoiled length makes the server wait for bytes that never come
MESSAGES = 1500
HEADER_BYTES = 90  # of a message: type, and a request header with a token of 32 bytes


@pytest.fixture(scope="package")
def application(standing: Besieged, tmp_path_factory: pytest.TempPathFactory) -> Owner:
    """An application that the attacked cell trusts."""
    made = owner(tmp_path_factory.mktemp("application"), "operator_panel")
    made.made.put(standing.security.trusted)
    return made


@pytest.fixture
def between(besieged: Besieged) -> Iterator[Relay]:
    with relay(besieged.cell.port) as made:
        yield made


async def panel(
    besieged: Besieged, application: Owner, between: Relay, mode: ua.MessageSecurityMode
) -> Client:
    """An operator's client that is connected through the relay."""
    client = Client(between.endpoint, timeout=PATIENCE_S)
    client.application_uri = APPLICATION_URI
    own = uacrypto.CertProperties(certificate_file(besieged.security).read_bytes(), "der")
    await client.set_security(
        POLICIES["Basic256Sha256"],
        str(application.certificate),
        str(application.key),
        server_certificate=own,
        mode=mode,
    )
    client.set_user("operator")
    client.set_password(PASSWORD)
    await client.connect()
    return client


def is_stopped(besieged: Besieged) -> bool:
    """What the cell does, as somebody else sees it."""
    with besieged.intruder() as other:
        return bool(other.ask(read(STOP, 1)).Results[0].Value.Value)


@pytest.mark.parametrize("mode", [SIGN, ENCRYPT], ids=["signed", "encrypted"])
@pytest.mark.parametrize("part", range(8))
async def test_a_command_with_one_wrong_bit_is_never_carried_out(
    besieged: Besieged, application: Owner, between: Relay, mode: ua.MessageSecurityMode, part: int
):
    before = await asyncio.to_thread(is_stopped, besieged)
    client = await panel(besieged, application, between, mode)
    chosen = random.Random(part)

    def spoiled(chunk: bytes) -> bytes:
        # somewhere in its eighth: headers, numbers, body, signature
        at = int((part + chosen.random()) * len(chunk) / 8)
        return chunk[:at] + bytes([chunk[at] ^ 1 << chosen.randrange(8)]) + chunk[at + 1 :]

    between.spoil = spoiled
    written = client.get_node(STOP).write_value(not before, ua.VariantType.Boolean)
    with pytest.raises((ConnectionError, ua.UaError, TimeoutError)):
        await asyncio.wait_for(written, LOST_S)
    between.close()
    await vanish(client)
    assert await asyncio.to_thread(is_stopped, besieged) == before


async def test_a_secured_session_sent_again_word_for_word_is_refused(
    besieged: Besieged, application: Owner, between: Relay
):
    before = await asyncio.to_thread(is_stopped, besieged)
    client = await panel(besieged, application, between, ENCRYPT)
    node = client.get_node(STOP)
    await node.write_value(not before, ua.VariantType.Boolean)
    command_heard = len(between.heard)
    await node.write_value(before, ua.VariantType.Boolean)
    await client.disconnect()

    with socket.create_connection(("127.0.0.1", besieged.cell.port), PATIENCE_S) as again:
        for chunk in between.heard[:command_heard]:
            again.sendall(chunk)
        answers = await asyncio.to_thread(everything_from, again)
    # hello is answered, and a channel is opened for which only the application has the keys
    assert answers.count(b"ACKF") == 1
    assert b"MSGF" not in answers
    assert await asyncio.to_thread(is_stopped, besieged) == before


async def test_what_a_real_client_said_does_no_harm_with_mistakes(
    besieged: Besieged, between: Relay
):
    """Recorded traffic: asyncua's client browses, reads, subscribes to values and events."""
    said = await recorded(between)
    assert len(said) > 20
    await asyncio.to_thread(send_mutated, besieged, said)


async def recorded(between: Relay) -> list[bytes]:
    """The messages of a client that looks around, without the heads of their chunks."""
    client = Client(between.endpoint, timeout=PATIENCE_S)
    async with client:
        pose = client.get_node(POSE)
        await client.nodes.objects.get_children()
        await pose.read_browse_name()
        await pose.get_references()
        await client.get_namespace_array()
        await client.read_values([pose, client.get_node(STOP)])
        subscription = await client.create_subscription(50, Listener())
        handle = await subscription.subscribe_data_change(pose)
        await subscription.subscribe_events()
        await asyncio.sleep(0.3)
        await subscription.modify_monitored_item(handle, 100, 5)
        await subscription.unsubscribe(handle)
        await subscription.delete()
    return [chunk[24:] for chunk in between.heard if chunk.startswith(b"MSG")]


class Listener:
    """Hears, and does nothing about it."""

    def datachange_notification(self, *_: object) -> None:
        pass

    def event_notification(self, _: object) -> None:
        pass


def send_mutated(besieged: Besieged, said: list[bytes]) -> None:
    """The same messages from a session of our own, with mistakes in them."""
    mutation, sent = Mutation(seed=6), 0
    tokens = [token_of(message) for message in said]
    while sent < MESSAGES:
        with besieged.intruder() as intruder:
            own = token_of(intruder.encoded(ua.CloseSessionRequest()))
            for _ in range(100):
                number = mutation.random.randrange(len(said))
                message = said[number].replace(tokens[number], own, 1)
                if not survives(intruder, mutation.mutated(message, HEADER_BYTES)):
                    break
                sent += 1


def survives(intruder: Intruder, message: bytes) -> bool:
    """Whether the connection goes on after a message."""
    try:
        intruder.send(message)
    except OSError:
        return False
    sent_ok = intruder.lives()
    intruder.answers.clear()
    return sent_ok


def token_of(message: bytes) -> bytes:
    """The authentication token in a request: behind its type, 4 bytes."""
    if message[4] != 5:  # it is not yet an opaque NodeId: before the session
        return message[4:6]
    return message[4 : 4 + 7 + int.from_bytes(message[7:11], "little")]


def everything_from(other: socket.socket) -> bytes:
    """What comes until the connection is ended, or for a while."""
    other.settimeout(LOST_S)
    heard = b""
    try:
        while got := other.recv(1 << 16):
            heard += got
    except OSError:
        pass
    return heard


async def vanish(client: Client) -> None:
    """Leave without a word."""
    with suppress(ConnectionError, ua.UaError, TimeoutError):
        await asyncio.wait_for(client.disconnect(), LOST_S)
