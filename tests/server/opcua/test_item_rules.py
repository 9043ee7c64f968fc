"""Sampling intervals and queues: what is promised can be kept."""

from twincell.server.opcua.subscription.item_rules import queue_size, sampling_ticks

ROWS = 16_128


def test_a_period_is_never_longer_than_half_of_what_the_ring_holds():
    # a longer one could find no sample in the ring, and its item would fall silent
    assert sampling_ticks(60_000.0, 5.0, 1e-3, ROWS) == ROWS // 2
    assert sampling_ticks(-1.0, 60_000.0, 1e-3, ROWS) == ROWS // 2
    assert sampling_ticks(1.0, 5.0, 1e-3, ROWS) == 1


def test_a_queue_is_as_long_as_was_asked_for_within_what_the_ring_holds():
    assert queue_size(0, 1, ROWS) == 1
    assert queue_size(500, 1, ROWS) == 500
    assert queue_size(10**9, 1, ROWS) == ROWS
    assert queue_size(10**9, 10, ROWS) == 1_613
