"""A compiled cell to run from Python: offline simulation, tests, the bench."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from twincell.sim import machine_code
from twincell.sim.arrays import allocate, assign, copy_arrays, leaves
from twincell.sim.build import Timeline, compile_cell
from twincell.sim.fault import BODY_LOST, JOINT_LOST, NO_FAULT
from twincell.sim.jit.object_file import ObjectFile
from twincell.sim.model import Floats
from twincell.sim.motion.robot_orders import NOT_AT_START, STOP, STOPPED
from twincell.sim.pack import pack
from twincell.sim.plan import Refused
from twincell.sim.plan.begin import begin_move
from twincell.sim.robot import RobotControl
from twincell.sim.scratch import new_scratch
from twincell.sim.signals import WHOLE, Direction, Kind
from twincell.sim.spec import load_cell
from twincell.sim.spec.cell import CellSpec
from twincell.sim.state import Feedback, State
from twincell.sim.step import run
from twincell.sim.subjects import SUBJECTS


@dataclass(frozen=True)
class Fault:
    """Why a cell stopped."""

    object: str
    tick: int
    text: str


class Cell:
    """A robot cell that runs as fast as it can."""

    def __init__(self, spec: CellSpec) -> None:
        self.spec = spec
        compiled = compile_cell(spec)
        self.compiled = compiled
        self.signals = compiled.signals
        self.model = compiled.model
        self.timeline = compiled.timeline
        self._moves = compiled.moves
        self.state = copy_arrays(compiled.state)
        self.commands = copy_arrays(compiled.commands)
        self.scratch = new_scratch(compiled.model)
        self.feedback = allocate(Feedback, {})
        self.row = np.zeros(len(self.signals))  # of the last tick
        self._packs: dict[str, Any] = {  # as `run` takes them
            "model": pack(self.model),
            "timeline": pack(self.timeline),
            "commands": pack(self.commands),
            "state": pack(self.state),
            "scratch": pack(self.scratch),
            "feedback": pack(self.feedback),
        }
        self._is_loaded = False

    @classmethod
    def load(cls, file: str | Path) -> "Cell":
        """Load a cell file and compile it."""
        return cls(load_cell(Path(file)))

    def to_compile(self, everything: bool = False) -> list[ObjectFile]:
        """Machine code that must be compiled before the first tick, none if it was once before.

        Everything: what any other cell would need, too.
        """
        subjects = SUBJECTS if everything else machine_code.used_by(self.model)
        files = list(machine_code.object_files(self._packs, subjects))
        if everything:
            files += machine_code.kinematics()
        return [file for file in files if not file.is_ready]

    def warm_up(self) -> None:
        """Compile or load the kernels, without a tick."""
        self.run(0)

    @property
    def step_s(self) -> float:
        """Simulated time of one tick."""
        return self.model.step

    @property
    def tick(self) -> int:
        """Number of the next tick."""
        return int(self.state.tick[0])

    def run(self, ticks: int) -> Floats:
        """Advance by a number of ticks, with the timeline; return their rows.

        A fault ends it early: the last row is that of the tick in which it happened.
        """
        rows = np.empty((ticks, len(self.signals)))
        return rows[: self.run_into(rows)]

    def run_into(self, rows: Floats) -> int:
        """Advance by as many ticks as there are rows, and fill them; return how many were."""
        if rows.dtype != np.float64 or rows.ndim != 2 or rows.shape[1] != len(self.signals):
            raise ValueError(f"rows must be float64 with {len(self.signals)} columns")
        if self.fault:
            return 0
        if not self._is_loaded:
            machine_code.load(self.model, self._packs)
            self._is_loaded = True
        done = 0
        while True:
            # up to the next move of the timeline, which begins between two ticks
            ahead = self._begin_moves() if len(rows) else 0
            part = rows[done : done + ahead] if ahead else rows[done:]
            n = int(run(*self._packs.values(), part))  # type: ignore[call-arg]
            done += n
            if done == len(rows) or self.fault:
                break
        self.row[:] = rows[done - 1] if done else self.row
        return done

    def _begin_moves(self) -> int:
        """Begin the moves of this tick; ticks until the next one, 0 if there is none."""
        due = self.timeline.tick == self.tick
        for move in self._moves:
            if move.tick != self.tick:
                continue
            # what the timeline commands in the same tick counts for its moves already
            self.commands.values[self.timeline.command[due]] = self.timeline.value[due]
            if self.commands.values[self.model.robots.command[move.robot] + STOP] > 0.5:
                self._refuse(move.robot, STOPPED)
                continue
            try:
                begin_move(self.model, self.state, move.robot, move.plan)
            except Refused:
                self._refuse(move.robot, NOT_AT_START)
        return min((m.tick - self.tick for m in self._moves if m.tick > self.tick), default=0)

    def _refuse(self, robot: int, reason: int) -> None:
        self.state.robots.refusal[robot] = reason
        self.state.robots.refusals[robot] += 1

    def ignore_timeline(self) -> None:
        """Leave the commands and moves to the caller."""
        self._packs["timeline"] = pack(allocate(Timeline, {"n_setting": 0}))
        self._moves = ()

    def robot(self, name: str) -> RobotControl:
        """A robot, to give it moves."""
        names = list(self.spec.robot)
        if name not in names:
            raise KeyError(f"there is no robot {name}: {', '.join(names) or 'the cell has none'}")
        return RobotControl(self, names.index(name))

    def __setitem__(self, name: str, value: bool | int | float) -> None:
        """Set a command or a fault lever: the next tick latches it."""
        signal = self.signals[name]
        if signal not in self.signals.latched:
            raise KeyError(f"{name} is not a command, nor a fault lever")
        if signal.kind is Kind.BOOLEAN:
            if value not in (0, 1):
                raise ValueError(f"{name} is False or True, not {value}")
        elif signal.kind in WHOLE:
            least, most = signal.limits or WHOLE[signal.kind]
            if not (float(value).is_integer() and least <= value <= most):
                asked = f"a whole number of {least:.0f} to {most:.0f}"
                raise ValueError(f"{name} is {asked}, not {value}")
        elif signal.direction is Direction.FAULT and signal.limits:
            least, most = signal.limits  # what a controller sends beyond limits, the tick refuses
            if not least <= value <= most:
                raise ValueError(f"{name} is a number of {least:g} to {most:g}, not {value}")
        self.commands.values[signal.column] = float(value)

    def __getitem__(self, name: str) -> float:
        """Value of a signal in the last row (a String's code as a number: see `text`)."""
        return float(self.row[self.signals[name].column])

    def text(self, name: str) -> str:
        """Value of a String signal in the last row."""
        signal = self.signals[name]
        if signal.kind is not Kind.STRING:
            raise KeyError(f"{name} is not a String")
        return signal.texts[int(self[name])]

    @property
    def fault(self) -> Fault | None:
        """What stopped the cell, if anything did."""
        kind, number, tick = (int(x) for x in self.feedback.fault)
        if kind == NO_FAULT:
            return None
        if kind == BODY_LOST:
            name = self.compiled.body_names[number]
            return Fault(name, tick, "its motion grew beyond all bounds")
        if kind == JOINT_LOST:
            name = self.compiled.joint_names[number]
            return Fault(name, tick, "its motion grew beyond all bounds")
        name = list(self.spec.constrained_object)[number]
        return Fault(name, tick, "it is part of more closed loops than are solved together")

    @property
    def contact_counts(self) -> tuple[int, int]:
        """Sub-steps whose contact forces did not settle, and contact points left out, so far."""
        return int(self.feedback.unsettled[0]), int(self.feedback.left_out[0])

    def snapshot(self) -> State:
        """A copy of everything the next tick needs but the commands."""
        return copy_arrays(self.state)

    def restore(self, state: State) -> None:
        """Go back to a snapshot; a fault is forgotten.

        Commands are not part of it: a set point number that differs from the snapshot's is new.
        """
        assign(self.state, state)
        self.feedback.fault[:] = NO_FAULT

    def state_hash(self) -> str:
        """Fingerprint of the state, bit by bit."""
        digest = hashlib.sha256()
        for _, array in leaves(self.state):
            digest.update(array.tobytes())
        return digest.hexdigest()
