"""What the child processes have to say: lines through a pipe to the supervisor.

Only the supervisor writes to the terminal, so that a line of a child never tears the status line.
"""

import os
import select
import sys
from contextlib import suppress

from twincell.server.logging.log_line import Level, Said, SaidStream, log_with

READ_AT_ONCE = 65_536  # bytes: what a pipe holds
SOMEBODY = "unknown"  # says what did not come through Python, such as a library that is not in it


class LogPipe:
    """A pipe for the lines of all children."""

    def __init__(self, level: Level = Level.info) -> None:
        self._level = level  # what is less serious is not said
        self.read_end, self._write_end = os.pipe()
        os.set_blocking(self.read_end, False)
        # a line that finds the pipe full is lost: better than a loop that waits for a terminal
        os.set_blocking(self._write_end, False)
        self._begun = b""

    def lines(self) -> list[Said]:
        """What was said since this was last asked."""
        try:
            heard = self._begun + os.read(self.read_end, READ_AT_ONCE)
        except BlockingIOError:
            return []
        *whole, self._begun = heard.split(b"\n")
        said = [_said(line.decode("utf-8", "replace")) for line in whole]
        return [one for one in said if one.level.number >= self._level.number]

    def give_to_this_process(self, process: str) -> None:
        """From now on, what this process prints or logs goes into the pipe."""
        for stream in (1, 2):
            os.dup2(self._write_end, stream)
        sys.stdout = SaidStream(self._say, process, Level.info)
        sys.stderr = SaidStream(self._say, process, Level.error)
        log_with(self._say, process, self._level)

    def _say(self, said: Said) -> None:
        line = said.as_json().encode() + b"\n"
        if len(line) > select.PIPE_BUF:  # it would not go through as a whole
            return self._say(said._replace(message=said.message[: len(said.message) // 2]))
        with suppress(BlockingIOError):
            os.write(self._write_end, line)

    def close(self) -> None:
        os.close(self.read_end)
        os.close(self._write_end)


def _said(line: str) -> Said:
    try:
        return Said.from_json(line)
    except ValueError:
        return Said.now(SOMEBODY, line, Level.warning)
