"""Meshes that draw robots: which files a URDF names, and their triangles as browsers get them.

Browsers name a mesh by its number, never by a path. Read is what a model file names and what lies
in its folder or in that of the cell file, after links have been followed: nothing else of the
machine can be seen through a URDF. STL and OBJ are drawn; a file that cannot be read is left out.
"""

import io
import logging
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np

from twincell.sim.pose import Pose
from twincell.sim.spec.robot_model import RobotModel

KINDS = {".stl": "stl", ".obj": "obj"}
LARGEST_FILE = 50_000_000  # bytes; chosen: a second to read
MOST_TRIANGLES = 400_000  # of one file; chosen: a tablet draws them
KEPT = 32  # files whose triangles are remembered; chosen
BEYOND = "a mesh must lie in the folder of its model file or of the cell file"

log = logging.getLogger("twincell.web")


@dataclass(frozen=True)
class LinkMesh:
    """A mesh of a link."""

    link: str
    file: Path
    scale: tuple[float, ...]
    place: Pose  # in the link
    colour: str | None


def meshes_of(model: RobotModel, cell_folder: Path) -> Iterator[LinkMesh]:
    """The meshes that a robot's model file names and that can be shown."""
    folder = Path(model.file).parent
    if not Path(model.file).is_file():
        return  # the files of a recording are gone: it has no meshes
    for link in model.links.values():
        for mesh in link.meshes:
            if file := _found(mesh.filename, folder, (folder, cell_folder)):
                a, b, c = (math.degrees(angle) for angle in mesh.angles)
                place = Pose.of(mesh.position, (a, b, c))
                yield LinkMesh(link.name, file, mesh.scale, place, mesh.colour)


def _found(name: str, folder: Path, roots: Sequence[Path]) -> Path | None:
    """The file that a URDF means, if it may be shown."""
    parts = urlsplit(name)
    path = unquote(parts.path) if parts.scheme in ("file", "package") else name
    if PurePosixPath(path).suffix.lower() not in KINDS:
        log.warning("%s: only meshes in %s are drawn", name, " and ".join(KINDS))
        return None
    # of a package its folder is meant, which is often the one above the model file's
    asked = [folder / path]
    if parts.scheme == "package":
        inside = path.lstrip("/")
        asked = [folder / inside, folder.parent / inside, folder.parent / parts.netloc / inside]
    found = next((one.resolve() for one in asked if one.is_file()), None)
    if found is None:
        log.warning("%s: there is no such mesh", name)
        return None
    if not any(found.is_relative_to(root.resolve()) for root in roots):
        log.warning("%s: %s", name, BEYOND)
        return None
    return found


@lru_cache(maxsize=KEPT)
def triangles(file: Path) -> bytes | None:
    """Corners of all triangles, nine 32-bit numbers each; None if the file cannot be drawn."""
    import trimesh

    try:
        if file.stat().st_size > LARGEST_FILE:
            raise ValueError(f"more than {LARGEST_FILE / 1e6:g} MB")
        # from memory: a file that is read here can make nobody read another one
        data = io.BytesIO(file.read_bytes())
        loaded: Any = trimesh.load_mesh(
            data, file_type=KINDS[file.suffix.lower()], process=False, skip_materials=True
        )
        if isinstance(loaded, trimesh.Scene):
            loaded = loaded.to_mesh()
        corners = np.asarray(loaded.triangles, dtype="<f4")
        if not 0 < len(corners) <= MOST_TRIANGLES or not np.isfinite(corners).all():
            raise ValueError(f"{len(corners)} triangles, of at most {MOST_TRIANGLES}")
    except Exception as problem:  # libraries raise what they like on files that are none
        log.warning("%s: cannot be drawn: %s", file.name, problem)
        return None
    return corners.tobytes()
