"""The model files that a cell names: each is found, read once, and its mistakes told as its own."""

import os
from collections.abc import Mapping
from pathlib import Path, PurePath

from sim.spec.file_text import files_in
from sim.spec.problems import Problems, SpecError, list_known, nearest
from sim.spec.robot import Robot
from sim.spec.robot_model import RobotModel
from sim.spec.robot_toml import load_toml
from sim.spec.robot_urdf import load_urdf

READERS = {".urdf": load_urdf, ".toml": load_toml}


def load_model(path: str | os.PathLike[str]) -> RobotModel:
    """Read a robot's model file and check it; a SpecError says everything that is wrong with it."""
    return READERS[Path(path).suffix.lower()](Path(path))


def read_models(
    robots: Mapping[str, Robot], folder: Path, problems: Problems
) -> dict[str, RobotModel]:
    """The model of each robot, but for those with a mistake, which is noted."""
    models: dict[str, RobotModel] = {}
    read: dict[Path, RobotModel | None] = {}
    for name, robot in robots.items():
        path = Path(os.path.normpath(folder / robot.model))
        if path not in read and _can_be_read(f"robot.{name}.model", robot.model, path, problems):
            read[path] = _read(path, problems)
        if model := read.get(path):
            models[name] = model
    return models


def _can_be_read(key: str, written: str, path: Path, problems: Problems) -> bool:
    if path.suffix.lower() not in READERS:
        hint = "name a .urdf or .toml file"
        if path.suffix.lower() == ".xacro":
            hint = "run xacro first, and name the .urdf file it writes"
        problems.add(key, f"{written} is neither URDF nor TOML", hint)
    elif path.is_dir():
        problems.add(key, f"{path} is a folder", hint="name a .urdf or .toml file in it")
    elif not path.is_file():
        problems.add(key, f"there is no file {path}", _files_like(written, path))
    else:
        return True
    return False


def _files_like(written: str, path: Path) -> str:
    """Hint at a file of the same folder, written as the cell would write it."""
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} either: write it as seen from the cell file"
    names = {Path(name).stem: name for name in files_in(path.parent, *READERS)}
    near = nearest(path.stem, names)
    if near is None:
        return list_known(list(names.values())) or "write it as seen from the cell file"
    return f"did you mean {PurePath(written).with_name(names[near])}?"


def _read(path: Path, problems: Problems) -> RobotModel | None:
    try:
        return load_model(path)
    except SpecError as error:
        problems.include(error)
        return None
