"""Wait for conditions in simulated time, and say what was seen when they do not come.

A wait looks at every tick, so that no short pulse is missed; the cell itself stands still at the
next look after it, as a PLC sees a sensor in its next cycle.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from twincell.server.kit.conditions import Bools, Condition, shown
from twincell.server.kit.traces import Trace


class NotInTime(AssertionError):
    """What was awaited did not come; the text says what was seen instead."""


class NotKept(AssertionError):
    """What was to stay did not; the text says what was seen instead, and when."""


@dataclass(frozen=True)
class Met:
    """When conditions were fulfilled."""

    tick: int
    at_s: float


def all_hold(conditions: Sequence[Condition], traces: Sequence[Trace]) -> Bools:
    """In which ticks all conditions hold."""
    holds = [one.holds(trace) for one, trace in zip(conditions, traces, strict=True)]
    return np.logical_and.reduce(holds)


def seen_last(conditions: Sequence[Condition], traces: Sequence[Trace]) -> str:
    """What each signal is at the end of its trace, and since when; a line each."""
    return "\n".join(
        f"  {one.signal}: {shown(trace[-1], _unit(trace))} since {since(trace):.3f} s"
        + ("" if one.holds(trace)[-1:].all() else f", awaited: {one.wanted(trace.signal.unit)}")
        for one, trace in zip(conditions, traces, strict=True)
    )


def since(trace: Trace) -> float:
    """Since when a signal has its newest value."""
    return float(trace.time_s[trace.changes[-1]])


def not_in_time(
    conditions: Sequence[Condition], traces: Sequence[Trace], from_s: float, within_s: float
) -> NotInTime:
    """What to say when conditions did not come."""
    wanted = " and ".join(
        f"{one.signal} {one.wanted(trace.signal.unit)}"
        for one, trace in zip(conditions, traces, strict=True)
    )
    head = f"not within {within_s:g} s of simulated time, from {from_s:.3f} s on: {wanted}"
    return NotInTime(
        f"{head}\nlast seen, at {traces[0].time_s[-1]:.3f} s:\n{seen_last(conditions, traces)}"
    )


def not_kept(conditions: Sequence[Condition], traces: Sequence[Trace], place: int) -> NotKept:
    """What to say when conditions ended too early, at a place of the traces."""
    at_s = traces[0].time_s[place]
    broken = [
        f"  {one.signal}: {shown(trace[place], _unit(trace))},"
        f" was to stay {one.wanted(trace.signal.unit)}"
        for one, trace in zip(conditions, traces, strict=True)
        if not one.holds(trace)[place]
    ]
    return NotKept("\n".join([f"did not last: at {at_s:.3f} s of simulated time", *broken]))


def _unit(trace: Trace) -> str:
    return f" {trace.signal.unit}" if trace.signal.unit else ""
