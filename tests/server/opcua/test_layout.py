"""Our encoding of values is asyncua's own, byte by byte."""

import numpy as np
import pytest
from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.ua.ua_binary import variant_from_binary, variant_to_binary
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.opcua.space.layout import (
    BOOLEAN,
    CARTESIAN,
    DOUBLE,
    FRAME,
    INT32,
    INT64,
    ORIENTATION,
    TEXT,
    VECTOR,
    Layout,
    Shape,
    array,
    bits,
    numbers_of,
)
from twincell.server.opcua.subscription.sample_encoding import encoded_text

NUMBERS = {
    ua.VariantType.Boolean: st.integers(0, 1),
    ua.VariantType.Int32: st.integers(-(2**31), 2**31 - 1),
    ua.VariantType.Int64: st.integers(-(2**53), 2**53),  # all that a float64 column holds
    ua.VariantType.UInt32: st.integers(0, 1),  # a bit of a word
    ua.VariantType.Double: st.floats(allow_nan=False, allow_infinity=True),
    ua.VariantType.ExtensionObject: st.floats(allow_nan=False, allow_infinity=True),
}
SCALARS = [BOOLEAN, INT32, INT64, DOUBLE]
STRUCTURES = [VECTOR, CARTESIAN, ORIENTATION, FRAME]


def layouts() -> st.SearchStrategy[Layout]:
    arrays = st.builds(array, st.sampled_from(SCALARS), st.integers(1, 40))
    words = st.builds(bits, st.integers(1, 100))
    return st.one_of(st.sampled_from([*SCALARS, *STRUCTURES]), arrays, words)


@st.composite
def values(draw: st.DrawFn) -> tuple[Layout, np.ndarray]:
    layout = draw(layouts())
    numbers = st.lists(NUMBERS[layout.type], min_size=layout.columns, max_size=layout.columns)
    return layout, np.array(draw(numbers), dtype=np.float64)


def encoded(layout: Layout, columns: np.ndarray) -> bytes:
    return layout.head + layout.numbers(columns).tobytes()


@settings(deadline=None)
@given(values())
def test_our_bytes_are_those_of_asyncuas_encoder(value: tuple[Layout, np.ndarray]):
    layout, columns = value
    ours = encoded(layout, columns)
    assert ours == variant_to_binary(layout.variant(columns))
    assert len(ours) == layout.size


@settings(deadline=None)
@given(values())
def test_asyncua_decodes_our_bytes_to_the_same_value(value: tuple[Layout, np.ndarray]):
    layout, columns = value
    decoded = variant_from_binary(Buffer(encoded(layout, columns)))
    assert decoded.Value == layout.variant(columns).Value
    assert decoded.VariantType is layout.type
    assert decoded.is_array == (layout.value_rank == 1)


@settings(deadline=None)
@given(values())
def test_numbers_of_a_variant_are_the_columns_it_came_from(value: tuple[Layout, np.ndarray]):
    layout, columns = value
    decoded = variant_from_binary(Buffer(encoded(layout, columns)))
    assert numbers_of(layout, decoded) == columns.tolist()


@settings(deadline=None)
@given(values(), st.integers(1, 5))
def test_many_rows_are_encoded_as_each_of_them(value: tuple[Layout, np.ndarray], n: int):
    layout, columns = value
    rows = np.stack([columns, columns[::-1]] * n)
    each = [layout.numbers(row).tobytes() for row in rows]
    assert layout.numbers(rows).tobytes() == b"".join(each)


@settings(deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=5), st.data())
def test_a_text_is_encoded_as_asyncua_does(texts: list[str], data: st.DataObject):
    code = data.draw(st.integers(0, len(texts) - 1))
    variant = TEXT.variant(np.array([float(code)]), texts)
    assert variant.Value == texts[code]
    assert encoded_text(texts[code]) == variant_to_binary(variant)


def test_bits_stand_in_words_of_32_the_first_in_the_lowest_bit():
    layout = bits(34)
    columns = np.zeros(34)
    columns[[0, 5, 33]] = 1.0
    assert layout.variant(columns).Value == [0b100001, 0b10]
    assert numbers_of(layout, ua.Variant([0b100001, 0b10], ua.VariantType.UInt32)) == list(columns)


def test_a_float_will_do_where_a_double_is_meant():
    assert numbers_of(DOUBLE, ua.Variant(0.5, ua.VariantType.Float)) == [0.5]
    two = ua.Variant([0.5, 1.5], ua.VariantType.Float)
    assert numbers_of(array(DOUBLE, 2), two) == [0.5, 1.5]


ONE_OF_EACH = [
    ua.Variant(True, ua.VariantType.Boolean),
    ua.Variant(1, ua.VariantType.Int32),
    ua.Variant(1, ua.VariantType.Int64),
    ua.Variant(1, ua.VariantType.UInt32),
    ua.Variant(1.0, ua.VariantType.Double),
    ua.Variant("1", ua.VariantType.String),
    ua.Variant(None, ua.VariantType.Null),
    ua.Variant(ua.ThreeDVector(), ua.VariantType.ExtensionObject),
    ua.Variant(ua.ThreeDOrientation(), ua.VariantType.ExtensionObject),
    ua.Variant(ua.ThreeDFrame(), ua.VariantType.ExtensionObject),
    ua.Variant(ua.ExtensionObject(), ua.VariantType.ExtensionObject),
    ua.Variant([True], ua.VariantType.Boolean, is_array=True),
    ua.Variant([1, 2, 3], ua.VariantType.Int32, is_array=True),
    ua.Variant([1], ua.VariantType.UInt32, is_array=True),
    ua.Variant([1.0], ua.VariantType.Double, is_array=True),
    ua.Variant([1.0, 2.0, 3.0], ua.VariantType.Double, is_array=True),
    ua.Variant([], ua.VariantType.Double, is_array=True),
    ua.Variant([ua.ThreeDVector()], ua.VariantType.ExtensionObject, is_array=True),
]


@pytest.mark.parametrize(
    "layout",
    [BOOLEAN, INT32, INT64, DOUBLE, VECTOR, ORIENTATION, FRAME, array(DOUBLE, 3), bits(3)],
    ids=lambda layout: f"{layout.type.name}-{layout.shape.value}-{layout.count}",
)
def test_a_variant_of_another_type_has_no_numbers(layout: Layout):
    fitting = [variant for variant in ONE_OF_EACH if numbers_of(layout, variant) is not None]
    assert len(fitting) == 1
    (variant,) = fitting
    assert variant.VariantType is layout.type
    assert variant.is_array == (layout.value_rank == 1)
    if layout.shape is Shape.STRUCTURE:
        assert isinstance(variant.Value, layout.structure)


def test_an_array_of_two_dimensions_is_not_one_of_one():
    square = ua.Variant([1.0] * 4, ua.VariantType.Double, Dimensions=[2, 2], is_array=True)
    assert numbers_of(array(DOUBLE, 4), square) is None
