"""From a file to its data: bytes, text, TOML; what cannot be read is told with the reason."""

import ast
import os
import re
import tomllib
from pathlib import Path
from typing import Any

from twincell.sim.spec.depth import too_deep
from twincell.sim.spec.positions import key_lines
from twincell.sim.spec.problems import Problem, Source, SpecError, key_of, nearest

LARGEST_FILE_MB = 10  # chosen: a thousand times a real one

# How tomllib begins its messages, and what to do about it.
TOML_HINTS = {
    "Cannot overwrite": "this key stands twice in the file: keep one",
    "Cannot mutate": "this table stands in another place of the file: keep its keys together",
    "Cannot redefine": "this table stands in another place of the file: keep its keys together",
    "Duplicate inline table key": "this key stands twice in the table: keep one",
    "Invalid value": "texts need quotes, numbers a digit before and after the point",
    "Invalid initial character": "a key begins with a letter, a digit or a quote",
    "Illegal character '\\n'": "close the quotes in the same line",
    "Expected '='": "write key = value",
    "Expected ']": "close the brackets in the same line",
    "Expected newline": "one key = value a line; texts need quotes",
    "Unclosed": "close the bracket",
    "Unterminated": "close the quotes",
    "Unescaped": "write \\\\ for a backslash, or use single quotes",
}


def read_bytes(path: Path) -> bytes:
    """What is in a file."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE_MB * 1_000_000 + 1)  # not more, however long it is
    except FileNotFoundError:
        text, hint = "there is no such file", _files_like(path)
    except IsADirectoryError:
        names = files_in(path, ".toml")
        text, hint = "this is a folder", ": ".join(["name a cell file in it", *_listed(names)])
    except (OSError, ValueError) as error:  # ValueError: a path no system could have
        reason = getattr(error, "strerror", None) or "not a possible path"
        text, hint = f"cannot be read: {reason}", "check the path and who may read it"
    else:
        if len(data) <= LARGEST_FILE_MB * 1_000_000:
            return data
        text = f"larger than {LARGEST_FILE_MB} MB: this is no cell and no robot"
        hint = "check which file this is"
    raise SpecError(os.fspath(path), [Problem(None, "", text, hint)])


def _files_like(path: Path) -> str:
    if not path.parent.is_dir():
        return f"there is no folder {path.parent} either"
    names = {Path(name).stem: name for name in files_in(path.parent, ".toml")}
    near = nearest(path.stem, names)
    return f"did you mean {names[near]}?" if near else "check the path"


def files_in(folder: Path, *endings: str) -> list[str]:
    """Names of a folder's files with such endings; none, if it may not be listed."""
    try:
        return sorted(file.name for file in folder.iterdir() if file.suffix in endings)
    except (OSError, ValueError):
        return []


def _listed(names: list[str]) -> list[str]:
    return [", ".join(names)] if names else []


def decode(data: bytes, file: str) -> str:
    """The text of a file."""
    try:
        return data.decode("utf-8-sig")  # some editors begin a file with a byte order mark
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem(line, "", "this is not UTF-8 text", "save the file as UTF-8")
        raise SpecError(file, [problem]) from None


def parse_toml(text: str, file: str) -> tuple[dict[str, Any], Source]:
    """The data of a TOML text, and the line of each key."""
    if deep := too_deep(text):
        raise SpecError(file, [deep])
    try:
        return tomllib.loads(text), Source(file, key_lines(text))
    except tomllib.TOMLDecodeError as error:
        problem = _toml_problem(str(error), text)
    except ValueError:  # Python does not read numbers of thousands of digits
        problem = Problem(None, "", "a number has too many digits", "no quantity needs them")
    raise SpecError(file, [problem])


def _toml_problem(message: str, text: str) -> Problem:
    """What tomllib says, as a problem with its line."""
    what, _, place = message.rpartition(" (at ")
    position = re.match(r"line (\d+)", place)
    line = int(position[1]) if position else text.rstrip("\n").count("\n") + 1
    if twice := re.fullmatch(r"Cannot declare (\(.*\)) twice", what):
        key = key_of(ast.literal_eval(twice[1]))
        return Problem(line, key, "this table stands twice in the file", "keep one of them")
    default = "compare with a cell that loads"
    hint = next((hint for start, hint in TOML_HINTS.items() if what.startswith(start)), default)
    if not position and what.startswith(("Invalid value", "Unclosed", "Unterminated")):
        hint = "the file ends too early: a value, a bracket or a quote is missing"
    return Problem(line, "", f"not valid TOML: {what[:1].lower()}{what[1:]}", hint)
