"""What the child processes have to say: lines through a pipe to the supervisor.

Only the supervisor writes to the terminal, so that a line of a child never tears the status line.
"""

import logging
import math
import os
import sys

READ_AT_ONCE = 65_536  # bytes: what a pipe holds
OUR_LOGGERS = "twincell"
QUIET_S = 5.0  # between two lines from the same place in the code; chosen


class Voice:
    """A pipe for the lines of all children."""

    def __init__(self) -> None:
        self.read_end, self._write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        # a line that finds the pipe full is lost: better than a loop that waits for a terminal
        os.set_blocking(self._write_end, False)
        self._begun = b""

    def lines(self) -> list[str]:
        """What was said since this was last asked."""
        try:
            heard = self._begun + os.read(self.read_end, READ_AT_ONCE)
        except BlockingIOError:
            return []
        *whole, self._begun = heard.split(b"\n")
        return [line.decode("utf-8", "replace") for line in whole]

    def give_to_this_process(self) -> None:
        """From now on, what this process prints or logs goes into the pipe."""
        for stream in (1, 2):
            os.dup2(self._write_end, stream)
        sys.stdout, sys.stderr = (
            os.fdopen(stream, "w", buffering=1, encoding="utf-8", closefd=False)
            for stream in (1, 2)
        )
        _log_in_plain_lines()

    def close(self) -> None:
        os.close(self.read_end)
        os.close(self._write_end)


class _OneLine(logging.Formatter):
    """What happened, without the traceback: the terminal belongs to somebody who runs a cell."""

    def format(self, record: logging.LogRecord) -> str:
        text = " ".join(record.getMessage().split())
        error = record.exc_info[1] if record.exc_info else None
        return text if error is None else f"{text}: {type(error).__name__}: {error}"


class _WorthALine(logging.Filter):
    """Our own warnings, and errors of libraries that are exceptions; the same one not too often.

    asyncua calls it an error as well when a client asks for what there is not.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said_s: dict[tuple[str, int], float] = {}  # when, by place in the code

    def filter(self, record: logging.LogRecord) -> bool:
        is_ours = record.name.startswith(OUR_LOGGERS)
        if not is_ours and not (record.exc_info and record.levelno >= logging.ERROR):
            return False
        place = (record.pathname, record.lineno)
        is_news = record.created - self._said_s.get(place, -math.inf) > QUIET_S
        if is_news:
            self._said_s[place] = record.created
        return is_news


def _log_in_plain_lines() -> None:
    handler = logging.StreamHandler()  # standard error
    handler.setFormatter(_OneLine())
    handler.addFilter(_WorthALine())
    logging.raiseExceptions = False  # a line that cannot be written is no reason for another
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
