"""The folder with users, keys and trusted certificates that somebody names, or the usual one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.security.folder import SecurityFolder


def security_folder(named: Path | None) -> SecurityFolder:
    """The folder that was named, or the usual one; refused if it cannot be looked into."""
    from twincell.server.security.folder import SecurityFolder, UnusableFolder, default_folder

    folder = SecurityFolder(named) if named else default_folder()
    try:
        folder.check()
    except UnusableFolder as problem:
        raise Refusal(str(problem), problem.hint) from problem
    return folder
