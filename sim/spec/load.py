"""From a cell file to a checked cell: everything that is wrong with the file is said at once.

The model files of its robots are read on the way, and their mistakes are told together with it.
"""

import os
from pathlib import Path

from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.draft import read_entries
from twincell.sim.spec.file_text import decode, parse_toml, read_bytes
from twincell.sim.spec.problems import Problem, Problems, SpecError
from twincell.sim.spec.robot_files import SHIPPED, read_models
from twincell.sim.spec.rules import check
from twincell.sim.spec.rules_sizes import check_sizes
from twincell.sim.spec.rules_texts import check_texts


def load_cell(path: str | os.PathLike[str], shipped_robots: Path = SHIPPED) -> CellSpec:
    """Read a cell file and check it; robots that it names without a file are looked up there."""
    file = os.fspath(path)
    return load_text(decode(read_bytes(Path(path)), file), file, shipped_robots)


def load_text(text: str, file: str = "<cell>", shipped_robots: Path = SHIPPED) -> CellSpec:
    """Read the text of a cell file and check it."""
    raw, source = parse_toml(text, file)
    if "link" in raw:
        hint = '[robot.NAME] with model = "..." puts it into a cell'
        raise SpecError(file, [Problem(None, "", "this is a robot's model, not a cell", hint)])
    problems = Problems(source)
    check_sizes(raw, problems)
    check_texts(raw, problems)
    draft = read_entries(raw, problems)
    draft.cell._source = source
    # names of model files are seen from the cell file; without one, from the working directory
    draft.cell._robot_models = read_models(
        draft.cell.robot, Path(file).parent, problems, shipped_robots
    )
    check(draft, problems)
    problems.raise_if_any()
    return draft.cell
