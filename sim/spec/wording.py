"""Says what is wrong with a value in the words of the file, never in those of a library.

pydantic decides that a value is wrong; what would have been right is read from the schema, so that
a new key needs no new words.
"""

import json
import math
from collections.abc import Iterator, Sequence
from datetime import date, time
from functools import cache
from typing import Any

from pydantic import TypeAdapter

from twincell.sim.spec.bridge import Endpoint, PeerNode
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.problems import Problems, did_you_mean, key_of, number
from twincell.sim.spec.schema import Node, file_schema
from twincell.sim.spec.table import Colour, LinkName, Name, PlaceName, Table

Part = str | int

NAME_RULE = "letters, digits and _, beginning with a letter"
LINK_NAME_RULE = "letters, digits, _ and -"


def _pattern(text: Any) -> str:
    return str(TypeAdapter(text).json_schema()["pattern"])


NAME_RULES = {
    _pattern(Name): NAME_RULE,
    _pattern(PlaceName): f'{NAME_RULE}; a robot\'s link as "Robot1.link_3"',
    _pattern(LinkName): LINK_NAME_RULE,
}
PATTERNS = {
    **dict.fromkeys(NAME_RULES, "a name"),
    _pattern(Colour): 'a colour such as "#9AA5B1"',
    _pattern(Endpoint): 'an address such as "opc.tcp://192.168.0.10:4840"',
    _pattern(PeerNode): 'a node id such as "ns=3;s=Close" or "nsu=urn:plc;s=Close"',
}
COUNTS = {3: "three", 6: "six"}
LONGEST_TEXT_SHOWN = 40  # chosen: a message stays on one line
LARGEST_NUMBER_SHOWN = 10**15  # beyond, digits say less than words


def report(
    kind: str,
    location: Sequence[Part],
    raw: Node,
    problems: Problems,
    table: type[Table] = CellSpec,
) -> None:
    """Note one of pydantic's errors: what kind, and where in the data of a file of this table."""
    last = location[-1]
    if last == "[key]" and kind == "string_pattern_mismatch":
        _, section, _ = _find(location[:-2], raw, table)
        (pattern,) = section["patternProperties"]
        problems.add(key_of(location[:-1]), "this cannot be a name", hint=NAME_RULES[pattern])
    elif kind == "extra_forbidden":
        parts, node, _ = _find(location[:-1], raw, table)
        known = did_you_mean(str(last), node["properties"])
        problems.add(key_of([*parts, last]), "unknown key", hint=known)
    elif kind == "missing" and isinstance(last, str):
        parts, node, _ = _find(location[:-1], raw, table)
        _report_missing([*parts, last], node["properties"][last], problems)
    elif kind in ("union_tag_not_found", "union_tag_invalid"):
        parts, node, value = _find(location, raw, table)
        choice = node["discriminator"]
        parts.append(choice["propertyName"])
        options = {"enum": list(choice["mapping"])}
        if kind == "union_tag_not_found":
            _report_missing(parts, options, problems)
        else:
            report_wrong(parts, options, value[choice["propertyName"]], problems)
    else:
        report_wrong(*_find(location, raw, table), problems)


def report_wrong(parts: Sequence[Part], node: Node, value: Any, problems: Problems) -> None:
    """Note that a value is not what the schema asks for."""
    hint = _special_hint(node, value) or _meaning(node) or _example(parts, node)
    problems.add(key_of(parts), f"must be {expected(node)}, not {shown(value)}", hint)


def _report_missing(parts: Sequence[Part], node: Node, problems: Problems) -> None:
    meaning = _meaning(node)
    hint = f"give {expected(node)}" + (f": {meaning}" if meaning else "")
    problems.add(key_of(parts), "is missing", hint)


# ---------------------------------------------------------------- where an error is


@cache
def _schema(table: type[Table]) -> Node:
    return file_schema(table)


def _command_value() -> Node:
    entry = _schema(CellSpec)["$defs"]["TimelineEntry"]
    value: Node = entry["properties"]["set"]["additionalProperties"]
    return value


def _find(location: Sequence[Part], raw: Any, table: type[Table]) -> tuple[list[Part], Node, Any]:
    """Follow pydantic's location as far as the file goes: its key, its schema, its value.

    pydantic adds parts that name its own choices ("tuple[float, ...]", "revolute"); the schema
    does not know them, so they are passed over. Numbers of a vector count as one value.
    """
    parts: list[Part] = []
    node, value = _schema(table), raw
    tables: Node = node["$defs"]
    for part in location:
        below = _below(node, part)
        if below is not None:
            parts.append(part)
            value = value[part]
            node = _resolve(below, value, tables)
    return parts, node, value


def _below(node: Node, part: Part) -> Node | None:
    """Schema of a key in a table or of a table in a list."""
    found: Node | None = None
    if isinstance(part, int):
        found = node.get("items") if "$ref" in node.get("items", {}) else None
    elif part in node.get("properties", {}):
        found = node["properties"][part]
    elif "patternProperties" in node:
        (found,) = node["patternProperties"].values()
    elif node.get("additionalProperties"):
        found = node["additionalProperties"]
    return found


def _resolve(node: Node, value: Any, tables: Node) -> Node:
    """The table a reference means; among several, the one that the value's own type names."""
    if "discriminator" in node and isinstance(value, dict):
        choice = node["discriminator"]
        tag = value.get(choice["propertyName"])
        if isinstance(tag, str) and tag in choice["mapping"]:
            node = {"$ref": choice["mapping"][tag]}
    if "$ref" in node:
        table: Node = tables[node["$ref"].rpartition("/")[2]]
        return {**table, **node}
    return node


# ---------------------------------------------------------------- what would be right


def expected(node: Node) -> str:
    """What the schema asks for, in a few words."""
    if "const" in node or "enum" in node:
        return _either([json.dumps(word) for word in node.get("enum", [node.get("const")])])
    if "anyOf" in node:
        options = [option for option in node["anyOf"] if option.get("type") != "integer"]
        return _either([expected(option) for option in options])
    match node.get("type"):
        case "number":
            return f"a number{_bounds(node)}"
        case "integer":
            return f"a whole number{_bounds(node)}"
        case "boolean":
            return "true or false"
        case "string":
            plain = "a text in quotes" if not node.get("minLength") else "a text, not empty"
            return PATTERNS.get(node.get("pattern", ""), plain)
        case "array" if "$ref" in node["items"]:
            return "a list of tables" + (", not empty" if node.get("minItems") else "")
        case "array" if "pattern" in node["items"]:
            return "two names" if "maxItems" in node else "a list of names"
        case "array" if "maxItems" not in node:
            return f"a list of numbers{_bounds(node['items'])}"
        case "array":
            count = node["minItems"]
            return f"{COUNTS.get(count, count)} numbers{_bounds(node['items'])}"
        case _:
            return "a table" + (", not empty" if node.get("minProperties") else "")


def _bounds(node: Node) -> str:
    bounds = []
    if "exclusiveMinimum" in node:
        bounds.append(f"greater than {number(node['exclusiveMinimum'])}")
    if "minimum" in node:
        bounds.append(f"of at least {number(node['minimum'])}")
    if "maximum" in node:
        bounds.append(f"at most {number(node['maximum'])}")
    return " " + " and ".join(bounds) if bounds else ""


def _either(options: Sequence[str]) -> str:
    *first, last = options
    return f"{', '.join(first)} or {last}" if first else last


# ---------------------------------------------------------------- what is there instead


def shown(value: Any) -> str:
    """A value of the file, short enough for a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) > LARGEST_NUMBER_SHOWN:
        return "a number too large"
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, str):
        short = value if len(value) <= LONGEST_TEXT_SHOWN else value[:LONGEST_TEXT_SHOWN] + "..."
        return "the text " + json.dumps(short, ensure_ascii=False)
    if isinstance(value, date | time):
        return f"the date or time {value.isoformat()}"
    if isinstance(value, list):
        if len(value) <= max(COUNTS) and not any(isinstance(item, list | dict) for item in value):
            return f"[{', '.join(shown(item).removeprefix('the text ') for item in value)}]"
        return f"a list of {len(value)}"
    return "a table"


# ---------------------------------------------------------------- what to do


def _special_hint(node: Node, value: Any) -> str:
    """A hint for what people often write."""
    if "enum" in node and isinstance(value, str):
        return did_you_mean(value, node["enum"])
    if node.get("type") == "boolean" and value in ("true", "false"):
        return "write it without quotes"
    if node == _command_value() and isinstance(value, dict):
        return 'the name of a signal has a dot: write it in quotes, "Flange.Closed" = true'
    if rule := NAME_RULES.get(node.get("pattern", "")):
        return rule if isinstance(value, str) else "write the name in quotes"
    if "number" in expected(node):
        for item in _flat(value):
            if isinstance(item, str):
                return "write numbers without quotes, with a decimal point: 0.5"
            if isinstance(item, bool):
                return "true and false are not numbers"
            if isinstance(item, float) and not math.isfinite(item):
                return "nan and inf are not allowed"
    return ""


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for item in value:
            yield from _flat(item)
    else:
        yield value


def _meaning(node: Node) -> str:
    """The key's own description, as a part of a sentence."""
    text = str(node.get("description", "")).rstrip(".")
    return text[:1].lower() + text[1:]


def _example(parts: Sequence[Part], node: Node) -> str:
    if "default" in node:
        value = node["default"]
    elif node.get("type") == "number":
        value = 1.0
    elif node.get("type") == "array" and "minItems" in node:
        value = [1.0] * node["minItems"]
    else:
        return ""
    return f"for example {parts[-1]} = {json.dumps(value)}"
