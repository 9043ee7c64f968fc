"""How deep a TOML text leads, seen before anything reads it.

A reader calls itself for each list in a list, and looks at all tables above for each name of a
dotted key: a text of a few kilobytes could exhaust its stack, or keep it busy for minutes. This
goes through the text once, and judges nothing else: what is not valid TOML, `tomllib` tells.
"""

from twincell.sim.spec.positions import tokens
from twincell.sim.spec.problems import Problem

DEEPEST = 32  # names and lists that lead to a value; chosen: a cell needs seven
LONGEST_KEY_SHOWN = 40  # chosen: a message stays on one line


def too_deep(text: str) -> Problem | None:
    """The first key or list with more than `DEEPEST` names and lists that lead to it."""
    path: list[str | int] = []  # names as written, and places in lists
    n_header = 0  # of these, from the header of the table
    open_brackets: list[tuple[str, int]] = []  # each with the length of the path that leads there
    in_header, in_key, at_start = False, True, True  # of a table, of an assignment; of a line
    for token in tokens(text):
        if token.kind == "line":
            if not open_brackets:
                del path[n_header:]
                in_header, in_key, at_start = False, True, True
            continue
        opens_header = token.text == "[" and at_start
        at_start = False
        if opens_header:
            path.clear()
            in_header = True
        elif in_header and token.text == "]":
            n_header = len(path)
            in_header = in_key = False
        elif token.kind != "mark":
            if in_key:
                path.append(token.text)
        elif token.text == "=":
            in_key = False
        elif in_key and token.text == "[":
            continue  # the second one of a header
        elif token.text in "[{":
            open_brackets.append((token.text, len(path)))
            in_key = token.text == "{"
            if not in_key:
                path.append(0)
        elif token.text in "]}" and open_brackets:
            del path[open_brackets.pop()[1] :]
            in_key = False
        elif token.text == "," and open_brackets:
            bracket, n_above = open_brackets[-1]
            in_key = bracket == "{"
            del path[n_above + (not in_key) :]
            if not in_key and isinstance(place := path[-1], int):
                path[-1] = place + 1
        if len(path) > DEEPEST:
            hint = "no key of a cell, robot or scenario needs it: look at what wrote the file"
            problem = f"is too deep: more than {DEEPEST} names and lists lead to it"
            return Problem(token.line, _shortened(path), problem, hint)
    return None


def _shortened(path: list[str | int]) -> str:
    key = ""
    for part in path:
        key += f"[{part}]" if isinstance(part, int) else f".{part}" if key else part
    return f"{key[:LONGEST_KEY_SHOWN]}..."
