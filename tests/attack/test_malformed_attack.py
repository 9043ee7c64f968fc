"""Messages that make no sense get an answer or end their connection, and nothing else happens."""

import struct

import pytest
from asyncua import ua
from asyncua.ua.ua_binary import struct_to_binary

from bench.attack_intruder import Intruder
from bench.attack_messages import attack
from bench.attack_mutation import conversation
from bench.ua_wire import decoded
from tests.attack.besieged import Besieged
from tests.attack.test_memory_attack import assert_refused, read, subscribe, write_bytes

FAULT = ua.ObjectIds.ServiceFault_Encoding_DefaultBinary
FOR_EVERYBODY = (
    ua.ObjectIds.GetEndpointsResponse_Encoding_DefaultBinary,
    ua.ObjectIds.FindServersResponse_Encoding_DefaultBinary,
    ua.ObjectIds.CreateSessionResponse_Encoding_DefaultBinary,
)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_thousands_of_messages_with_mistakes_do_nothing(besieged: Besieged, seed: int):
    tried = attack(besieged.endpoint, 2000, seed)
    assert tried.unauthorised == 0
    with besieged.intruder() as welcome:
        speed = ua.NodeId("Simulation.Speed", 3)
        assert welcome.ask(read(speed, 1)).Results[0].Value.Value == 1.0


def test_every_message_cut_anywhere_is_refused(besieged: Besieged):
    with besieged.intruder() as intruder:
        for whole in conversation(intruder):
            for end in range(len(whole) - 1, 90, -3):  # the header stays whole
                number = intruder.send(whole[:end])
                assert intruder.answer_to(number)
        assert intruder.lives()


def test_without_a_session_nothing_is_answered_but_where_the_server_is(besieged: Besieged):
    with Intruder(besieged.endpoint) as nobody:
        for body in conversation(nobody):
            answer = nobody.answer_to(nobody.send(body))
            kind = int.from_bytes(answer[2:4], "little")
            assert kind == FAULT or kind in FOR_EVERYBODY


def test_nobody_can_register_a_server(besieged: Besieged):
    for request in (ua.RegisterServerRequest(), ua.RegisterServer2Request()):
        with (
            besieged.intruder("engineer") as intruder,
            pytest.raises(ua.uaerrors.BadServiceUnsupported),
        ):
            intruder.ask(request)


LITERAL = ua.ObjectIds.LiteralOperand_Encoding_DefaultBinary


def operands(depth: int) -> bytes:
    """A Variant with an ExtensionObject with a Variant with an ExtensionObject ..."""
    body = b"\x00"
    for _ in range(depth):
        body = struct.pack("<BBBHBi", 22, 1, 0, LITERAL, 1, len(body)) + body
    return body


@pytest.mark.parametrize(
    "nested",
    [b"\x18" * 50_000, b"\x19" + b"\x40" * 50_000, b"\x98\x01\x00\x00\x00" * 9_000, operands(3000)],
    ids=["Variants", "DiagnosticInfos", "arrays of Variants", "ExtensionObjects"],
)
def test_nesting_without_end_is_refused(besieged: Besieged, nested: bytes):
    with besieged.intruder() as intruder:
        assert_refused(write_bytes(intruder, nested))
        assert intruder.lives()


@pytest.mark.parametrize(
    "text", [b"\xed\xa0\x80", b"\x00", b"\xff\xfe", b"a\x00b", b"\xf4\x90\x80\x80", b"\x1b[2J"]
)
def test_texts_that_are_none_are_refused_wherever_they_stand(besieged: Besieged, text: bytes):
    packed = struct.pack("<i", len(text)) + text
    with besieged.intruder() as intruder:
        assert_refused(write_bytes(intruder, b"\x0c" + packed))
        create = ua.CreateSessionRequest()
        create.Parameters.SessionName = "x" * len(text)
        whole = bytes(struct_to_binary(create)).replace(b"x" * len(text), text)
        assert intruder.answer_to(intruder.send(whole))
        unknown = ua.NodeId("x" * len(text), 3)
        whole = intruder.encoded(read(unknown, 1)).replace(b"x" * len(text), text)
        assert intruder.answer_to(intruder.send(whole))
        assert intruder.lives()


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 1e308])
def test_times_that_are_none_are_replaced_by_sensible_ones(besieged: Besieged, number: float):
    with besieged.intruder() as intruder:
        create = ua.CreateSubscriptionRequest()
        create.Parameters = ua.CreateSubscriptionParameters(number, 2**32 - 1, 2**32 - 1, 0, True)
        made = intruder.ask(create).Parameters
        assert 5.0 <= made.RevisedPublishingInterval <= 3_600_000.0
        parameters = ua.MonitoringParameters(1, number, None, 2**32 - 1, True)
        value = ua.ReadValueId(ua.NodeId("Tool1.Pose.X", 3), ua.AttributeIds.Value)
        item = ua.MonitoredItemCreateRequest(value, ua.MonitoringMode.Reporting, parameters)
        request = ua.CreateMonitoredItemsRequest()
        request.Parameters = ua.CreateMonitoredItemsParameters(made.SubscriptionId, 2, [item])
        (result,) = intruder.ask(request).Results
        assert result.StatusCode.is_good() and 0.0 < result.RevisedSamplingInterval < 1e7
        again = intruder.create_session(number)
        assert 5_000.0 <= again.RevisedSessionTimeout <= 600_000.0


def test_numbers_that_are_no_members_of_their_enumeration_are_refused(besieged: Besieged):
    with besieged.intruder() as intruder:
        number = subscribe(intruder, 1000.0)
        mode = ua.SetMonitoringModeRequest()
        mode.Parameters = ua.SetMonitoringModeParameters(number, 7, [1])
        times = read(ua.NodeId("Tool1.Pose.X", 3), 1)
        times.Parameters.TimestampsToReturn = 99
        browse = ua.BrowseRequest()
        asked = ua.BrowseDescription(ua.NodeId(85), 55, ua.NodeId(33), True, 0, 63)
        browse.Parameters.NodesToBrowse = [asked]
        for request in (mode, times, browse):
            with pytest.raises(ua.UaStatusCodeError):
                answer = intruder.ask(request)
                answer.Results[0].StatusCode.check()


@pytest.mark.parametrize(
    "value",
    [
        ua.Variant("true"),
        ua.Variant(b"\x01"),
        ua.Variant([True]),
        ua.Variant(float("nan")),
        ua.Variant(2**63, ua.VariantType.UInt64),
        ua.Variant(ua.NodeId(1)),
        ua.Variant(ua.ReadValueId()),
        ua.Variant(),
        ua.Variant([[True], [False]]),
    ],
    ids=lambda value: value.VariantType.name,
)
def test_a_command_of_another_type_is_refused(besieged: Besieged, value: ua.Variant):
    with besieged.intruder("operator") as intruder:
        flag = ua.NodeId("Robot1Flange.Closed", 3)
        write = ua.WriteRequest()
        write.Parameters.NodesToWrite = [ua.WriteValue(flag, 13, None, ua.DataValue(value))]
        (status,) = intruder.ask(write).Results
        assert not status.is_good()


def test_structures_in_the_place_of_others_are_refused(besieged: Besieged):
    wrong = (ua.ReadValueId(), ua.AnonymousIdentityToken("anonymous"), ua.EventFilter())
    with besieged.intruder() as intruder:
        number = subscribe(intruder, 1000.0)
        for filter_ in wrong:
            parameters = ua.MonitoringParameters(1, 1.0, filter_, 1, True)
            value = ua.ReadValueId(ua.NodeId("Tool1.Pose.X", 3), ua.AttributeIds.Value)
            item = ua.MonitoredItemCreateRequest(value, ua.MonitoringMode.Reporting, parameters)
            request = ua.CreateMonitoredItemsRequest()
            request.Parameters = ua.CreateMonitoredItemsParameters(number, 2, [item])
            (result,) = intruder.ask(request).Results
            assert not result.StatusCode.is_good()
        for token in (ua.ReadValueId(), ua.EventFilter(), ua.DataChangeFilter()):
            intruder.create_session()
            with pytest.raises(ua.uaerrors.BadIdentityTokenInvalid):
                intruder.activate(token)


def test_more_operations_than_are_allowed_are_refused_before_the_first(besieged: Besieged):
    with besieged.intruder() as intruder:
        for count, status in ((1001, "BadTooManyOperations"), (0, "BadNothingToDo")):
            for body in many_operations(count):
                body.RequestHeader.AuthenticationToken = intruder.token
                answer = intruder.answer_to(intruder.send(bytes(struct_to_binary(body))))
                with pytest.raises(getattr(ua.uaerrors, status)):
                    decoded(ua.ServiceFault, answer)


def many_operations(count: int) -> list[object]:
    node = ua.NodeId("Tool1.Pose.X", 3)
    write, call, browse = ua.WriteRequest(), ua.CallRequest(), ua.BrowseRequest()
    write.Parameters.NodesToWrite = [ua.WriteValue(node, 13)] * count
    call.Parameters.MethodsToCall = [ua.CallMethodRequest(node, node)] * count
    browse.Parameters.NodesToBrowse = [ua.BrowseDescription(node)] * count
    translate, register = ua.TranslateBrowsePathsToNodeIdsRequest(), ua.RegisterNodesRequest()
    translate.Parameters.BrowsePaths = [ua.BrowsePath(node)] * count
    register.Parameters.NodesToRegister = [node] * count
    history = ua.HistoryReadRequest()
    history.Parameters.NodesToRead = [ua.HistoryReadValueId(node)] * count
    return [read(node, count), write, call, browse, translate, register, history]
