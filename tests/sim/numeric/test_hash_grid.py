"""Items sorted by bucket against a dictionary."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.sim.model import NONE
from twincell.sim.numeric.hash_grid import bucket_of, sort_by_bucket

MASK = 7


@settings(deadline=None, max_examples=60, derandomize=True, database=None)
@given(st.lists(st.integers(NONE, MASK), min_size=1, max_size=50))
def test_each_bucket_holds_its_items_in_the_order_of_their_numbers(buckets):
    bucket = np.array(buckets, dtype=np.intp)
    start = np.full(MASK + 2, -9, dtype=np.intp)
    entry = np.full(len(bucket), -9, dtype=np.intp)
    sort_by_bucket(bucket, start, entry)
    for k in range(MASK + 1):
        assert entry[start[k] : start[k + 1]].tolist() == np.flatnonzero(bucket == k).tolist()


@settings(deadline=None, max_examples=60, derandomize=True, database=None)
@given(*[st.integers(-(2**31), 2**31)] * 3)
def test_every_cell_has_a_bucket(x, y, z):
    assert 0 <= bucket_of(x, y, z, MASK) <= MASK
