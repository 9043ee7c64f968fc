"""Sampling intervals and queues: what is promised can be kept."""

from server.opcua.subscription.item_rules import MOST_WAITING, queue_size, sampling_ticks

ROWS = 16_128


def test_a_period_is_never_longer_than_half_of_what_the_ring_holds():
    # a longer one could find no sample in the ring, and its item would fall silent
    assert sampling_ticks(60_000.0, 5.0, 1e-3, ROWS) == ROWS // 2
    assert sampling_ticks(-1.0, 60_000.0, 1e-3, ROWS) == ROWS // 2
    assert sampling_ticks(1.0, 5.0, 1e-3, ROWS) == 1


def test_the_queues_of_one_request_share_what_is_left_evenly():
    promised, size, given = 0, 50, []
    for left in range(1000, 0, -1):
        given.append(queue_size(10**6, ROWS, size, left, promised))
        promised += given[-1] * size
    assert max(given) - min(given) <= 1
    assert 0.99 * MOST_WAITING < promised <= MOST_WAITING


def test_items_added_one_by_one_stay_within_the_bytes_of_their_subscription():
    promised, size = 0, 50
    for _ in range(2000):
        promised += queue_size(10**6, ROWS, size, 1, promised) * size
    # each item has at least a queue of one
    assert promised <= MOST_WAITING + 2000 * size
