"""The stories of this folder, told by a process of node: an OPC UA client that is not ours."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
INSTALLED = HERE / "node_modules" / "installed"


class Player:
    """Plays stories against a running cell, each of them once."""

    def __init__(self, folder: Path) -> None:
        assert INSTALLED.exists(), "npm has yet to install node-opcua-client: `make test` does it"
        self._notes = folder / "node.txt"
        self._told: dict[str, Any] = {}  # by what was wanted
        with self._notes.open("wb") as notes:
            self._process = subprocess.Popen(
                ["node", HERE / "play.js"],
                # the library keeps a certificate where a user's settings are
                env={**os.environ, "XDG_CONFIG_HOME": str(folder)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=notes,
                text=True,
            )

    def play(self, story: str, url: str, **wanted: Any) -> Any:
        """What came of a story."""
        line = json.dumps({"story": story, "url": url, **wanted})
        if line not in self._told:
            self._told[line] = self._play(line)
        return self._told[line]

    def _play(self, line: str) -> Any:
        assert self._process.stdin and self._process.stdout
        print(line, file=self._process.stdin, flush=True)
        outcome = self._process.stdout.readline()
        assert outcome, self._notes.read_text(encoding="utf-8")
        told = json.loads(outcome)
        assert "error" not in told, f"{told['error']}\n{self._notes.read_text(encoding='utf-8')}"
        return told

    def end(self) -> None:
        """End the process: all stories are told, and a library's timers may keep it for long."""
        assert self._process.stdin and self._process.stdout
        self._process.kill()
        self._process.wait()
        self._process.stdin.close()
        self._process.stdout.close()


@contextmanager
def player(folder: Path) -> Iterator[Player]:
    """A player that is gone afterwards."""
    playing = Player(folder)
    try:
        yield playing
    finally:
        playing.end()
