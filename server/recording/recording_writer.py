"""Writes a recording: rows, what happened between them, events, and a preview for other tools.

    /twincell/commands   what each tick latched, its tick and time stamp: blocks of every row
    /twincell/feedback   the feedback that is kept: blocks of every row, or of every n-th
    /twincell/orders     resets, restores, moves: what rows do not hold but replay needs
    /twincell/events     tools that change hands, drives at their limit, rows that were lost
    /twincell/faults     why the cell stopped itself
    /<object>            a preview of each object, 20 times a second

docs/use/recordings.md describes them.
"""

import base64
import json
from typing import Any

import numpy as np

from twincell.server.files.atomic import NotWritable
from twincell.server.offline import time_of
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.journal import Entry
from twincell.server.realtime.shared.ring import Floats, Ints
from twincell.server.realtime.stamps import UNIT_NS, UNITS_1601_TO_1970
from twincell.server.recording.facts import FACTS, Facts
from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.object_messages import ObjectMessages
from twincell.server.recording.row_block import RowBlock, encode, rows_of_a_block
from twincell.server.report.row_changes import RowChanges

ROWS_ENCODING = "twincell-rows"
COMMANDS, FEEDBACK = "/twincell/commands", "/twincell/feedback"
ORDERS, EVENTS, FAULTS = "/twincell/orders", "/twincell/events", "/twincell/faults"

ORDERS_LOST = "OrdersLost"  # type of an event: from there on nobody knows the state of the cell

PREVIEW_S = 0.05  # simulated; chosen: 20 points a second draw a smooth curve
PREVIEW_DIGITS = 6

NOTE = {"row": "integer", "tick": "integer", "text": "string"}
EVENT = {**NOTE, "type": "string", "source": "string"}
ORDER = {**NOTE, "order": "string", "argument": "number", "payload": "string"}


class RecordingWriter:
    """A recording that grows; `NotWritable` says why it cannot."""

    def __init__(self, file: McapFile, facts: Facts) -> None:
        self.facts = facts
        self.rows = 0  # so far
        self._file = file
        for name, data in facts.attachments().items():
            media_type = "application/json" if name == FACTS else "text/plain"
            file.attach(name, media_type, data)
        blocks = file.add_schema(ROWS_ENCODING, "", b"")
        self._commands = file.add_channel(COMMANDS, ROWS_ENCODING, blocks)
        self._feedback = file.add_channel(FEEDBACK, ROWS_ENCODING, blocks)
        self._orders = self._notes_channel(ORDERS, "Order", ORDER)
        self._events = self._notes_channel(EVENTS, "Event", EVENT)
        self._faults = self._notes_channel(FAULTS, "Fault", NOTE)
        kept = [facts.signals[signal.name] for signal in facts.recorded]
        self._preview = ObjectMessages(file, kept, facts.step_s, PREVIEW_DIGITS)
        per_preview = max(round(PREVIEW_S / facts.step_s), 1)
        self._preview_every = -(-per_preview // facts.every) * facts.every
        self._columns = np.array([facts.signals[name].column for name in facts.kept], dtype=int)
        self._block_rows = rows_of_a_block(len(facts.signals))
        self._changes = RowChanges(facts.signals)
        self._time_ns: int | None = None  # of the newest row
        self._early: list[tuple[int, bytes]] = []  # notes before the first row: they get its time
        self._begin()

    def _begin(self) -> None:
        """Write what the recording is about; if not even that has room, leave no file behind."""
        try:
            self._file.commit()
        except NotWritable:
            self._file.path.unlink(missing_ok=True)
            raise

    @property
    def waiting(self) -> int:
        """Bytes that the next commit writes, before they are compressed."""
        return self._file.waiting

    def add_rows(self, first: int, values: Floats, ticks: Floats, stamps: Ints) -> None:
        """Add rows of all signals, numbered from `first` on, with their ticks and time stamps."""
        for start in range(0, len(values), self._block_rows):
            part = slice(start, start + self._block_rows)
            self._add_block(first + start, values[part], ticks[part], stamps[part])

    def add_order(self, entry: Entry) -> None:
        """Add what the journal says; a fault has a topic of its own."""
        note = {"row": entry.row, "tick": entry.tick}
        if entry.kind == journal.FAULT:
            text = entry.payload.decode("utf-8", "replace")
            self._add_note(self._faults, note | {"text": text})
            return
        payload = base64.b64encode(entry.payload).decode()
        told = {"order": entry.kind, "argument": entry.argument, "payload": payload}
        self._add_note(self._orders, note | {"text": _in_words(entry)} | told)

    def add_event(self, row: int, tick: int, type_name: str, source: str, text: str) -> None:
        """Add something that happened."""
        told = {"row": row, "tick": tick, "text": text, "type": type_name, "source": source}
        self._add_note(self._events, told)

    def commit(self) -> None:
        """Bring everything into the file."""
        self._file.commit()

    def sync(self) -> None:
        """Wait until the disk has it."""
        self._file.sync()

    def close(self) -> None:
        """Bring everything into the file, and an index of it."""
        self._file.close()

    def _add_block(self, first: int, values: Floats, ticks: Floats, stamps: Ints) -> None:
        facts = self.facts
        times_ns = (stamps - UNITS_1601_TO_1970) * UNIT_NS
        for channel, data in self._early:
            self._file.add_message(channel, int(times_ns[0]), data)
        self._early.clear()
        self._time_ns = int(times_ns[-1])
        latched = np.ascontiguousarray(values[:, : len(facts.latched)]).view(np.int64)
        clock = np.stack([ticks.astype(np.int64), stamps], axis=1)
        block = RowBlock(first, 1, np.concatenate([latched, clock], axis=1))
        self._file.add_message(self._commands, int(times_ns[0]), encode(block))

        skipped = -(first - facts.first_row) % facts.every
        kept = np.ascontiguousarray(values[skipped :: facts.every, self._columns])
        if len(kept):
            block = RowBlock(first + skipped, facts.every, kept.view(np.int64))
            self._file.add_message(self._feedback, int(times_ns[skipped]), encode(block))

        skipped = -(first - facts.first_row) % self._preview_every
        for k in range(skipped, len(values), self._preview_every):
            self._preview.add(int(ticks[k]), int(times_ns[k]), values[k].tolist())
        for change in self._changes.find(first, values[:, self._changes.columns], ticks):
            tick = int(ticks[change.row - first])
            self.add_event(change.row, tick, change.type_name, change.object, change.text)
        self.rows += len(values)

    def _notes_channel(self, topic: str, title: str, types: dict[str, str]) -> int:
        properties = {name: {"type": type_name} for name, type_name in types.items()}
        schema = {"title": title, "type": "object", "properties": properties}
        number = self._file.add_schema(title, "jsonschema", json.dumps(schema).encode())
        return self._file.add_channel(topic, "json", number)

    def _add_note(self, channel: int, note: dict[str, Any]) -> None:
        data = json.dumps(note, ensure_ascii=False).encode()
        if self._time_ns is None:
            self._early.append((channel, data))
        else:
            self._file.add_message(channel, self._time_ns, data)


def offline_stamps(ticks: Floats, step_s: float) -> Ints:
    """Time stamps of a run without a clock: simulated time, counted from 1970."""
    times = np.array([time_of(int(tick), step_s) for tick in ticks])
    return np.round(times * 1e9 / UNIT_NS).astype(np.int64) + UNITS_1601_TO_1970


def _in_words(entry: Entry) -> str:
    return f"{entry.kind} {entry.argument:g}" if entry.argument else entry.kind
