"""What a client asks for and does not read, or only claims, costs the server no memory."""

import struct

import pytest
from asyncua import ua
from asyncua.ua.ua_binary import nodeid_to_binary, struct_to_binary

from bench.attack_intruder import Intruder
from bench.ua_wire import ConnectionEnded, decoded
from tests.attack.besieged import Besieged
from twincell.server.opcua.wire.decoding import MOST_FLAGS, LimitedBuffer
from twincell.server.opcua.wire.decoding import decoded as decoded_by_server

SCHEMA = ua.NodeId(ua.ObjectIds.OpcUa_XmlSchema)  # 300 kB
POSE = ua.NodeId("Tool1.Pose.X", 3)


def read(node: ua.NodeId, count: int) -> ua.ReadRequest:
    request = ua.ReadRequest()
    request.Parameters.NodesToRead = [ua.ReadValueId(node, ua.AttributeIds.Value)] * count
    return request


def items(subscription: int, count: int, queue: int) -> ua.CreateMonitoredItemsRequest:
    request = ua.CreateMonitoredItemsRequest()
    every = ua.DataChangeFilter(ua.DataChangeTrigger.StatusValueTimestamp, 0, 0.0)
    request.Parameters = ua.CreateMonitoredItemsParameters(
        subscription,
        ua.TimestampsToReturn.Both,
        [
            ua.MonitoredItemCreateRequest(
                ua.ReadValueId(POSE, ua.AttributeIds.Value),
                ua.MonitoringMode.Reporting,
                ua.MonitoringParameters(n, 1.0, every, queue, True),
            )
            for n in range(count)
        ],
    )
    return request


def subscribe(intruder: Intruder, interval_ms: float = 5.0) -> int:
    request = ua.CreateSubscriptionRequest()
    request.Parameters = ua.CreateSubscriptionParameters(interval_ms, 1000, 10, 0, True, 255)
    return int(intruder.ask(request).Parameters.SubscriptionId)


def test_an_answer_of_hundreds_of_megabytes_is_refused(besieged: Besieged):
    with besieged.intruder() as intruder:
        with pytest.raises(ua.uaerrors.BadResponseTooLarge):
            intruder.ask(read(SCHEMA, 1000))
        assert len(intruder.ask(read(SCHEMA, 10)).Results) == 10


def test_large_answers_that_are_not_read_stop_the_questions(besieged: Besieged):
    with besieged.intruder() as intruder:
        intruder.socket.settimeout(1.0)
        question = intruder.encoded(read(SCHEMA, 20))
        try:
            for _ in range(3000):  # 20 GB of answers
                intruder.send(question)
        except (TimeoutError, OSError):
            pass
        assert besieged.mb < 400.0


def test_notifications_that_are_not_read_stop_coming(besieged: Besieged):
    with besieged.intruder() as intruder:
        number = subscribe(intruder)
        for _ in range(3):
            intruder.ask(items(number, 1000, 10_000))
        for _ in range(90):
            intruder.send(intruder.encoded(ua.PublishRequest()))
        with besieged.intruder() as welcome:
            for _ in range(50):
                assert welcome.lives()


def test_thousands_of_items_have_an_end(besieged: Besieged):
    with besieged.intruder() as intruder:
        number = subscribe(intruder, 1000.0)
        with pytest.raises(ua.uaerrors.BadTooManyMonitoredItems):
            for _ in range(21):
                intruder.ask(items(number, 1000, 2**32 - 1))
        intruder.ask(ua.CloseSessionRequest(DeleteSubscriptions=True))


@pytest.mark.parametrize("type_", [0, 1, 3, 11, 12, 15, 22, 23, 24, 25])
def test_an_array_that_is_only_claimed_is_refused(besieged: Besieged, type_: int):
    with besieged.intruder() as intruder:
        for count in (4_000_000, 2**31 - 1, -2, -(2**31)):
            answer = write_bytes(intruder, struct.pack("<Bi", 0x80 | type_, count))
            assert_refused(answer)
        assert intruder.lives()


def test_dimensions_that_multiply_to_anything_are_refused(besieged: Besieged):
    with besieged.intruder() as intruder:
        for dimensions in ([2**31 - 1] * 3, [65_536, 65_536], [1] * 5000, [-1, -1], [0] * 9):
            body = struct.pack("<Bidi", 0xC0 | 11, 1, 1.0, len(dimensions))
            body += struct.pack(f"<{len(dimensions)}i", *dimensions)
            assert_refused(write_bytes(intruder, body))
        assert intruder.lives()


def test_a_header_that_takes_long_to_decode_ends_the_connection(besieged: Besieged):
    """The header is decoded before anybody knows who sent it."""
    with Intruder(besieged.endpoint) as intruder:
        request = ua.FindServersRequest()
        many = ua.LiteralOperand(ua.Variant([ua.Variant(1)] * 10_000, ua.VariantType.Variant))
        request.RequestHeader.AdditionalHeader = many
        intruder.send(intruder.encoded(request))
        with pytest.raises(ConnectionEnded):
            intruder.receive()


def test_flags_in_every_combination_are_not_remembered_for_ever():
    for first in range(0, 20_000, 100):
        for value in range(first, first + 100):
            body = struct.pack("<I", value * 7919)
            decoded_by_server(ua.AttributeWriteMask, LimitedBuffer(body, 100, 100))
    assert len(ua.AttributeWriteMask._value2member_map_) <= MOST_FLAGS + 1
    assert ua.AttributeWriteMask(1) is ua.AttributeWriteMask.AccessLevel


def write_bytes(intruder: Intruder, variant: bytes) -> bytes:
    """The answer to a Write of a variant that is any bytes."""
    request = ua.WriteRequest()
    request.RequestHeader.AuthenticationToken = intruder.token
    empty = bytes(struct_to_binary(request))[:-4]
    body = struct.pack("<i", 1) + nodeid_to_binary(POSE)
    body += struct.pack("<Ii", ua.AttributeIds.Value, -1) + b"\x01" + variant
    return intruder.answer_to(intruder.send(empty + body))


def assert_refused(answer: bytes) -> None:
    with pytest.raises(ua.UaStatusCodeError):
        for result in decoded(ua.WriteResponse, answer).Results:
            result.check()
