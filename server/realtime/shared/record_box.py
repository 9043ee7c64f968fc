"""What the recorder is asked for and how it is, shared between processes.

The OPC UA process asks, one request at a time; the recorder answers and shows what it does.
"""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

NAME = 1024  # bytes of a file's name or path
TEXT = 1024
SIGNALS = 65_536  # bytes of patterns: as many as a client may sensibly choose


class Asked(IntEnum):
    """What the recorder is asked for."""

    START = 1
    STOP = 2


class Outcome(IntEnum):
    """What became of a request."""

    DONE = 0
    NOT_NOW = 1  # it records already, or does not
    BAD_NAME = 2
    BAD_SIGNALS = 3
    EXISTS = 4
    NOT_WRITABLE = 5


class Request(NamedTuple):
    """What to record, and where: a bare file name."""

    asked: Asked
    name: str = ""
    every: int = 1  # of so many rows, one is kept
    signals: tuple[str, ...] = ()  # names or patterns; none: all
    first_row: int = 0


class Reply(NamedTuple):
    """How a request ended; the text says why."""

    outcome: Outcome
    text: str


RECORD_BOX = np.dtype(
    [
        # written by who asks
        ("posted", "i8"),
        ("asked", "i8"),
        ("every", "i8"),
        ("first_row", "i8"),
        ("name", f"S{NAME}"),
        ("signals", f"S{SIGNALS}"),
        # written by the recorder
        ("answered", "i8"),
        ("outcome", "i8"),
        ("reason", f"S{TEXT}"),
        ("file", f"S{NAME}"),  # that it records into, empty: none
        ("rows", "i8"),  # in that file, or the last one
        ("lost", "i8"),  # rows that it came too late for
        ("error", f"S{TEXT}"),  # why the last recording ended, or could not begin
    ]
)


class RecordBox:
    """The recorder, as other processes see it."""

    def __init__(self, array: npt.NDArray[np.void]) -> None:
        self._record: Any = array[0]
        self._number = 0  # of the request at hand

    def post(self, request: Request) -> int:
        """Ask for something; the number of the request. ValueError if it cannot be handed over."""
        name, signals = request.name.encode(), "\n".join(request.signals).encode()
        if len(name) > NAME or len(signals) > SIGNALS:
            raise ValueError("the name or the list of signals is too long")
        if b"\0" in name + signals:
            raise ValueError("a name has no NUL in it")
        record = self._record
        record["asked"], record["every"] = request.asked, request.every
        record["first_row"], record["name"], record["signals"] = request.first_row, name, signals
        record["posted"] += 1
        return int(record["posted"])

    def reply_to(self, number: int) -> Reply | None:
        """The reply to a request, once there is one."""
        if self._record["answered"] < number:
            return None
        return Reply(Outcome(int(self._record["outcome"])), self._text("reason"))

    def next(self) -> Request | None:
        """What was asked for and has no reply yet."""
        record = self._record
        if record["answered"] >= record["posted"]:
            return None
        self._number = int(record["posted"])
        signals = self._text("signals")
        return Request(
            Asked(int(record["asked"])),
            self._text("name"),
            int(record["every"]),
            tuple(signals.split("\n")) if signals else (),
            int(record["first_row"]),
        )

    def reply(self, outcome: Outcome, text: str = "") -> None:
        """Answer the request that `next` gave."""
        self._record["outcome"], self._record["reason"] = outcome, text.encode()[:TEXT]
        self._record["answered"] = self._number

    # ---------------------------------------------------------------- how the recorder is

    @property
    def file(self) -> str:
        """Where it records to; empty if it does not."""
        return self._text("file")

    @property
    def error(self) -> str:
        return self._text("error")

    @property
    def rows(self) -> int:
        return int(self._record["rows"])

    @property
    def lost(self) -> int:
        return int(self._record["lost"])

    def show(self, file: str, rows: int, lost: int) -> None:
        """Show what is recorded."""
        self._record["file"], self._record["rows"] = file.encode()[:NAME], rows
        self._record["lost"] = lost

    def show_error(self, text: str) -> None:
        """Show why a recording ended or did not begin; empty: none did."""
        self._record["error"] = text.encode()[:TEXT]

    def _text(self, field: str) -> str:
        return bytes(self._record[field]).decode("utf-8", "replace")
