"""The model files that a cell names: each is found, read once, and its mistakes told as its own.

model = "arm6"              a shipped model, by its name: the same from every folder
model = "../arms/big.urdf"  a file, seen from the folder of the cell file
"""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath

from twincell.sim.spec.file_text import decode, files_in, parse_toml, read_bytes
from twincell.sim.spec.problems import Problems, SpecError, list_known, nearest
from twincell.sim.spec.robot import Robot
from twincell.sim.spec.robot_model import RobotModel
from twincell.sim.spec.robot_toml import load_toml
from twincell.sim.spec.robot_urdf import load_urdf

READERS = {".urdf": load_urdf, ".toml": load_toml}
SHIPPED = Path(__file__).parents[2] / "config" / "robots"  # twincell/config


def load_model(path: str | os.PathLike[str]) -> RobotModel:
    """Read a robot's model file and check it; a SpecError says everything that is wrong with it."""
    return READERS[Path(path).suffix.lower()](Path(path))


def is_shipped(model: str) -> bool:
    """Whether a cell means a shipped model: a bare name, with neither folder nor ending."""
    return not PurePath(model).suffix and "/" not in model


def read_models(
    robots: Mapping[str, Robot], folder: Path, problems: Problems, shipped: Path = SHIPPED
) -> dict[str, RobotModel]:
    """The model of each robot, but for those with a mistake, which is noted."""
    finder = _Finder(folder, shipped, problems)
    models: dict[str, RobotModel] = {}
    read: dict[Path, RobotModel | None] = {}
    for name, robot in robots.items():
        path = finder.find(f"robot.{name}.model", robot.model)
        if path and path not in read:
            read[path] = _read(path, problems)
        if path and (model := read[path]):
            models[name] = model
    return models


class _Finder:
    """Finds the file that a robot's `model` means, or says what else it could mean."""

    def __init__(self, folder: Path, shipped: Path, problems: Problems) -> None:
        self.folder = folder
        self.shipped = {Path(name).stem: shipped / name for name in files_in(shipped, *READERS)}
        self.problems = problems

    def find(self, key: str, model: str) -> Path | None:
        if is_shipped(model):
            return self._find_shipped(key, model)
        path = Path(os.path.normpath(self.folder / model))
        if path.suffix.lower() not in READERS:
            hint = "name a .urdf or .toml file"
            if path.suffix.lower() == ".xacro":
                hint = "run xacro first, and name the .urdf file it writes"
            self.problems.add(key, f"{model} is neither URDF nor TOML", hint)
        elif path.is_dir():
            self.problems.add(key, f"{path} is a folder", hint="name a .urdf or .toml file in it")
        elif not path.is_file():
            self.problems.add(key, f"there is no file {path}", self._remedy(model, path))
        else:
            return path
        return None

    def _find_shipped(self, key: str, model: str) -> Path | None:
        if model in self.shipped:
            return self.shipped[model]
        near = nearest(model, self.shipped)
        meant = f"did you mean {near}?" if near else f"{list_known(list(self.shipped))};"
        hint = f"{meant} a model of your own is named with its ending, .urdf or .toml"
        self.problems.add(key, f"no shipped robot is called {model}", hint)
        return None

    def _remedy(self, model: str, path: Path) -> str:
        """Hint at a file of the same folder, as the cell would write it, or at a shipped model."""
        beside = [name for name in files_in(path.parent, *READERS) if _is_model(path.parent / name)]
        names = {Path(name).stem: name for name in beside}
        if near := nearest(path.stem, names):
            return f"did you mean {PurePath(model).with_name(names[near])}?"
        if near := nearest(path.stem, self.shipped):
            return f'write model = "{near}" for the shipped one, which is found from everywhere'
        if not path.parent.is_dir():
            return f"there is no folder {path.parent} either: write it as seen from the cell file"
        known = list_known([*beside, *self.shipped])
        return f"{known}; a file is written as seen from the cell file"


def _is_model(path: Path) -> bool:
    """Whether a file is a robot and not, for example, the cell that asks."""
    if path.suffix != ".toml":
        return True
    try:
        raw, _ = parse_toml(decode(read_bytes(path), str(path)), str(path))
    except SpecError:
        return False
    return "link" in raw


def _read(path: Path, problems: Problems) -> RobotModel | None:
    try:
        return load_model(path)
    except SpecError as error:
        problems.include(error)
        return None
