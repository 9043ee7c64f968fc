"""The command as a user runs it: a process of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from twincell import server


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


def command(*arguments: object) -> list[str]:
    """The command; a cell has no web page unless a test asks for its port: it costs some time."""
    words = [str(argument) for argument in arguments]
    asks_for_page = any(word.startswith("--web-port") for word in words)
    no_page = ["--no-web"] if words[:1] == ["run"] and not asks_for_page else []
    return [sys.executable, "-m", "twincell.server.cli", *words, *no_page]


def environment() -> dict[str, str]:
    """Ours, but with this checkout first, installed or not."""
    return {**os.environ, "PYTHONPATH": str(Path(server.__file__).parents[2])}


def run_in(folder: Path, *arguments: object) -> Ended:
    """Run `twincell` with arguments; whatever it says, it is no traceback."""
    ended = subprocess.run(
        command(*arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=200,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return Ended(ended.returncode, ended.stdout, ended.stderr)
