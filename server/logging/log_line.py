"""What a process of a running cell has to say: when, how serious it is, which one, what.

As JSON it is one line with four keys: time, level, process, message.
"""

import io
import json
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple, Self

from twincell.server.logging.rate_limit import Sparing, message_of

OUR_LOGGERS = "twincell"
SUPERVISOR = "supervisor"  # what the process calls itself that all others come from
LONGEST_MESSAGE = 2_000  # bytes; chosen


def printable(text: str) -> str:
    """A text of somebody else without what would move the cursor of a terminal."""
    return "".join(c for c in text if c.isprintable())


class Level(StrEnum):
    """How serious something is."""

    debug = "debug"  # what goes on: how the cell is, every ten seconds
    info = "info"  # what somebody did: sessions, recordings, faults on purpose
    warning = "warning"  # what was refused, ended or was started again
    error = "error"  # what must not happen

    @property
    def number(self) -> int:
        """As Python's logging counts."""
        return logging.getLevelNamesMapping()[self.upper()]


class Said(NamedTuple):
    """One line."""

    time: str  # ISO 8601, UTC
    level: Level
    process: str
    message: str

    @classmethod
    def now(cls, process: str, message: str, level: Level = Level.info) -> Self:
        """Something said at this moment; of a very long message, the beginning."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        text = printable(" ".join(message.split()))
        short = text.encode("utf-8", "replace")[:LONGEST_MESSAGE].decode("utf-8", "ignore")
        return cls(now, level, process, short)

    @classmethod
    def from_json(cls, line: str) -> Self:
        """What `as_json` wrote; ValueError for anything else."""
        found = json.loads(line)
        if not isinstance(found, dict) or found.keys() != set(cls._fields):
            raise ValueError
        return cls(**{**found, "level": Level(found["level"])})

    def as_json(self) -> str:
        return json.dumps(self._asdict(), ensure_ascii=False)


def log_with(say: Callable[[Said], None], process: str, level: Level) -> None:
    """Let everything that this process logs be said, from a level on."""
    handler = _Saying(say, process)
    handler.addFilter(_WorthALine(level.number))
    handler.addFilter(Sparing())
    logging.raiseExceptions = False  # a line that cannot be written is no reason for another
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger(OUR_LOGGERS).setLevel(level.number)


class _Saying(logging.Handler):
    """What happened, without the traceback: the terminal belongs to somebody who runs a cell."""

    def __init__(self, say: Callable[[Said], None], process: str) -> None:
        super().__init__()
        self._say = say
        self._process = process

    def emit(self, record: logging.LogRecord) -> None:
        text = message_of(record)
        error = record.exc_info[1] if record.exc_info else None
        text = text if error is None else f"{text}: {type(error).__name__}: {error}"
        level = Level.error if record.levelno > logging.ERROR else Level(record.levelname.lower())
        self._say(Said.now(self._process, text, level))


class _WorthALine(logging.Filter):
    """What we log ourselves, and errors of libraries that are exceptions.

    asyncua calls it an error as well when a client asks for what there is not.
    """

    def __init__(self, level: int) -> None:
        super().__init__()
        self._level = level

    def filter(self, record: logging.LogRecord) -> bool:
        is_ours = record.name.startswith(OUR_LOGGERS)
        is_exception = bool(record.exc_info) and record.levelno >= logging.ERROR
        return (is_ours or is_exception) and record.levelno >= self._level


class SaidStream(io.TextIOBase):
    """A stream whose lines are said."""

    def __init__(self, say: Callable[[Said], None], process: str, level: Level) -> None:
        super().__init__()
        self._say = say
        self._process, self._level = process, level
        self._begun = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Say the lines that are whole."""
        *whole, self._begun = (self._begun + text).split("\n")
        for line in whole:
            self._say(Said.now(self._process, line, self._level))
        return len(text)
