"""What a recording says about itself: which cell, which signals, which rows, which version.

The cell file and the model files of its robots are in the recording as they were read, so that it
can be replayed on another machine, and when the files have changed.
"""

import hashlib
import json
import math
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
import numpy as np

from twincell import __version__, sim
from twincell.sim.cell import Cell
from twincell.sim.signals import Direction, Kind, Signal, SignalTable
from twincell.sim.spec import CellSpec
from twincell.sim.spec.robot_files import is_shipped

FORMAT = 1  # of our messages; another number: another reader
# names of attachments
FACTS, CELL, MODEL, SHIPPED = "recording.json", "cell.toml", "model/", "shipped_model/"
HASH_DIGITS = 16


class UnknownSignals(Exception):
    """Somebody chose signals that there are not; the text names one."""


@dataclass(frozen=True)
class CellFiles:
    """A cell file and the robot models it names, as bytes."""

    cell: bytes
    models: Mapping[str, bytes]  # by their names in the cell file
    shipped: Mapping[str, bytes]  # those that came with twincell, by the names of their files

    @classmethod
    def of(cls, spec: CellSpec) -> "CellFiles":
        """The files that a cell was read from; an OSError says which is gone."""
        models, shipped = {}, {}
        for name, robot in spec.robot.items():
            file = Path(spec.robot_models[name].file)
            if is_shipped(robot.model):
                shipped[file.name] = file.read_bytes()
            else:
                models[robot.model] = file.read_bytes()
        return cls(Path(spec.source.file).read_bytes(), models, shipped)


@dataclass(frozen=True)
class Facts:
    """What is recorded."""

    cell: str  # its name
    step_s: float
    signals: SignalTable  # of the whole cell
    files: CellFiles
    kept: tuple[str, ...]  # feedback signals that are in the file; commands all are
    every: int = 1  # of so many rows, one has its feedback kept
    first_row: int = 0
    version: str = __version__
    code: str = ""  # fingerprint of the simulation
    machine: str = ""

    @classmethod
    def of(cls, cell: Cell, files: CellFiles) -> "Facts":
        """What there is to say about a recording of everything."""
        kept = tuple(s.name for s in cell.signals if s.direction is Direction.FEEDBACK)
        machine = f"{platform.machine()}, numba {numba.__version__}, numpy {np.__version__}"
        return cls(
            cell.spec.name,
            cell.step_s,
            cell.signals,
            files,
            kept,
            code=code_fingerprint(),
            machine=machine,
        )

    def choose(self, patterns: Sequence[str], every: int, first_row: int) -> "Facts":
        """The same, but with some signals only, of some rows, from a row on."""
        kept = self.kept
        if patterns:
            chosen = set(names_like(patterns, [signal.name for signal in self.signals]))
            kept = tuple(name for name in kept if name in chosen)
        return replace(self, kept=kept, every=every, first_row=first_row)

    @cached_property
    def latched(self) -> tuple[Signal, ...]:
        """What a tick latches: the first columns of a row."""
        return tuple(s for s in self.signals if s.direction is not Direction.FEEDBACK)

    @cached_property
    def recorded(self) -> SignalTable:
        """The signals of the rows that the file gives back, with their columns there."""
        found = [*self.latched, *(self.signals[name] for name in self.kept)]
        return SignalTable(replace(signal, column=k) for k, signal in enumerate(found))

    @property
    def is_whole(self) -> bool:
        """Whether every signal of every row is there."""
        return self.every == 1 and len(self.recorded) == len(self.signals)

    def attachments(self) -> dict[str, bytes]:
        """It, as files to put into the recording."""
        told = {
            "format": FORMAT,
            "twincell": self.version,
            "simulation": self.code,
            "machine": self.machine,
            "cell": self.cell,
            "step_s": self.step_s,
            "first_row": self.first_row,
            "every": self.every,
            "kept": self.kept,
            "signals": [_told(signal) for signal in self.signals],
        }
        models = {f"{MODEL}{name}": data for name, data in self.files.models.items()}
        shipped = {f"{SHIPPED}{name}": data for name, data in self.files.shipped.items()}
        text = json.dumps(told, indent=1, ensure_ascii=False)
        return {FACTS: text.encode(), CELL: self.files.cell, **models, **shipped}

    @classmethod
    def read(cls, attachments: Mapping[str, bytes]) -> "Facts":
        """The facts again; KeyError or ValueError if these files do not hold them."""
        told = json.loads(attachments[FACTS])
        if told["format"] != FORMAT:
            raise ValueError(f"format {told['format']}, but this twincell knows {FORMAT} only")
        models, shipped = (
            {
                name.removeprefix(kind): data
                for name, data in attachments.items()
                if name.startswith(kind)
            }
            for kind in (MODEL, SHIPPED)
        )
        _check(told)
        return cls(
            cell=told["cell"],
            step_s=told["step_s"],
            signals=SignalTable(_signal(k, one) for k, one in enumerate(told["signals"])),
            files=CellFiles(attachments[CELL], models, shipped),
            kept=tuple(told["kept"]),
            every=told["every"],
            first_row=told["first_row"],
            version=told["twincell"],
            code=told["simulation"],
            machine=told["machine"],
        )


def _check(told: Mapping[str, Any]) -> None:
    """Refuse facts that no recording has; a ValueError names what is wrong."""
    texts = ("cell", "twincell", "simulation", "machine")
    for name in texts:
        if not _is_shown(told[name]):
            raise ValueError(f"its {name} is {told[name]!r}, which is no text")
    for name, least in (("every", 1), ("first_row", 0)):
        if not isinstance(told[name], int) or not least <= told[name] < 2**53:
            raise ValueError(f"its {name} is {told[name]!r}")
    if not isinstance(told["step_s"], float) or not 0.0 < told["step_s"] < math.inf:
        raise ValueError(f"its step_s is {told['step_s']!r}")
    for one in told["signals"]:
        if not all(_is_shown(one[name]) for name in ("name", "unit", "description")):
            raise ValueError(f"its signal {one['name']!r} is not described in words")
    feedback = {one["name"] for one in told["signals"] if one["direction"] == Direction.FEEDBACK}
    unknown = set(told["kept"]) - feedback
    if unknown or len(set(told["kept"])) != len(told["kept"]):
        raise ValueError("it keeps signals that its cell does not have, or one of them twice")


def _is_shown(text: object) -> bool:
    """Whether this is a text that leaves the cursor of a terminal where it is."""
    return isinstance(text, str) and text.isprintable()


def names_like(patterns: Sequence[str], names: Sequence[str]) -> list[str]:
    """The names that somebody chose: whole, or with * as in file names, or of a whole object."""
    chosen: list[str] = []
    for pattern in patterns:
        found = [
            name for name in names if fnmatchcase(name, pattern) or name.startswith(f"{pattern}.")
        ]
        if not found:
            raise UnknownSignals(f"no signal is called {pattern}")
        chosen += found
    wanted = set(chosen)
    return [name for name in names if name in wanted]


def code_fingerprint() -> str:
    """Fingerprint of the code that decides the rows, wherever it is installed."""
    folder = Path(os.path.dirname(sim.__file__))
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*.py")):
        digest.update(file.relative_to(folder).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:HASH_DIGITS]


def _told(signal: Signal) -> dict[str, Any]:
    told: dict[str, Any] = {
        "name": signal.name,
        "type": signal.kind,
        "unit": signal.unit,
        "direction": signal.direction,
        "description": signal.description,
    }
    return told | ({"texts": signal.texts} if signal.texts else {})


def _signal(column: int, told: Mapping[str, Any]) -> Signal:
    return Signal(
        told["name"],
        column,
        Kind(told["type"]),
        told["unit"],
        Direction(told["direction"]),
        told["description"],
        tuple(told.get("texts", ())),
    )
