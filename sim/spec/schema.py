"""The JSON schema of a cell file, with which an editor completes keys and marks mistakes.

Editors for TOML (taplo, Even Better TOML) know draft 7: no `prefixItems`, and no null, which TOML
does not have either.
"""

from typing import Any

from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.table import Table

Node = dict[str, Any]

DRAFT_7 = "http://json-schema.org/draft-07/schema#"


def cell_schema() -> Node:
    """What a cell file may say, for editors."""
    return {"$schema": DRAFT_7, **file_schema(CellSpec), "title": "twincell cell"}


def file_schema(table: type[Table]) -> Node:
    """What a file may say that is described by this table."""
    schema: Node = _plain(table.model_json_schema())
    for section in schema["properties"].values():
        _describe_section(section, schema["$defs"])
    return schema


def _plain(node: Any) -> Any:
    """The same schema in the words of draft 7."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    node = {word: _plain(value) for word, value in node.items()}

    # a key that may be left out: TOML leaves it out, so neither null nor its default is written
    options = [option for option in node.get("anyOf", ()) if option != {"type": "null"}]
    if len(options) == 1:
        del node["anyOf"]
        node = {**options[0], **node}
    elif options:
        node["anyOf"] = options
    if "default" in node and node["default"] is None:
        del node["default"]

    # all items of our tuples are alike
    if "prefixItems" in node:
        node["items"] = node.pop("prefixItems")[0]

    # no entry may have an odd name
    if "patternProperties" in node:
        node["additionalProperties"] = False

    # title of a key is its name, so that editors do not show "Mass Kg"
    if "properties" in node:
        for key, value in node["properties"].items():
            value["title"] = key
    return node


def _describe_section(section: Node, tables: Node) -> None:
    """A section is described by what stands in it."""
    entry = section.get("items", {})
    if named := section.get("patternProperties"):
        (entry,) = named.values()
    references = [entry, *entry.get("oneOf", ())]
    texts = [
        tables[reference["$ref"].rpartition("/")[2]]["description"]
        for reference in references
        if "$ref" in reference
    ]
    if texts:
        section.setdefault("description", " ".join(texts))
