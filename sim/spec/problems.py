"""What is wrong with a file: every mistake with its line, its key, and what to do about it.

A key is written as in the file: `mover.Robot1.waypoints[2].position_m`. A part that TOML wants in
quotes keeps them: `timeline[0].set."Robot1Flange.Closed"`.
"""

import difflib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
LAST_PART = re.compile(r'(?:\[\d+\]|\.?"(?:[^"\\]|\\.)*"|\.?[A-Za-z0-9_-]+)\Z')

MOST_MISTAKES_SHOWN = 100  # chosen: more than a person mends before looking again
MOST_NAMES_IN_A_HINT = 24  # chosen: the longest table, a revolute joint, is listed in full


def key_of(parts: Iterable[str | int]) -> str:
    """The key that leads through these tables and places in lists."""
    key = ""
    for part in parts:
        key = key_below(key, part)
    return key


def key_below(key: str, part: str | int) -> str:
    """The key of what a table or list holds at a name or place."""
    if isinstance(part, int):
        return f"{key}[{part}]"
    name = part if BARE_KEY.fullmatch(part) else json.dumps(part, ensure_ascii=False)
    return f"{key}.{name}" if key else name


def number(value: float) -> str:
    """A number as a person writes it: 5000, not 5000.0."""
    return f"{value:.10g}"


def visible(text: str) -> str:
    """A text of which all characters can be shown: others are written as TOML writes them."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04X}" for c in text)


def nearest(wrong: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant, whatever its capitals."""
    by_lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(wrong.lower(), by_lower, n=1)
    return by_lower[near[0]] if near else None


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """Hint at the name that was probably meant; without one, list what is known."""
    names = list(known)
    near = nearest(wrong, names)
    return f"did you mean {near}?" if near else list_known(names)


def list_known(names: list[str]) -> str:
    """Hint at all there is to choose from."""
    shown = ", ".join(names[:MOST_NAMES_IN_A_HINT])
    more = ", ..." if len(names) > MOST_NAMES_IN_A_HINT else ""
    return f"known: {shown}{more}" if names else ""


@dataclass(frozen=True)
class Source:
    """A file's name, and the line of each of its keys."""

    file: str
    lines: Mapping[str, int]

    def line_of(self, key: str) -> int | None:
        """Line of the key; of what encloses it when the key itself is not in the file."""
        while key:
            if key in self.lines:
                return self.lines[key]
            shorter = LAST_PART.sub("", key)
            if shorter == key:
                return None
            key = shorter
        return None

    def place(self, key: str) -> str:
        """The key and its line, to be named inside a sentence."""
        line = self.line_of(key)
        return key if line is None else f"{key} in line {line}"


@dataclass(frozen=True)
class Problem:
    """One mistake; without a key it concerns the whole file."""

    line: int | None
    key: str
    text: str
    hint: str = ""
    file: str = ""  # where it is, if not in the cell file itself


class SpecError(Exception):
    """A cell file cannot be used; says everything that is wrong with it."""

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        found = list(problems)
        files = list(dict.fromkeys(["", *(problem.file for problem in found)]))
        # file by file; what concerns a whole file comes first; equal lines keep their order
        found.sort(key=lambda problem: (files.index(problem.file), problem.line or 0))
        self.problems = tuple(found)
        super().__init__(file, self.problems)

    def __str__(self) -> str:
        shown = [self._describe(problem) for problem in self.problems[:MOST_MISTAKES_SHOWN]]
        left_out = len(self.problems) - len(shown)
        return "\n".join([*shown, f"... and {left_out} more mistakes"] if left_out else shown)

    def _describe(self, problem: Problem) -> str:
        file = problem.file or self.file
        place = file if problem.line is None else f"{file}:{problem.line}"
        sentence = visible(": ".join(part for part in (place, problem.key, problem.text) if part))
        return f"{sentence}\n  hint: {visible(problem.hint)}" if problem.hint else sentence


class Problems:
    """Collects mistakes, so that all of them are reported at once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self._found: dict[Problem, None] = {}  # a dict, as the same mistake is reported once

    def __len__(self) -> int:
        return len(self._found)

    def __iter__(self) -> Iterator[Problem]:
        return iter(self._found)

    def add(self, key: str, text: str, hint: str = "", line: int | None = None) -> None:
        """Note a mistake at a key; the line is known by the key, but for one that stands twice."""
        self._found[Problem(line or self.source.line_of(key), key, text, hint)] = None

    def include(self, error: SpecError) -> None:
        """Note all mistakes of another file."""
        for problem in error.problems:
            self._found[replace(problem, file=problem.file or error.file)] = None

    def raise_if_any(self) -> None:
        """Stop here with one error about everything noted so far."""
        if self:
            raise SpecError(self.source.file, self)
