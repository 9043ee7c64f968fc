"""Reads a recording: part after part, in the order of its rows.

A recording that was cut off gives what is whole of it, and says so.
"""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from mcap.records import Attachment, Channel, Message

from server.realtime.journal import Entry
from server.realtime.ring import Floats, Ints
from server.recording.facts import Facts
from server.recording.mcap_scan import McapScan, NoMcap
from server.recording.recording_writer import COMMANDS, EVENTS, FAULTS, FEEDBACK, ORDERS
from server.recording.row_block import DamagedBlock, decode


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
        for record in self._scan.records():
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
                yield _note(topic, json.loads(record.data))
        if commands is not None:
            yield self._rows(commands, None)

    def rows(self) -> Iterator[Rows]:
        """The rows only."""
        return (part for part in self.parts() if isinstance(part, Rows))

    def _rows(self, commands: Message, feedback: Message | None) -> Rows:
        try:
            block = decode(commands.data)
            kept = decode(feedback.data) if feedback else None
        except DamagedBlock as damage:
            raise NoRecording(f"{self.path}: a block of rows is damaged: {damage}") from damage
        latched = block.bits[:, :-2].copy().view(np.float64)
        if kept is None:
            which = np.empty(0, dtype=np.int64)
            values = np.empty((0, len(self.signals)))
        else:
            which = kept.first - block.first + np.arange(len(kept.bits)) * kept.every
            values = np.concatenate([latched[which], kept.values], axis=1)
        return Rows(block.first, block.bits[:, -2], block.bits[:, -1], latched, which, values)

    def _read_facts(self) -> Facts:
        attachments: dict[str, bytes] = {}
        for record in self._scan.records():
            if not isinstance(record, Attachment):
                break
            attachments[record.name] = record.data
        try:
            return Facts.read(attachments)
        except KeyError:
            text = "is no recording of twincell, or was cut off at its very beginning"
            raise NoRecording(f"{self.path}: {text}") from None
        except (ValueError, TypeError) as error:
            raise NoRecording(f"{self.path}: cannot be read: {error}") from None


def _note(topic: str, told: dict[str, Any]) -> Entry | Event | Fault:
    row, tick = told["row"], told["tick"]
    if topic == FAULTS:
        return Fault(row, tick, told["text"])
    if topic == EVENTS:
        return Event(row, tick, told["type"], told["source"], told["text"])
    return Entry(row, tick, told["order"], told["argument"], base64.b64decode(told["payload"]))
