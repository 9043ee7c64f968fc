"""A cell, built again from the files in its recording."""

import os
import tempfile
from pathlib import Path, PurePosixPath

from twincell.server.recording.facts import CELL, CellFiles
from twincell.sim.cell import Cell
from twincell.sim.spec import SpecError, load_cell


class NotBuilt(Exception):
    """This version cannot build the cell of a recording; the text says why."""


def rebuilt(files: CellFiles) -> Cell:
    """The cell that these files describe."""
    with tempfile.TemporaryDirectory(prefix="twincell-") as folder:
        # model files are named as seen from the cell file, and may lie above it
        depth = max((PurePosixPath(name).parts.count("..") for name in files.models), default=0)
        cell_file = Path(folder, "cell", *(["in"] * depth), CELL)
        shipped = Path(folder, "shipped")  # as they were when it was recorded
        try:
            cell_file.parent.mkdir(parents=True, exist_ok=True)
            cell_file.write_bytes(files.cell)
            for name, data in files.models.items():
                _put(Path(folder, "cell"), cell_file.parent, name, data)
            for name, data in files.shipped.items():
                _put(shipped, shipped, name, data)
            return Cell(load_cell(cell_file, shipped))
        except SpecError as error:
            told = str(error).replace(f"{cell_file}", CELL)
            raise NotBuilt(f"this version of twincell does not accept its cell: {told}") from error
        except (OSError, ValueError) as error:  # such as a name with a NUL, or one that is a folder
            raise NotBuilt(f"its files cannot be laid out: {error}") from error


def _put(top: Path, folder: Path, name: str, data: bytes) -> None:
    if os.path.isabs(name):
        # the cell file says so, and we do not write outside our own folder
        if not Path(name).is_file() or Path(name).read_bytes() != data:
            raise NotBuilt(f"its cell file names {name}, which is not here as it was recorded")
        return
    path = Path(os.path.normpath(folder / name))
    if top not in path.parents:
        raise NotBuilt(f"its model {name} would lie outside of its folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
