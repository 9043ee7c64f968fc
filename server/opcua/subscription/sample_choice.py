"""Which samples of many items are reported: filters and queues, for all items at once.

    Status                 status differs from what was last reported
    StatusValue            ... or the value differs from the last reported one
    with a deadband d      ... or |value - last reported| > d, in any of its numbers
    StatusValueTimestamp   every sample, since no two have the same time

Of these, each item keeps as many as its queue holds; where some were lost, the one beside the gap
carries the overflow bit.                              OPC UA part 4, 5.12.1.5 and 7.22.2
"""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from twincell.server.opcua.space.layout import Values
from twincell.server.opcua.subscription.sample_encoding import GOOD

Bools = npt.NDArray[np.bool_]
Items = npt.NDArray[np.void]


class Trigger(IntEnum):
    """What is worth a notification; the numbers are OPC UA's."""

    STATUS = 0
    STATUS_VALUE = 1
    STATUS_VALUE_TIMESTAMP = 2


def item_type(columns: int) -> np.dtype[np.void]:
    """The state of an item in a group."""
    return np.dtype(
        [
            ("number", "u4"),
            ("handle", "u4"),
            ("queue", "i8"),
            ("discard_oldest", "?"),
            ("trigger", "u1"),
            ("deadband", "f8"),
            ("next", "i8"),  # first row that was not looked at yet
            ("first", "i8"),  # row of the first sample, -1 once it was taken
            ("lost", "?"),  # samples that were not looked at in time, since it last reported
            ("status", "u4"),  # last reported
            ("columns", "i8", (columns,)),
            ("last", "f8", (columns,)),  # value last reported
        ]
    )


def reported_samples(
    items: Items, values: Values, sampled: Bools | None, good: int = GOOD
) -> Bools:
    """Which samples (n, m) are worth a notification; brings `last` and `status` up to date.

    `good` is the status of all of them: Good, or of signals that are forced.
    """
    if (items["deadband"] > 0.0).any():
        return _reported_one_by_one(items, values, sampled, good)
    if sampled is not None:
        return _reported_where_sampled(items, values, sampled, good)
    every = items["trigger"] == Trigger.STATUS_VALUE_TIMESTAMP
    status_only = items["trigger"] == Trigger.STATUS
    if every.all():
        reported = np.ones(values.shape[:2], dtype=bool)
    else:
        reported = np.empty(values.shape[:2], dtype=bool)
        reported[0] = (values[0] != items["last"]).any(axis=-1)
        reported[1:] = (values[1:] != values[:-1]).any(axis=-1)
        reported[:, status_only] = False
        reported[:, every] = True
        reported[0, items["status"] != good] = True
    # all others have reported their last value, or it was the same
    items["last"][~status_only] = values[-1, ~status_only]
    items["last"][reported[0] & status_only] = values[0, reported[0] & status_only]
    items["status"] = good
    return reported


def _reported_where_sampled(items: Items, values: Values, sampled: Bools, good: int) -> Bools:
    """The same, where items are sampled at different rows: each with its own sample before."""
    column = np.arange(len(items))
    so_far = np.where(sampled, np.arange(len(values))[:, None], -1)
    so_far = np.maximum.accumulate(so_far, axis=0)  # row of the newest sample
    before = np.concatenate([np.full((1, len(items)), -1), so_far[:-1]])
    is_first = before < 0
    earlier = np.where(is_first[..., None], items["last"], values[before, column])
    status_only = items["trigger"] == Trigger.STATUS
    other = (values != earlier).any(axis=-1) & ~status_only
    other |= items["trigger"] == Trigger.STATUS_VALUE_TIMESTAMP
    reported: Bools = sampled & (other | (is_first & (items["status"] != good)))
    newest, told = so_far[-1], np.where(status_only, reported.argmax(axis=0), so_far[-1])
    changes = np.where(status_only, reported.any(axis=0), newest >= 0)
    items["last"][changes] = values[told, column][changes]
    items["status"][newest >= 0] = good
    return reported


def _reported_one_by_one(items: Items, values: Values, sampled: Bools | None, good: int) -> Bools:
    """The same, sample by sample: for deadbands."""
    reported = np.zeros(values.shape[:2], dtype=bool)
    last, deadband = items["last"], items["deadband"]
    with_value = items["trigger"] != Trigger.STATUS
    every = (items["trigger"] == Trigger.STATUS_VALUE_TIMESTAMP) & (deadband == 0.0)
    for row, sample in enumerate(values):
        far = (np.abs(sample - last) > deadband[:, None]).any(axis=-1)
        other = np.where(deadband > 0.0, far, (sample != last).any(axis=-1))
        due = (other & with_value) | every | (items["status"] != good)
        if sampled is not None:
            due &= sampled[row]
        reported[row] = due
        last[due] = sample[due]
        items["status"][due] = good
    return reported


def within_queues(items: Items, reported: Bools) -> tuple[Bools, Bools | None, Bools | None]:
    """What queues keep of the reported samples; of these, the ones before and after a loss."""
    queue, lost = items["queue"], items["lost"]
    if not lost.any() and len(reported) <= int(queue.min()):
        return reported, None, None
    full = reported.sum(axis=0) > queue
    if not lost.any() and not full.any():
        return reported, None, None
    from_start = np.cumsum(reported, axis=0)
    from_end = np.cumsum(reported[::-1], axis=0)[::-1]
    drops_oldest = items["discard_oldest"] | (queue == 1)
    newest = from_end <= queue
    # the newest one always takes the last place
    oldest = (from_start < queue) | (from_end == 1)
    kept = reported & np.where(drops_oldest, newest, oldest)
    # rows that the ring has lost were older than all that are left
    after_gap = kept & (np.cumsum(kept, axis=0) == 1) & (lost | (full & drops_oldest))
    before_gap = kept & (from_end == 1) & full & ~drops_oldest
    items["lost"] &= ~kept.any(axis=0)
    is_told = queue > 1  # whoever has no queue wants the newest value only
    return kept, before_gap & is_told, after_gap & is_told
