"""Reads a cell's data entry by entry, so that one bad entry does not hide the mistakes elsewhere.

Each key of the cell and each entry of its sections is read as a cell of its own, which holds
nothing else; what is valid is put together again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_origin

from pydantic import ValidationError

from twincell.sim.spec.bridge import Bridge
from twincell.sim.spec.cell import CellSpec, TimelineEntry
from twincell.sim.spec.problems import Problems, did_you_mean, key_of
from twincell.sim.spec.table import Table
from twincell.sim.spec.wording import report, shown

Raw = dict[str, Any]

# sections whose entries have names: frame, body, mover, ...
SECTIONS = tuple(
    key for key, field in CellSpec.model_fields.items() if get_origin(field.annotation) is dict
)
# sections whose entries have places instead of names
LISTS = ("timeline", "bridge")
UNNAMED: Raw = {"name": "unnamed"}  # a cell needs a name, even while only a part of it is read


@dataclass(frozen=True)
class Draft:
    """What could be read of a cell; an entry with a mistake still has its name."""

    cell: CellSpec  # what is valid; a bad key of the cell itself has its default
    timeline: Mapping[int, TimelineEntry]  # what is valid, by its place in the file
    bridge: Mapping[int, Bridge]  # what is valid, by its place in the file
    names: Mapping[str, Mapping[str, Any]]  # of the entries of each section, also the bad ones
    bad_keys: frozenset[str]  # of the cell itself: unknown, or with a bad value

    def has(self, section: str, name: str) -> bool:
        """Whether the file has such an entry, valid or not."""
        return name in self.names[section]


def read_entries(raw: Raw, problems: Problems) -> Draft:
    """Read what is valid, and note everything that is not."""
    reader = _Reader(raw, problems)
    reader.read_keys()
    for section in SECTIONS:
        reader.read_section(section)
    for section in LISTS:
        reader.read_list(section)
    return Draft(
        CellSpec.model_validate(UNNAMED | reader.valid),
        reader.listed["timeline"],
        reader.listed["bridge"],
        reader.names,
        frozenset(reader.bad_keys),
    )


class _Reader:
    """Goes through the parts of a cell and keeps the valid ones."""

    def __init__(self, raw: Raw, problems: Problems) -> None:
        self.raw = raw
        self.problems = problems
        self.valid: Raw = {}
        self.listed: dict[str, dict[int, Any]] = {}
        self.names: dict[str, Raw] = {}
        self.bad_keys: set[str] = set()

    def read_keys(self) -> None:
        """The cell's own keys, such as its name and step."""
        if "name" not in self.raw:
            report("missing", ["name"], self.raw, self.problems)
        for key, value in self.raw.items():
            if key not in CellSpec.model_fields:
                hint = did_you_mean(key, CellSpec.model_fields)
                self.problems.add(key_of([key]), "unknown key", hint)
                self.bad_keys.add(key)
            elif key not in (*SECTIONS, *LISTS):
                if cell := self._read({key: value}):
                    self.valid[key] = getattr(cell, key)
                else:
                    self.bad_keys.add(key)

    def read_section(self, section: str) -> None:
        """The entries of a section, such as all bodies."""
        entries = self.raw.get(section, {})
        if not isinstance(entries, dict):
            self.problems.add(
                section,
                f"must be a table for each {section}, not {shown(entries)}",
                hint=f"write [{section}.Name] and its keys below",
            )
            self.bad_keys.add(section)
            entries = {}
        self.names[section] = entries
        valid: dict[str, Table] = {}
        for name, entry in entries.items():
            if not isinstance(entry, dict):
                self.problems.add(
                    key_of([section, name]),
                    f"must be a table, not {shown(entry)}",
                    hint=f"a {section} has a name: write [{section}.Name] and its keys below",
                )
            elif cell := self._read({section: {name: entry}}):
                valid |= getattr(cell, section)
        if valid:
            self.valid[section] = valid

    def read_list(self, section: str) -> None:
        """The entries of the timeline or the bridges, which have places instead of names."""
        entries = self.raw.get(section, [])
        if not isinstance(entries, list):
            each = "time" if section == "timeline" else section
            self.problems.add(
                section,
                f"must be a list of tables, not {shown(entries)}",
                hint=f"write [[{section}]], with two brackets, once for each {each}",
            )
            self.bad_keys.add(section)
            entries = []
        valid = self.listed[section] = {}
        for place, entry in enumerate(entries):
            if cell := self._read({section: [entry]}, place):
                valid[place] = getattr(cell, section)[0]
        if valid:
            self.valid[section] = list(valid.values())

    def _read(self, part: Raw, place: int = 0) -> CellSpec | None:
        """A cell of this part only; of a list, the part is the item at this place."""
        try:
            return CellSpec.model_validate(UNNAMED | part)
        except ValidationError as error:
            for mistake in error.errors(include_url=False, include_context=False):
                location = list(mistake["loc"])
                if location[0] in LISTS:
                    location[1] = place
                report(mistake["type"], location, self.raw, self.problems)
            return None
