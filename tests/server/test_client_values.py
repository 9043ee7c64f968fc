"""Values as text and texts as values, by the data type of a node."""

import pytest
from asyncua import ua

from twincell.server.client.endpoint import endpoint_of
from twincell.server.client.values import NotAValue, shown, text_of, type_name, variant_of
from twincell.server.errors import Refusal

SCALAR, ARRAY = -1, 1


def data_type(name: str) -> ua.NodeId:
    return ua.NodeId(getattr(ua.ObjectIds, name))


@pytest.mark.parametrize(
    ("text", "type_", "rank", "value"),
    [
        ("true", "Boolean", SCALAR, True),
        ("OFF", "Boolean", SCALAR, False),
        ("-5", "Int32", SCALAR, -5),
        ("1.5", "Double", SCALAR, 1.5),
        ("2", "Double", SCALAR, 2.0),
        ("a b", "String", SCALAR, "a b"),
        ("[1, 2.5]", "Double", ARRAY, [1.0, 2.5]),
        ("[]", "Double", ARRAY, []),
        ("[4294967295]", "UInt32", ARRAY, [4294967295]),
    ],
)
def test_a_text_is_a_value_of_the_nodes_type(text, type_, rank, value):
    variant = variant_of(text, data_type(type_), rank)
    assert variant.Value == value
    assert variant.VariantType is ua.VariantType[type_]
    assert variant.is_array == (rank == ARRAY)


def test_a_frame_is_a_list_of_six_numbers():
    variant = variant_of("[1,2,3,0.1,0.2,0.3]", data_type("ThreeDFrame"), SCALAR)
    assert variant.Value == ua.ThreeDFrame(
        ua.ThreeDCartesianCoordinates(1.0, 2.0, 3.0), ua.ThreeDOrientation(0.1, 0.2, 0.3)
    )
    assert text_of(variant.Value) == "[1, 2, 3, 0.1, 0.2, 0.3]"


@pytest.mark.parametrize(
    ("text", "type_", "rank"),
    [
        ("maybe", "Boolean", SCALAR),
        ("1.5", "Int32", SCALAR),
        ("2147483648", "Int32", SCALAR),
        ("-1", "UInt32", SCALAR),
        ("much", "Double", SCALAR),
        ("nan", "Double", SCALAR),
        ("1", "Double", ARRAY),
        ("[1, x]", "Double", ARRAY),
        ("[1, 2]", "ThreeDFrame", SCALAR),
        ("2026-01-01", "UtcTime", SCALAR),
    ],
)
def test_a_text_that_is_no_value_is_refused(text, type_, rank):
    with pytest.raises(NotAValue):
        variant_of(text, data_type(type_), rank)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "true"),
        (-0.0, "0"),
        (0.1 + 0.2, "0.3"),
        (None, ""),
        (list(range(20)), "[0, 1, 2, 3, 4, 5, 6, 7, ... 20 in all]"),
        (ua.EUInformation(DisplayName=ua.LocalizedText("m/s")), "m/s"),
    ],
)
def test_a_value_is_shown_as_a_person_reads_it(value, text):
    assert text_of(value) == text


def test_a_status_that_is_not_good_is_shown():
    bad = ua.DataValue(StatusCode=ua.StatusCode(ua.StatusCodes.BadNoCommunication))
    assert shown(bad) == "BadNoCommunication"


def test_a_good_status_that_says_more_is_shown_beside_the_value():
    forced = ua.DataValue(ua.Variant(1.5), ua.StatusCode(ua.StatusCodes.GoodLocalOverride))
    assert shown(forced) == "1.5 (GoodLocalOverride)"


def test_types_have_the_names_of_the_standard():
    assert type_name(data_type("ThreeDFrame"), SCALAR) == "3DFrame"
    assert type_name(data_type("Double"), ARRAY) == "Double[]"


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("opc.tcp://plc:4841/path", "opc.tcp://plc:4841/path"),
        ("localhost", "opc.tcp://localhost:4840"),
        ("localhost:4841", "opc.tcp://localhost:4841"),
        ("opc.tcp://[::1]", "opc.tcp://[::1]:4840"),
    ],
)
def test_what_is_left_out_of_an_address_is_as_usual(url, endpoint):
    assert endpoint_of(url) == endpoint


@pytest.mark.parametrize("url", ["http://localhost", "opc.tcp://", "localhost:x", "host:70000"])
def test_what_is_no_address_is_refused(url):
    with pytest.raises(Refusal, match="such as opc"):
        endpoint_of(url)
