"""Decoding within a budget: what is meant well comes out as it was, nothing else costs much."""

import struct
import time
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.ua import ua_binary
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.wire.decoding import (
    LimitedBuffer,
    Longest,
    TooMuch,
    decoded,
    decoded_acknowledgements,
)

LIMITS = Limits()
REQUESTS = sorted(
    name
    for name in dir(ua)
    if name.endswith("Request") and hasattr(ua.ObjectIds, f"{name}_Encoding_DefaultBinary")
)
STRUCTURES = [
    ua.RequestHeader,
    ua.Hello,
    ua.OpenSecureChannelParameters,
    ua.CreateSessionParameters,
    ua.ActivateSessionParameters,
    ua.ReadParameters,
    ua.WriteParameters,
    ua.CallParameters,
    ua.BrowseParameters,
    ua.CreateMonitoredItemsParameters,
    ua.TranslateBrowsePathsToNodeIdsParameters,
    ua.HistoryReadParameters,
    ua.Variant,
    ua.ExtensionObject,
    ua.DataValue,
    ua.DiagnosticInfo,
]
NULL_ARRAY = b"\x80" + struct.pack("<i", 4_000_000)  # a Variant: four million Nulls


def limited(data: bytes, parts: int = LIMITS.decoded_parts, longest: int = 524_288) -> Any:
    return LimitedBuffer(data, parts, longest)


def status_of(structure: Any, data: bytes, **budget: int) -> int:
    with pytest.raises(ServiceError) as refused:
        decoded(structure, limited(data, **budget))
    return int(refused.value.code)


def filled(value: Any) -> Any:
    """A structure with one element in each of its empty lists, and no text left empty."""
    for field in fields(value):
        held = getattr(value, field.name)
        if held is None and field.name in ("EndpointUrl", "SessionName", "PolicyId", "IndexRange"):
            setattr(value, field.name, "text")
        elif is_dataclass(held) and not isinstance(held, ua.NodeId | ua.Variant):
            filled(held)
    return value


# ---------------------------------------------------------------- what is meant well


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_of_every_type_comes_out_as_it_was(name):
    request = filled(getattr(ua, name)())
    data = ua_binary.struct_to_binary(request)
    found = decoded(type(request), limited(data))
    assert ua_binary.struct_to_binary(found) == data
    assert found == ua_binary.struct_from_binary(type(request), ua.utils.Buffer(data))


numbers = st.integers(-(2**31), 2**31 - 1)
scalars = (
    st.builds(ua.Variant, st.booleans())
    | st.builds(ua.Variant, st.integers(-(2**63), 2**63 - 1))
    | st.builds(ua.Variant, st.floats(allow_nan=False))
    | st.builds(ua.Variant, st.text(st.characters(exclude_categories=["Cs"])))
    | st.builds(ua.Variant, st.binary(max_size=100))
)
arrays = st.lists(numbers, min_size=1).map(lambda x: ua.Variant(x, ua.VariantType.Int32))


@given(scalars | arrays)
def test_a_value_comes_out_as_it_was(variant):
    assert decoded(ua.Variant, limited(ua_binary.variant_to_binary(variant))) == variant


@given(st.integers(1, 5), st.integers(1, 5))
def test_a_table_of_numbers_comes_out_as_it_was(rows, columns):
    table = [[row * columns + column for column in range(columns)] for row in range(rows)]
    variant = ua.Variant(table, ua.VariantType.Int32)
    found = decoded(ua.Variant, limited(ua_binary.variant_to_binary(variant)))
    assert found.Value == table


@given(st.lists(st.tuples(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1)), max_size=50))
def test_acknowledgements_come_out_as_asyncua_would_read_them(pairs):
    params = ua.PublishParameters([ua.SubscriptionAcknowledgement(*pair) for pair in pairs])
    assert decoded_acknowledgements(limited(ua_binary.struct_to_binary(params))) == pairs


# ---------------------------------------------------------------- nonsense


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(STRUCTURES), st.binary(max_size=300))
def test_random_bytes_raise_a_service_error_or_nothing(structure, data):
    try:
        decoded(structure, limited(data))
    except ServiceError as error:
        assert ua.StatusCode(error.code).is_bad()


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(REQUESTS), st.data())
def test_a_damaged_request_raises_a_service_error_or_nothing(name, data):
    sent = bytearray(ua_binary.struct_to_binary(filled(getattr(ua, name)())))
    for _ in range(data.draw(st.integers(1, 4))):
        sent[data.draw(st.integers(0, len(sent) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(sent)))
    try:
        decoded(getattr(ua, name), limited(bytes(sent[:cut])))
    except ServiceError as error:
        assert ua.StatusCode(error.code).is_bad()


@given(st.binary(max_size=100))
def test_random_acknowledgements_raise_a_service_error_or_nothing(data):
    try:
        decoded_acknowledgements(limited(data))
    except ServiceError as error:
        assert ua.StatusCode(error.code).is_bad()


@pytest.mark.parametrize("length", [-2, -1_000, -(2**31)])
def test_a_negative_length_never_moves_backwards(length):
    for move in ("read", "skip", "copy"):
        with pytest.raises(ValueError, match="a length of"):
            getattr(limited(b"12345678"), move)(length)


@pytest.mark.parametrize(
    ("structure", "place", "status"),
    [
        (ua.ReadParameters, 8, "BadTimestampsToReturnInvalid"),
        (ua.SetMonitoringModeParameters, 4, "BadMonitoringModeInvalid"),
        (ua.OpenSecureChannelParameters, 4, "BadRequestTypeInvalid"),
        (ua.OpenSecureChannelParameters, 8, "BadSecurityModeRejected"),
    ],
)
def test_a_number_that_is_no_member_of_its_enumeration_has_its_own_status(structure, place, status):
    data = bytearray(ua_binary.struct_to_binary(structure()))
    data[place : place + 4] = struct.pack("<I", 77)
    assert status_of(structure, bytes(data)) == getattr(ua.StatusCodes, status)


# ---------------------------------------------------------------- the budget


@settings(deadline=None)
@given(st.integers(0, 100), st.lists(st.integers(0, 500), max_size=50))
def test_no_more_parts_are_read_than_the_budget_has(parts, sizes):
    buffer, counted = limited(bytes(30_000), parts), 0
    for size in sizes:
        counted += 1 + size // 64
        if counted > parts:
            with pytest.raises(TooMuch):
                buffer.read(size)
            return
        assert len(buffer.read(size)) == size


def test_copies_live_on_the_same_budget():
    buffer = limited(bytes(100), 3)
    buffer.copy(10).read(1)
    buffer.copy().copy(5).read(1)
    buffer.read(1)
    with pytest.raises(TooMuch):
        buffer.copy().read(1)


def test_nothing_longer_than_allowed_is_read():
    assert len(limited(bytes(100), longest=50).read(50)) == 50
    with pytest.raises(TooMuch):
        limited(bytes(100), longest=50).read(51)


def test_four_million_nulls_in_five_bytes_are_too_much_and_cost_no_time():
    began = time.process_time()
    status = status_of(ua.Variant, NULL_ARRAY)
    assert status == ua.StatusCodes.BadEncodingLimitsExceeded
    assert time.process_time() - began < 1.0  # all of them take 4 s


def test_arrays_of_null_arrays_share_the_budget():
    inner = b"\x80" + struct.pack("<i", 1_000)
    data = b"\x98" + struct.pack("<i", 1_000) + inner * 1_000  # 1000 Variants of 1000 Nulls
    assert status_of(ua.Variant, data) == ua.StatusCodes.BadEncodingLimitsExceeded


@pytest.mark.parametrize("depth", [1_000, 60_000])
def test_values_in_values_in_values_are_refused(depth):
    assert status_of(ua.Variant, b"\x98\1\0\0\0" * depth + b"\0") in (
        ua.StatusCodes.BadDecodingError,
        ua.StatusCodes.BadEncodingLimitsExceeded,
    )


def test_a_hundred_values_in_each_other_are_taken_as_part_6_wants_it():
    found = decoded(ua.Variant, limited(b"\x98\1\0\0\0" * 100 + b"\0"))
    for _ in range(100):
        (found,) = found.Value
    assert found.Value is None


@pytest.mark.parametrize("dimensions", [[1] * 4, [1] * 1_000, [-1, -1]])
def test_an_array_has_few_dimensions_and_none_is_negative(dimensions):
    data = b"\xc6" + struct.pack("<ii", 1, 7)
    data += struct.pack(f"<i{len(dimensions)}i", len(dimensions), *dimensions)
    assert status_of(ua.Variant, data) == ua.StatusCodes.BadDecodingError


SHORT = Longest(array=3, string=4, byte_string=5)


@pytest.mark.parametrize(
    ("longest", "longer"),
    [
        (["x"] * 3, ["x"] * 4),
        ([1.0] * 3, [1.0] * 4),
        ([True] * 3, [True] * 4),
        ("abcd", "abcde"),
        ("éé", "ééé"),
        (b"12345", b"123456"),
        (ua.QualifiedName("abcd"), ua.QualifiedName("abcde")),
        (ua.LocalizedText("abcd"), ua.LocalizedText("abcde")),
        (ua.NodeId("abcd"), ua.NodeId("abcde")),
    ],
)
def test_nothing_is_longer_than_it_may_be_wherever_it_stands(longest, longer):
    for value, fits in ((longest, True), (longer, False)):
        data = ua_binary.variant_to_binary(ua.Variant(value))
        for nested in (data, b"\x98\1\0\0\0" + data):
            buffer = LimitedBuffer(nested, 1_000, 1_000, longest=SHORT)
            if fits:
                assert decoded(ua.Variant, buffer.copy()) is not None
            else:
                with pytest.raises(ServiceError) as refused:
                    decoded(ua.Variant, buffer)
                assert refused.value.code == ua.StatusCodes.BadEncodingLimitsExceeded


def test_what_others_decode_may_have_any_length():
    variant = ua.Variant(["x" * 100_000] * 10)
    data = ua_binary.variant_to_binary(variant)
    assert ua_binary.variant_from_binary(ua.utils.Buffer(data)) == variant


def test_a_thousand_items_with_filters_fit_into_the_budget():
    one = ua.MonitoredItemCreateRequest()
    one.RequestedParameters.Filter = ua.DataChangeFilter()
    params = ua.CreateMonitoredItemsParameters(1, ua.TimestampsToReturn.Both, [one] * 1_000)
    data = ua_binary.struct_to_binary(params)
    assert len(decoded(ua.CreateMonitoredItemsParameters, limited(data)).ItemsToCreate) == 1_000
