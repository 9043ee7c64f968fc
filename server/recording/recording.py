"""Reads a recording: part after part, in the order of its rows.

A recording that was cut off gives what is whole of it, and says so. One that holds what no recorder
writes is none: `NoRecording` says where and why.
"""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mcap.records import Attachment, Channel, Message

from twincell.server.realtime.shared.journal import Entry
from twincell.server.realtime.shared.ring import Floats, Ints
from twincell.server.realtime.stamps import UNIT_NS, UNITS_1601_TO_1970
from twincell.server.recording.checked_moment import LARGEST, has_odd_codes
from twincell.server.recording.facts import Facts
from twincell.server.recording.mcap_scan import McapScan, NoMcap, Record
from twincell.server.recording.recording_writer import COMMANDS, EVENTS, FAULTS, FEEDBACK, ORDERS
from twincell.server.recording.row_block import DamagedBlock, RowBlock, decode

LATEST = UNITS_1601_TO_1970 + (2**63 - 1) // UNIT_NS  # time stamp that nanoseconds still hold


class NoRecording(Exception):
    """The file is no recording of a cell that we can read; the text says why."""


@dataclass(frozen=True)
class Rows:
    """Consecutive rows, numbered from `first` on."""

    first: int
    ticks: Ints  # (n,)
    stamps: Ints  # 100 ns since 1601                                (n,)
    latched: Floats  # commands                                      (n, n_latched)
    kept: Ints  # which of these rows have their feedback kept       (m,)
    values: Floats  # these, with the recording's signals            (m, n_recorded)


@dataclass(frozen=True)
class Event:
    """Something that happened, in words."""

    row: int
    tick: int
    type: str
    source: str
    text: str


@dataclass(frozen=True)
class Fault:
    """Why the cell stopped itself."""

    row: int
    tick: int
    text: str


Part = Rows | Entry | Event | Fault


class Recording:
    """A recording, open for reading."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._scan = McapScan(path)
        except NoMcap as problem:
            raise NoRecording(str(problem)) from problem
        self.facts = self._read_facts()
        self.signals = self.facts.recorded

    @property
    def damage(self) -> str:
        """What is wrong with the file, once it was read to its end; empty: nothing."""
        return self._scan.damage

    def parts(self) -> Iterator[Part]:
        """Everything, in the order in which it was written."""
        topics: dict[int, str] = {}
        commands: Message | None = None  # of the block of which the feedback comes next
        for record in self._records():
            if isinstance(record, Channel):
                topics[record.id] = record.topic
            if not isinstance(record, Message):
                continue
            topic = topics.get(record.channel_id)
            if commands is not None:
                feedback = record if topic == FEEDBACK else None
                yield self._rows(commands, feedback)
                commands = None
            if topic == COMMANDS:
                commands = record
            elif topic in (ORDERS, EVENTS, FAULTS):
                yield self._note(topic, record.data)
        if commands is not None:
            yield self._rows(commands, None)

    def rows(self) -> Iterator[Rows]:
        """The rows only."""
        return (part for part in self.parts() if isinstance(part, Rows))

    def _records(self) -> Iterator[Record]:
        try:
            yield from self._scan.records()
        except OSError as error:
            raise NoRecording(f"{self.path}: cannot be read: {error.strerror}") from None

    def _rows(self, commands: Message, feedback: Message | None) -> Rows:
        try:
            block = decode(commands.data)
            latched = self._latched(block)
            kept = decode(feedback.data) if feedback else None
            if kept is None:
                which = np.empty(0, dtype=np.int64)
                values = np.empty((0, len(self.signals)))
            else:
                which = self._which(block, kept)
                values = np.concatenate([latched[which], kept.values], axis=1)
            if has_odd_codes(self.signals, values):
                raise DamagedBlock("a text or a whole number is none")
        except DamagedBlock as damage:
            raise NoRecording(f"{self.path}: a block of rows is damaged: {damage}") from damage
        return Rows(block.first, block.bits[:, -2], block.bits[:, -1], latched, which, values)

    def _latched(self, block: RowBlock) -> Floats:
        """The commands of a block, behind which its ticks and time stamps stand."""
        n_row, n_column = block.bits.shape
        n_latched = len(self.facts.latched)
        if n_column != n_latched + 2 or n_row == 0:
            raise DamagedBlock(f"{n_row} rows of {n_column} commands, and the cell has {n_latched}")
        ticks, stamps = block.bits[:, -2], block.bits[:, -1]
        if not (0 <= block.first <= LARGEST and ticks.min() >= 0 and ticks.max() <= LARGEST):
            raise DamagedBlock("its rows have no number or tick that a run can reach")
        if not (stamps.min() >= UNITS_1601_TO_1970 and stamps.max() <= LATEST):
            raise DamagedBlock("its time stamps are before 1970 or after 2262")
        return block.bits[:, :-2].copy().view(np.float64)

    def _which(self, block: RowBlock, kept: RowBlock) -> Ints:
        """Which rows of a block have their feedback kept."""
        start, (n_kept, n_column) = kept.first - block.first, kept.bits.shape
        if n_column != len(self.facts.kept) or kept.every != self.facts.every:
            raise DamagedBlock(f"{n_column} signals of every {kept.every}th row are others")
        if n_kept == 0 or start < 0 or start + (n_kept - 1) * kept.every >= len(block.bits):
            raise DamagedBlock("its feedback is of rows that it does not have")
        return start + np.arange(n_kept) * kept.every

    def _read_facts(self) -> Facts:
        attachments: dict[str, bytes] = {}
        try:
            for record in self._records():
                if not isinstance(record, Attachment):
                    break
                attachments[record.name] = record.data
            return Facts.read(attachments)
        except KeyError:
            text = "is no recording of twincell, or was cut off at its very beginning"
            raise NoRecording(f"{self.path}: {text}") from None
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            raise NoRecording(f"{self.path}: cannot be read: {error}") from None

    def _note(self, topic: str, data: bytes) -> Entry | Event | Fault:
        try:
            told = json.loads(data)
            row, tick = _whole(told["row"]), _whole(told["tick"])
            if topic == FAULTS:
                return Fault(row, tick, str(told["text"]))
            if topic == EVENTS:
                return Event(row, tick, str(told["type"]), str(told["source"]), str(told["text"]))
            payload = base64.b64decode(told["payload"])
            return Entry(row, tick, str(told["order"]), float(told["argument"]), payload)
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            problem = f"{type(error).__name__}: {error}"
            raise NoRecording(f"{self.path}: a message of {topic} is damaged: {problem}") from None


def _whole(number: object) -> int:
    """The number of a row or tick."""
    if not isinstance(number, int) or not 0 <= number <= LARGEST:
        raise ValueError(f"{number!r} is no number of a row")
    return number
