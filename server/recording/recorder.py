"""The recorder's process: takes the rows of a running cell out of the ring and into a file.

It looks at the ring fifty times a second and takes rows when there are enough for a block, when the
oldest has waited for long enough, or when the journal fills up with orders: so a crash of
everything loses less than half a second, and thousands of orders a second are not lost. The
loop never waits for it, unless time itself is asked to (lock step). A recorder that was overtaken
says so, in the file and on the node, and goes on.

When the disk is full or the folder is closed, the recording ends, the reason is told, and the cell
goes on.
"""

import logging
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from twincell.server.files.atomic import NotWritable
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.record_box import Asked, Outcome, Request
from twincell.server.realtime.shared.ring import NOBODY_RECORDS
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.recording.facts import Facts, UnknownSignals
from twincell.server.recording.mcap_bounds import LARGE
from twincell.server.recording.mcap_file import FileExists, McapFile
from twincell.server.recording.recording_writer import ORDERS_LOST, RecordingWriter
from twincell.server.recording.row_block import MOST_ROWS

LOOK_S = 0.02
LONGEST_WAIT_S = 0.4  # of a row, until it is in the file; chosen: well below the promised second
MOST_ROWS_AT_ONCE = 4 * MOST_ROWS  # taken in one go; chosen: a few megabytes
SYNC_S = 5.0  # between two times that the disk is waited for; chosen: a power cut is rare
LAST_ROWS_S = 0.5  # what the loop gets to end, when everything ends
ENDING = ".mcap"

log = logging.getLogger("twincell.recording")


@dataclass(frozen=True)
class Wanted:
    """What a recorder has to know before it starts."""

    facts: Facts  # of a recording of everything
    folder: Path  # where clients' recordings go
    at_once: Path | None = None  # record into this file from the first row on


class BadName(Exception):
    """A client gave something else than a bare name for a file."""


class Recorder:
    """Records when it is told to."""

    def __init__(self, link: Link, wanted: Wanted) -> None:
        self._link = link
        self._wanted = wanted
        self._run: _Run | None = None
        link.recorded[0] = NOBODY_RECORDS
        self._take_over()
        if wanted.at_once is not None:
            self._start_at_once(wanted.at_once)

    def _take_over(self) -> None:
        """Begin with nothing; what a recorder before this one left undone is told."""
        box = self._link.recording
        if box.next() is not None:
            box.reply(Outcome.NOT_NOW, "the recorder was started again")
        if box.file:
            box.show_error(f"{box.file}: its recorder ended; what it had written is in the file")
        box.show("", box.rows, box.lost)

    def look(self) -> None:
        """Do what was asked, take the rows that are due."""
        request = self._link.recording.next()
        if request is not None:
            outcome, text = self._answer(request)
            self._link.recording.reply(outcome, text)
        if self._run is not None:
            self._take(all_of_them=False)

    def end(self) -> None:
        """Take the last rows, and end the recording."""
        if self._run is not None:
            until_s = time.monotonic() + LAST_ROWS_S
            while self._link.vitals.state is not LoopState.DOWN and time.monotonic() < until_s:
                time.sleep(LOOK_S)
            self._finish()

    def _answer(self, request: Request) -> tuple[Outcome, str]:
        if request.asked is Asked.STOP:
            if self._run is None:
                return Outcome.NOT_NOW, "nothing is recorded"
            self._finish()
            error = self._link.recording.error
            return (Outcome.NOT_WRITABLE, error) if error else (Outcome.DONE, "")
        if self._run is not None:
            return Outcome.NOT_NOW, f"it records into {self._run.path.name} already"
        try:
            outcome, text = Outcome.DONE, self._start(request)
        except BadName as problem:
            outcome, text = Outcome.BAD_NAME, str(problem)
        except UnknownSignals as problem:
            outcome, text = Outcome.BAD_SIGNALS, str(problem)
        except FileExists as problem:
            outcome, text = Outcome.EXISTS, str(problem)
        except NotWritable as problem:
            outcome, text = Outcome.NOT_WRITABLE, str(problem)
        text = self._without_folders(text)
        self._link.recording.show_error("" if outcome is Outcome.DONE else text)
        return outcome, text

    def _start(self, request: Request) -> str:
        """Begin a recording from the row on that the loop has noted its state for."""
        path = self._wanted.folder / _bare(request.name)
        facts = self._wanted.facts.choose(request.signals, request.every, request.first_row)
        try:
            self._wanted.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = f"{self._wanted.folder}: cannot be made: {error.strerror}"
            raise NotWritable(problem) from error
        self._run = _Run(self._link, path, facts, self._noted(request.first_row))
        log.info("recording into %s", path)
        return path.name

    def _noted(self, row: int) -> int:
        """Number of the journal's entry with the state before a row; else of the next entry."""
        first, entries = self._link.journal.read(0)
        for k in range(len(entries) - 1, -1, -1):
            if entries[k].kind == journal.STATE and entries[k].row == row:
                return first + k
        return self._link.journal.written

    def _start_at_once(self, path: Path) -> None:
        try:
            self._run = _Run(self._link, path, self._wanted.facts, 0)
        except NotWritable as problem:
            self._tell(problem)

    def _take(self, all_of_them: bool) -> None:
        run = self._run
        if run is None:
            return
        try:
            run.take(all_of_them)
        except NotWritable as problem:
            self._tell(problem)
            self._forget()

    def _finish(self) -> None:
        self._take(all_of_them=True)
        if self._run is None:
            return
        try:
            self._run.close()
        except NotWritable as problem:
            self._tell(problem)
        else:
            log.info("recorded %d rows into %s", self._run.rows, self._run.path)
        self._forget()

    def _forget(self) -> None:
        if self._run is not None:
            self._link.recording.show("", self._run.rows, self._run.lost)
        self._run = None
        self._link.recorded[0] = NOBODY_RECORDS

    def _tell(self, problem: NotWritable) -> None:
        log.warning("the recording ended: %s", problem)
        self._link.recording.show_error(self._without_folders(str(problem)))

    def _without_folders(self, text: str) -> str:
        """What clients may read: which file, but not where the server keeps it."""
        at_once = self._wanted.at_once
        folders = {self._wanted.folder, *([at_once.parent] if at_once else [])}
        for folder in sorted(map(str, folders), key=len, reverse=True):
            text = text.replace(f"{folder}/", "").replace(folder, "the server's folder")
        return text


class _Run:
    """One recording."""

    def __init__(self, link: Link, path: Path, facts: Facts, first_entry: int) -> None:
        self.path = path
        self.rows = 0  # in the file: what could not be written does not count
        self.lost = 0  # rows
        self._link = link
        self._next_row, self._next_entry = facts.first_row, first_entry
        self._writer = RecordingWriter(McapFile(path), facts)
        self._bytes_taken = link.journal.payload_bytes  # of the journal, at the last look at it
        self._taken_s = self._synced_s = time.monotonic()
        self._sync: threading.Thread | None = None
        self._sync_problem: NotWritable | None = None
        self._control, self._overruns = link.vitals.text("control"), link.vitals["overruns"]
        link.recorded[0] = self._next_row
        self._show()

    def take(self, all_of_them: bool) -> None:
        """Take what is due, and bring it into the file."""
        now_s = time.monotonic()
        if not (all_of_them or self._is_due(now_s)):
            return
        self._taken_s = now_s
        # a row is counted after what the journal says about it: so the rows come first
        end = self._link.ring.written
        self._take_orders()
        while self._next_row < end:
            self._take_rows(min(self._next_row + MOST_ROWS_AT_ONCE, end))
            if self._writer.waiting > LARGE:
                self._commit()
        self._note_loop()
        self._commit()
        self._show()
        if self._sync_problem is not None:
            self.close()
        if now_s - self._synced_s > SYNC_S and (self._sync is None or not self._sync.is_alive()):
            self._synced_s = now_s
            self._sync = threading.Thread(target=self._wait_for_disk, daemon=True)
            self._sync.start()

    def close(self) -> None:
        """End the file; what the disk refused is told now, if it was not before."""
        if self._sync is not None:
            self._sync.join(LAST_ROWS_S)
        self._writer.close()
        if self._sync_problem is not None:
            raise self._sync_problem

    def _commit(self) -> None:
        self._writer.commit()
        self.rows = self._writer.rows

    def _is_due(self, now_s: float) -> bool:
        """Whether enough waits, or something has waited for long enough."""
        return (
            self._link.ring.written - self._next_row >= MOST_ROWS
            or now_s - self._taken_s >= LONGEST_WAIT_S
            or self._link.journal.is_filling(self._next_entry, self._bytes_taken)
        )

    def _wait_for_disk(self) -> None:
        try:
            self._writer.sync()
        except NotWritable as problem:
            self._sync_problem = problem

    def _take_orders(self) -> None:
        self._bytes_taken = self._link.journal.payload_bytes
        first, entries = self._link.journal.read(self._next_entry)
        if first > self._next_entry:
            text = f"{first - self._next_entry} orders were lost: the recorder came too late"
            self._note(ORDERS_LOST, text)
        for entry in entries:
            self._writer.add_order(entry)
        self._next_entry = first + len(entries)

    def _take_rows(self, end: int) -> None:
        ring = self._link.ring
        rows = ring.read(self._next_row, end)
        missed = rows.first - self._next_row
        if missed:
            self.lost += missed
            text = f"{missed} rows were lost: the recorder came too late"
            log.warning("%s: %s", self.path, text)
            self._note("RowsLost", text)
        self._next_row = rows.first + len(rows.stamp)
        self._link.recorded[0] = self._next_row
        if len(rows.stamp):
            ticks = rows.values[:, ring.tick_column]
            self._writer.add_rows(rows.first, rows.values[:, : ring.n_signal], ticks, rows.stamp)

    def _note_loop(self) -> None:
        """Who commands, and ticks that took too long: no signals, but part of what happened."""
        control, overruns = self._link.vitals.text("control"), self._link.vitals["overruns"]
        if control != self._control:
            self._note("ControlChanged", f"in command: {control}")
        if overruns > self._overruns:
            count = overruns - self._overruns
            self._note("LoopOverrun", f"{count} {'tick' if count == 1 else 'ticks'} took too long")
        self._control, self._overruns = control, overruns

    def _note(self, kind: str, text: str) -> None:
        row = self._next_row
        newest = self._link.ring.newest()
        tick = int(newest.values[0, self._link.ring.tick_column]) if newest else 0
        self._writer.add_event(row, tick, kind, "Simulation", text)

    def _show(self) -> None:
        self._link.recording.show(self.path.name, self.rows, self.lost)


def serve_recorder(link: Link, wanted: Wanted) -> None:
    """Record in this process, when told to, until SIGTERM."""
    ending = threading.Event()
    signal.signal(signal.SIGTERM, lambda _signal, _frame: ending.set())
    recorder = Recorder(link, wanted)
    while not ending.wait(LOOK_S):
        link.vitals["recorder_beat_ns"] = time.monotonic_ns()
        recorder.look()
    recorder.end()


def _bare(name: str) -> str:
    """The file's name; a client names no folders."""
    bare = PurePosixPath(name).name
    if not name or bare != name or name.startswith(".") or "\\" in name or not name.isprintable():
        raise BadName(f"{name!r} is no bare file name: the folder is the server's")
    return name if name.endswith(ENDING) else f"{name}{ENDING}"
