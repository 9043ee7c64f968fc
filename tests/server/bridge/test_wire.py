"""Values on a wire: what becomes of them, and which ones cannot be carried."""

import math

import pytest
from asyncua import ua
from hypothesis import example, given
from hypothesis import strategies as st

from twincell.server.bridge.backoff import Backoff
from twincell.server.bridge.route import node_of, type_of
from twincell.server.bridge.wire import Unfit, Wire, variant_of, word_of
from twincell.server.client.values import WHOLE_NUMBERS
from twincell.sim.signals import Kind

Type = ua.VariantType
BITS = st.dictionaries(st.integers(0, 63), st.booleans(), min_size=1)


def wire(kind: Kind, is_command: bool = True, **more: object) -> Wire:
    return Wire(is_command, "ns=2;s=A", "Tool1.A", kind, **more)  # type: ignore[arg-type]


@given(BITS, st.sampled_from([Type.Int64, Type.UInt64]))
def test_bits_that_are_packed_into_a_word_come_out_of_it_again(bits, type_):
    word = word_of(bits, type_).Value
    for bit in range(64):
        assert wire(Kind.BOOLEAN, bit=bit).carried(word) is bits.get(bit, False)


@given(st.sampled_from(sorted(WHOLE_NUMBERS, key=lambda t: t.value)), st.data())
def test_a_packed_word_always_has_room_in_its_type(type_, data):
    width, _ = WHOLE_NUMBERS[type_]
    bits = data.draw(st.dictionaries(st.integers(0, width - 1), st.booleans(), min_size=1))
    word = word_of(bits, type_)
    assert variant_of(word.Value, type_) == word


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e3) | st.floats(-1e3, -1e-3),
    st.floats(-1e3, 1e3),
)
def test_scale_and_offset_one_way_are_undone_by_their_inverse_the_other_way(value, scale, offset):
    there = wire(Kind.DOUBLE, scale=scale, offset=offset).carried(value)
    back = wire(Kind.DOUBLE, is_command=False, scale=1 / scale, offset=-offset / scale)
    # rounding of a sum of 1e9 and 1e3, divided by 1e-3 at the least
    assert back.carried(there) == pytest.approx(value, rel=1e-9, abs=1e-6)


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_whole_number_that_is_not_scaled_stays_exact(value):
    assert variant_of(wire(Kind.INT32).carried(value), Type.Int64).Value == value


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(), st.sampled_from(Type))
def test_a_number_fits_its_type_or_is_refused_with_a_remedy(value, type_):
    if type_ not in WHOLE_NUMBERS:
        return
    bits, is_signed = WHOLE_NUMBERS[type_]
    least = -(2 ** (bits - 1)) if is_signed else 0
    try:
        found = variant_of(value, type_).Value
    except Unfit as unfit:
        assert "out of the range" in str(unfit)
        assert unfit.remedy
        assert not least <= round(value) <= least + 2**bits - 1
    else:
        assert abs(found - value) <= 0.5
        assert least <= found <= least + 2**bits - 1


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, None, [1, 2], "text", b"bytes"])
@pytest.mark.parametrize("kind", [Kind.BOOLEAN, Kind.INT32, Kind.DOUBLE])
def test_what_is_no_finite_number_is_not_carried(kind, value):
    with pytest.raises(Unfit) as caught:
        wire(kind).carried(value)
    assert caught.value.remedy


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE, FINITE, FINITE, st.sampled_from([Type.Int32, Type.UInt64, Type.Float, Type.Double]))
@example(1e300, 1e10, 0.0, Type.Int32)
def test_what_scale_and_offset_make_of_a_number_is_finite_or_refused(value, scale, offset, type_):
    try:
        carried = variant_of(wire(Kind.DOUBLE, scale=scale, offset=offset).carried(value), type_)
    except Unfit as unfit:
        assert unfit.remedy
    else:
        assert math.isfinite(carried.Value)


def test_booleans_are_turned_round_in_both_directions():
    for is_command in (True, False):
        turned = wire(Kind.BOOLEAN, is_command, invert=True)
        assert [turned.carried(value) for value in (True, False)] == [False, True]
    assert wire(Kind.BOOLEAN).carried(7) is True


def test_a_float_beyond_its_range_is_refused():
    assert variant_of(1e38, Type.Float).Value == 1e38
    with pytest.raises(Unfit, match="out of the range of Float"):
        variant_of(1e39, Type.Float)


@pytest.mark.parametrize(
    ("one", "type_", "problem"),
    [
        (wire(Kind.BOOLEAN), Type.String, "is a String, and Tool1.A a Boolean"),
        (wire(Kind.BOOLEAN), Type.Double, "is a Double, and Tool1.A a Boolean"),
        (wire(Kind.BOOLEAN, bit=1), Type.Boolean, "is a Boolean, and Tool1.A a Boolean"),
        (wire(Kind.BOOLEAN, bit=16), Type.UInt16, "is a UInt16 of 16 bits"),
        (wire(Kind.DOUBLE), Type.Boolean, "is a Boolean, and Tool1.A a Double"),
        (wire(Kind.STRING, is_command=False), Type.Int32, "is a Int32, and Tool1.A a String"),
    ],
)
def test_a_type_that_does_not_fit_is_named_with_what_would(one, type_, problem):
    with pytest.raises(Unfit) as caught:
        one.check_type(type_)
    assert str(caught.value) == problem
    assert caught.value.remedy


def test_a_namespace_is_found_by_its_name_wherever_it_stands():
    assert node_of("nsu=urn:plc;s=A;B", ["ua", "x", "urn:plc"]) == ua.NodeId("A;B", 2)
    assert node_of("i=7", []) == ua.NodeId(7, 0)
    with pytest.raises(Unfit, match="there is no namespace urn:plc") as caught:
        node_of("nsu=urn:plc;s=A", ["ua", "x\x1b[2J\r"])
    assert caught.value.remedy == "the controller has x[2J"  # nothing that moves a cursor


def test_the_type_of_a_makers_own_data_type_is_that_of_its_value():
    value = ua.DataValue(ua.Variant(1, Type.Int16))
    assert type_of(ua.NodeId(3005, 3), value) is Type.Int16
    assert type_of(ua.NodeId(ua.ObjectIds.Number), value) is Type.Int16
    assert type_of(ua.NodeId(ua.ObjectIds.Double), value) is Type.Double
    assert type_of(ua.NodeId(3005, 3), ua.DataValue()) is None


def test_waits_double_up_to_the_longest_and_are_never_in_step():
    backoff = Backoff(first_s=0.1, longest_s=1.0)
    for most_s in (0.1, 0.2, 0.4, 0.8, 1.0, 1.0):
        assert most_s / 2 <= backoff.next_s() <= most_s
    backoff.begin_anew()
    assert backoff.next_s() <= 0.1
    assert len({backoff.next_s() for _ in range(20)}) == 20
