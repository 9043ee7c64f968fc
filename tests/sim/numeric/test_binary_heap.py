"""The greatest of many in little room, against sorting all of them."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.sim.numeric.binary_heap import build_heap, sink


@settings(deadline=None, max_examples=100, derandomize=True, database=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=60), st.integers(1, 20))
def test_the_greatest_are_kept(values, room):
    room = min(room, len(values))
    key = np.array(values[:room])
    heap = np.full(room, -9, dtype=np.intp)
    build_heap(heap, key, room)
    for value in values[room:]:
        assert key[heap[0]] == key.min()
        if value > key[heap[0]]:
            key[heap[0]] = value
            sink(heap, key, room, 0)
    assert sorted(heap.tolist()) == list(range(room))
    assert sorted(key.tolist()) == sorted(values)[-room:]
