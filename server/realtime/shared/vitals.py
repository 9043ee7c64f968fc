"""How the processes are: each field has one writer, and anybody may look."""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.time_mode import TimeMode

TEXT = 512


class LoopState(IntEnum):
    """What the loop does; the supervisor says DOWN when its process has ended."""

    DOWN = 0
    RUNNING = 1
    PAUSED = 2
    FAULT = 3  # the mechanics failed: only Reset and Restore go on from here


VITALS = np.dtype(
    [
        # written by the loop, and `state` by the supervisor when the loop's process has ended
        ("state", "i8"),
        ("beat_ns", "i8"),  # monotonic clock at its last sign of life
        ("speed", "f8"),
        ("overruns", "i8"),  # ticks that ended after the next one was due
        ("slips", "i8"),  # times it gave up catching up: simulated time fell behind
        ("resets", "i8"),  # times that the cell was put back: reset or restored
        ("faults", "i8"),  # times that the mechanics failed
        ("unsettled", "i8"),  # sub-steps whose contact forces did not settle
        ("left_out", "i8"),  # contact points for which there was no room
        ("worst_late_ns", "i8"),
        ("timeline_on", "i8"),  # whether the cell file's timeline commands
        ("mode", "i8"),  # who moves simulated time: a TimeMode
        ("cycle_ticks", "i8"),  # of the controller, in handshake
        ("fault", f"S{TEXT}"),  # what stopped the cell, and when
        ("rights", f"S{TEXT}"),  # what the system granted the loop, in words
        # written by the supervisor
        ("restarts", "i8"),  # of the loop
        ("server_restarts", "i8"),
        ("recorder_restarts", "i8"),
        ("metrics_restarts", "i8"),
        # written by the recorder
        ("recorder_beat_ns", "i8"),  # monotonic clock at its last sign of life
        # written by the OPC UA process
        ("port", "i8"),  # 0 until it listens
        ("server_beat_ns", "i8"),  # monotonic clock at its last sign of life
        ("clients", "i8"),
        ("sessions", "i8"),
        ("refused_sessions", "i8"),  # so far, for whatever reason
        ("refused_requests", "i8"),
        ("subscriptions", "i8"),
        ("items", "i8"),  # monitored, of all subscriptions
        ("notifications", "i8"),  # values sent to clients so far
        ("dropped", "i8"),  # samples that a client's queue had no room for
        ("overtaken", "i8"),  # samples that left the ring before their client asked for them
        ("protocol_faults", "i8"),  # that act now
        ("protocol_faults_injected", "i8"),  # so far
        ("control", f"S{TEXT}"),  # who commands
        ("counter", "i8"),  # the cycle counter that the controller wrote last
        (
            "controller_lost",
            "i8",
        ),  # a Lost, see server/opcua/command/supervision.py
    ]
)


class Vitals:
    """The board on which the processes write how they are."""

    def __init__(self, array: npt.NDArray[np.void]) -> None:
        self._record = array[0]

    def __getitem__(self, field: str) -> int:
        """A whole number."""
        return int(self._record[field])

    def __setitem__(self, field: str, value: int) -> None:
        self._record[field] = value

    @property
    def state(self) -> LoopState:
        return LoopState(int(self._record["state"]))

    @property
    def mode(self) -> TimeMode:
        return TimeMode(int(self._record["mode"]))

    @property
    def speed(self) -> float:
        return float(self._record["speed"])

    @speed.setter
    def speed(self, factor: float) -> None:
        self._record["speed"] = factor

    def text(self, field: str) -> str:
        return bytes(self._record[field]).decode("utf-8", "replace")

    def write_text(self, field: str, text: str) -> None:
        """Write a text, shortened to what fits."""
        self._record[field] = text.encode("utf-8")[:TEXT]
