"""The cells that come with twincell."""

from pathlib import Path

CELLS = Path(__file__).parent.parent / "config" / "cells"


def cell_file(name: str) -> Path:
    """File of a shipped cell."""
    return CELLS / f"{name}.toml"


def cell_files() -> list[Path]:
    """All of them, by name."""
    return sorted(CELLS.glob("*.toml"))
