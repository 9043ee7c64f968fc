"""pytest as a user runs it, in a folder of its own, with the plugin and nothing else."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.server.twincell_command import environment


@dataclass(frozen=True)
class PytestRun:
    """How a test run ended."""

    code: int
    text: str


def run_pytest(folder: Path, *arguments: object) -> PytestRun:
    # with the entry point installed the plugin would be loaded twice
    alone = {**environment(), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "200"}
    alone.pop("PYTEST_ADDOPTS", None)
    command = [sys.executable, "-m", "pytest", "-p", "twincell.server.kit.pytest_plugin"]
    ended = subprocess.run(
        [*command, "-p", "no:cacheprovider", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **alone},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    return PytestRun(ended.returncode, ended.stdout + ended.stderr)
