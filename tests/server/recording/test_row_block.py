"""Rows become bytes and come back, bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from twincell.server.recording.row_block import DamagedBlock, RowBlock, decode, encode

any_number = st.integers(-(2**63), 2**63 - 1)
special = st.sampled_from(
    np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, 1.0]).view(np.int64).tolist()
)
shapes = st.tuples(st.integers(0, 12), st.integers(0, 6))
blocks = arrays.arrays(np.int64, shapes, elements=any_number | special)


@given(blocks, st.integers(-(2**63), 2**63 - 1), st.integers(1, 1000))
def test_every_bit_of_any_number_comes_back(bits, first, every):
    found = decode(encode(RowBlock(first, every, bits)))
    assert (found.first, found.every) == (first, every)
    assert np.array_equal(found.bits, bits)


def test_numbers_that_are_none_come_back():
    values = np.array([[np.nan, np.inf, -np.inf, -0.0, 0.1]])
    found = decode(encode(RowBlock(0, 1, values.view(np.int64)))).values
    assert found.tobytes() == values.tobytes()


def test_a_constant_column_is_nearly_all_zeros():
    bits = np.full((500, 1), np.pi).view(np.int64)
    data = encode(RowBlock(0, 1, bits))
    assert sum(byte != 0 for byte in data[20:]) <= 1 + 8  # the order, and the first number


def test_a_smooth_column_keeps_few_bytes_a_row():
    rows = np.sin(np.arange(500)[:, None] * 1e-3)
    data = encode(RowBlock(0, 1, rows.view(np.int64)))
    assert sum(byte != 0 for byte in data) < 4.5 * 500  # of 8: the last bits are rounding noise


@pytest.mark.parametrize("cut", [0, 5, 19, 20, 25, 43])
def test_a_block_that_was_cut_is_refused(cut):
    data = encode(RowBlock(0, 1, np.zeros((2, 4), dtype=np.int64)))
    with pytest.raises(DamagedBlock):
        decode(data[:cut])


def test_a_block_with_an_unknown_order_is_refused():
    data = bytearray(encode(RowBlock(0, 1, np.zeros((2, 4), dtype=np.int64))))
    data[20] = 5
    with pytest.raises(DamagedBlock, match="order 5"):
        decode(bytes(data))
