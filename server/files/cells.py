"""Find the file of a cell that somebody names: a shipped cell by its name, or a file."""

import difflib
from pathlib import Path

from twincell import server
from twincell.server.errors import Refusal

SHIPPED = Path(server.__file__).parents[1] / "config" / "cells"


def shipped_cells() -> list[Path]:
    """The cell files that come with twincell, by name."""
    return sorted(SHIPPED.glob("*.toml"))


def find_cell(wanted: str) -> Path:
    """The file of a cell: a bare name is a shipped cell, anything else a path."""
    if "/" not in wanted and not wanted.endswith(".toml"):
        return _find_shipped(wanted)
    path = Path(wanted)
    if path.is_dir():
        raise Refusal(f"{wanted}: is a folder, not a cell file")
    if not path.exists():
        raise Refusal(f"{wanted}: there is no such file")
    return path


def _find_shipped(name: str) -> Path:
    shipped = {path.stem: path for path in shipped_cells()}
    if name in shipped:
        return shipped[name]
    near = difflib.get_close_matches(name.lower(), shipped, n=3, cutoff=0.5)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    hint = f"{meant}'twincell cells' lists them; a file of your own is named with its .toml"
    raise Refusal(f"no shipped cell is called {name!r}", hint)
