"""Time as OPC UA counts it: 100 ns since the beginning of 1601, UTC."""

import time
from datetime import UTC, datetime, timedelta

UNITS_PER_SECOND = 10_000_000
EPOCH = 11_644_473_600 * UNITS_PER_SECOND  # 1970-01-01, counted from 1601-01-01
_START = datetime(1601, 1, 1, tzinfo=UTC)


def wire_now() -> int:
    """The wall clock's time."""
    return EPOCH + time.time_ns() // 100


def to_datetime(stamp: int) -> datetime:
    """A moment as Python has it, to the microsecond."""
    return _START + timedelta(microseconds=stamp // 10)
