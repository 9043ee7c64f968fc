"""Characters that nobody can see: they move the cursor of a terminal, or pretend to be other text.

Read from the data as written, so that every text of the file is looked at, whatever it is for.
"""

from collections.abc import Iterator
from typing import Any

from twincell.sim.spec.problems import Problems, key_of, visible

SEVERAL_LINES = "description"  # key of a text that may have them
LAYOUT = "\n\t"

Part = str | int


def check_texts(raw: dict[str, Any], problems: Problems) -> None:
    """Note every key and every text with such a character."""
    for parts, text in _texts([], raw):
        allowed = LAYOUT if parts[-1] == SEVERAL_LINES else ""
        hidden = next((c for c in text if not c.isprintable() and c not in allowed), None)
        if hidden is not None:
            problem = f"has the character {visible(hidden)}, which cannot be shown"
            problems.add(key_of(parts), problem, hint="leave it out")


def _texts(parts: list[Part], value: Any) -> Iterator[tuple[list[Part], str]]:
    """Every key and every text below a value, with the way that leads there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield [*parts, key], key
            yield from _texts([*parts, key], inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _texts([*parts, place], inner)
    elif isinstance(value, str):
        yield parts, value
