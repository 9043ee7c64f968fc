"""Sets that are joined, against sets of Python."""

import numpy as np
import pytest

from twincell.sim.numeric.union_find import join, leader_of


def joined(n, pairs):
    """Leader and ring of n members after the pairs were joined."""
    leader, ring = np.arange(n), np.arange(n)
    for a, b in pairs:
        join(leader, ring, a, b)
    return leader, ring


def around(ring, member):
    """The members of a ring, from one of them on."""
    found, at = [member], int(ring[member])
    while at != member:
        found.append(at)
        at = int(ring[at])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_sets_are_those_that_python_finds(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    pairs = rng.integers(0, n, (int(rng.integers(0, 2 * n)), 2)).tolist()
    expected = [{k} for k in range(n)]
    for a, b in pairs:
        whole = expected[a] | expected[b]
        for k in whole:
            expected[k] = whole
    leader, ring = joined(n, pairs)
    for k in range(n):
        members = around(ring, k)
        assert len(members) == len(expected[k])  # nobody twice
        assert set(members) == expected[k]
        assert leader_of(leader, k) == min(expected[k])


def test_joining_a_set_with_itself_changes_nothing():
    leader, ring = joined(4, [(0, 1), (1, 2)])
    before = leader.copy(), ring.copy()
    join(leader, ring, 2, 0)
    assert around(ring, 0) == around(before[1], 0)
    assert [leader_of(leader, k) for k in range(4)] == [0, 0, 0, 3]


def test_whoever_asked_has_a_shorter_way_the_next_time():
    n = 64
    leader = np.maximum(np.arange(n) - 1, 0)  # a chain: each leads to the one before
    assert leader_of(leader, n - 1) == 0
    steps, at = 0, n - 1
    while leader[at] != at:
        at, steps = int(leader[at]), steps + 1
    assert steps <= n // 2
