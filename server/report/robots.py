"""What happened to the robots in a run: how hard their drives worked, and what went wrong.

It is read off the rows while they pass: efforts from `<robot>.JointTorque.k`, how far a joint gives
way from `JointPosition.k` and `JointReference.k`; each refusal from `RefusalCount` and `Refusal`,
each lost stream from `StreamLost`; and `Overload.k` and `AtLimit.k` the first time that they come.
Joints count from the root outwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from twincell.server.offline import Rows, time_of
from twincell.server.report.summary_text import Told
from twincell.sim.signals import SignalTable
from twincell.sim.spec.robot_model import ModelJoint

MOST_ROBOT_EVENTS = 20  # of one robot; chosen: a controller that does worse is mended, not read


@dataclass
class DriveLoad:
    """How hard the drive of one joint worked in a run, and how far its joint gave way."""

    robot: str
    joint: str
    is_angle: bool  # whether its position is one
    most: float  # what the drive can do [Nm], of a length [N]; infinite if the model does not say
    signal: str
    effort: float = 0.0  # greatest
    at_s: float = 0.0  # when
    off: float = 0.0  # greatest distance from its reference [rad], of a length [m]

    @property
    def share(self) -> float:
        """Greatest effort as a share of what the drive can do."""
        return self.effort / self.most

    @property
    def unit(self) -> str:
        return "Nm" if self.is_angle else "N"


class RobotWatch:
    """The drives of one robot, and its events in the order of time."""

    def __init__(
        self, name: str, joints: Sequence[ModelJoint], signals: SignalTable, step_s: float
    ) -> None:
        numbers = range(1, len(joints) + 1)
        self.drives = [
            DriveLoad(
                name, joint.name, joint.file_unit == "deg", joint.effort, f"{name}.JointTorque.{k}"
            )
            for k, joint in zip(numbers, joints, strict=True)
        ]
        self.events: list[Told] = []
        self.events_left_out = 0
        self._name = name
        self._step_s = step_s
        self._refusal = signals[f"{name}.Refusal"]
        self._stream_lost = signals[f"{name}.StreamLost"].column
        self._refusals = signals[f"{name}.RefusalCount"].column
        self._before = {self._refusals: 0.0, self._stream_lost: 0.0}  # in the last row seen

        def columns(quantity: str) -> list[int]:
            return [signals[f"{name}.{quantity}.{k}"].column for k in numbers]

        self._effort, self._is, self._should = map(
            columns, ("JointTorque", "JointPosition", "JointReference")
        )
        # what has not happened yet: its column, and how it is told
        self._not_yet = {
            column: _overload(drive)
            for column, drive in zip(columns("Overload"), self.drives, strict=True)
        } | {
            column: f"{drive.joint} at the end of its range"
            for column, drive in zip(columns("AtLimit"), self.drives, strict=True)
        }

    def append(self, first_tick: int, rows: Rows) -> None:
        self._measure(first_tick, rows)
        found = [
            (row, f"refused an order: {self._refusal.value(rows[row, self._refusal.column])}")
            for row, _ in self._new_values(self._refusals, rows)
        ]
        found += [
            (row, "stream of set points lost")
            for row, _ in self._new_values(self._stream_lost, rows)
        ]
        for column in list(self._not_yet):
            seen = np.flatnonzero(rows[:, column])
            if len(seen):
                found.append((int(seen[0]), self._not_yet.pop(column)))

        found.sort(key=lambda event: event[0])
        told = found[: MOST_ROBOT_EVENTS - len(self.events)]
        self.events_left_out += len(found) - len(told)
        self.events += [
            Told(self._name, time_of(first_tick + row, self._step_s), text) for row, text in told
        ]

    def _measure(self, first_tick: int, rows: Rows) -> None:
        efforts = np.abs(rows[:, self._effort])
        off = np.abs(rows[:, self._should] - rows[:, self._is]).max(axis=0)
        for k, (drive, row) in enumerate(zip(self.drives, efforts.argmax(axis=0), strict=True)):
            drive.off = max(drive.off, float(off[k]))
            if efforts[row, k] > drive.effort:
                drive.effort = float(efforts[row, k])
                drive.at_s = time_of(first_tick + int(row), self._step_s)

    def _new_values(self, column: int, rows: Rows) -> list[tuple[int, float]]:
        """Where a signal changes to something else than 0, and to what."""
        values: NDArray[np.float64] = rows[:, column]
        before = np.concatenate([[self._before[column]], values[:-1]])
        self._before[column] = float(values[-1])
        places = np.flatnonzero((values != before) & (values != 0))
        return [(int(row), float(values[row])) for row in places]


def _overload(drive: DriveLoad) -> str:
    return f"drive of {drive.joint} overloaded: its limit is {drive.most:g} {drive.unit}"
