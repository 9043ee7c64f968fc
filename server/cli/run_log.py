"""How `twincell run` writes what it has to say: in words for people, or in JSON for programs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, NamedTuple, TextIO

import typer

from twincell.server.cli.exit_codes import BAD_INPUT
from twincell.server.errors import Refusal
from twincell.server.files.atomic import NotWritable
from twincell.server.logging.log_line import SUPERVISOR, Level, Said, SaidStream, log_with

LogJsonOption = Annotated[
    bool,
    typer.Option(
        "--log-json",
        envvar="TWINCELL_LOG_JSON",
        help="Write every line as a JSON object: time, level, process, message.",
    ),
]
LogLevelOption = Annotated[
    Level,
    typer.Option(
        envvar="TWINCELL_LOG_LEVEL", help="From where on something is worth a line in the log."
    ),
]


class RunLog(NamedTuple):
    """What is written, and how."""

    level: Level = Level.info
    is_json: bool = False

    def begin(self) -> None:
        """Write what this process logs itself; in JSON also whatever it prints as a note."""
        log_with(self.write, SUPERVISOR, self.level)
        if self.is_json:
            sys.stderr = _Notes(self.write, sys.stderr)

    def wants(self, level: Level) -> bool:
        """Whether something so serious is written."""
        return level.number >= self.level.number

    def text(self, said: Said) -> str:
        """One line."""
        return said.as_json() if self.is_json else said.message

    def write(self, said: Said) -> None:
        """Write a line to standard error, if it is serious enough."""
        if self.wants(said.level):
            with heard_or_not():
                print(self.text(said), file=_standard_error(), flush=True)

    def tell(self, line: str) -> None:
        """Print what a person, or a script, has to know first."""
        level = Level.warning if line.startswith("WARNING") else Level.info
        print(Said.now(SUPERVISOR, line, level).as_json() if self.is_json else line, flush=True)

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Let a refusal be one line of JSON as well, where lines are."""
        try:
            yield
        except (Refusal, NotWritable) as refusal:
            if not self.is_json:
                raise
            self.write(Said.now(SUPERVISOR, str(refusal), Level.error))
            raise typer.Exit(BAD_INPUT) from None


class _Notes(SaidStream):
    """Standard error, line by line."""

    def __init__(self, say: Callable[[Said], None], stream: TextIO) -> None:
        super().__init__(say, SUPERVISOR, Level.info)
        self.stream = stream


def _standard_error() -> TextIO:
    return sys.stderr.stream if isinstance(sys.stderr, _Notes) else sys.stderr


@contextmanager
def heard_or_not() -> Iterator[None]:
    """Go on when nobody reads any more: the terminal was closed, or the pipe."""
    try:
        yield
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), _standard_error().fileno())
