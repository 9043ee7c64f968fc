"""The recordings of the folder, looked at once a second for all pages that show them."""

import asyncio
import time
from pathlib import Path
from typing import NamedTuple

from twincell.server.client.mistake import Mistake
from twincell.server.recording.recorder import ENDING

LOOK_S = 1.0
WANTED_S = 3.0  # since a page last asked
MOST = 500  # that are listed, the newest; chosen


class File(NamedTuple):
    """A recording."""

    name: str
    size: int
    changed_s: float


class RecordingList:
    """What there is to open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: list[File] | None = None
        self._wanted_s = -WANTED_S

    def files(self) -> list[File] | None:
        """The recordings, the newest first; None before the first look."""
        self._wanted_s = time.monotonic()
        return self._files

    def path(self, name: str) -> Path | None:
        """Where a recording lies; None for a name that no recording here has."""
        path = self.folder / name
        is_here = Path(name).name == name and name.endswith(ENDING) and path.is_file()
        return path if is_here else None

    def delete(self, name: str) -> None:
        """Remove a recording; a Mistake says why that cannot be."""
        path = self.path(name)
        if path is None:
            raise Mistake(f"there is no recording {name} any more")
        try:
            path.unlink()
        except OSError as error:
            raise Mistake(f"{name}: cannot be deleted: {error.strerror}") from None
        self._files = listed(self.folder)

    async def run(self) -> None:
        """Look for ever, while somebody wants to know."""
        while True:
            if time.monotonic() - self._wanted_s < WANTED_S:
                self._files = await asyncio.to_thread(listed, self.folder)
            await asyncio.sleep(LOOK_S)


def listed(folder: Path) -> list[File]:
    """The recordings of a folder, the newest first."""
    found = []
    for path in folder.glob(f"*{ENDING}"):
        try:
            stat = path.stat()
        except OSError:
            continue  # it was just removed
        # of one that grows, the size in whole megabytes: the list is not drawn anew all the time
        size = round(stat.st_size, -6) or stat.st_size
        found.append(File(path.name, size, round(stat.st_mtime, -1)))
    return sorted(found, key=lambda one: -one.changed_s)[:MOST]
