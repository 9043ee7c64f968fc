"""Files that appear whole or not at all.

What is written goes to a hidden file in the same folder, which takes the wanted name only when
everything is in it. After a failure or Ctrl-C nothing is left, and an older file is untouched.

Errors name the file they are about. Whoever writes to the hidden file says so with `blamed`; an
error that merely passes through the block, such as that of another file, stays what it is.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class NotWritable(Exception):
    """A file cannot be written; the text says which and why."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to; what is there at the end of the block becomes the file.

    Making the hidden file is the check: a folder that refuses it would refuse the file.
    """
    _refuse_what_is_no_file(path)
    target = path.resolve()  # a link stays a link: the file it points to is replaced
    hidden = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        hidden.touch(exist_ok=False)
    except OSError as error:
        raise NotWritable(f"{path}: cannot write here: {error.strerror}") from error

    try:
        yield hidden
        with blamed(path):
            os.replace(hidden, target)
    finally:
        hidden.unlink(missing_ok=True)


@contextmanager
def blamed(path: Path) -> Iterator[None]:
    """Say of what goes wrong in the block that this file could not be written."""
    try:
        yield
    except OSError as error:
        raise NotWritable(f"{path}: could not be written: {error.strerror or error}") from error


def _refuse_what_is_no_file(path: Path) -> None:
    """Say in plain words what the operating system would say in its own."""
    try:
        if not path.parent.exists():
            raise NotWritable(f"{path}: there is no folder {path.parent}")
        if not path.parent.is_dir():
            raise NotWritable(f"{path}: {path.parent} is not a folder")
        if path.is_dir():
            raise NotWritable(f"{path}: is a folder, not a file")
        if path.exists() and not path.is_file():
            raise NotWritable(f"{path}: is not an ordinary file")
        if path.exists() and not os.access(path, os.W_OK):
            raise NotWritable(f"{path}: is read-only")
    except OSError as error:
        raise NotWritable(f"{path}: {error.strerror}") from error
