"""The schema that editors use."""

import json

from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.schema import cell_schema


def nodes(value):
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from nodes(item)
    elif isinstance(value, list):
        for item in value:
            yield from nodes(item)


def test_the_schema_has_every_key_of_a_cell_and_no_other():
    schema = cell_schema()
    assert schema["title"] == "twincell cell"
    assert set(schema["properties"]) == set(CellSpec.model_fields)
    assert schema["required"] == ["name"]


def test_no_table_allows_unknown_keys():
    schema = cell_schema()
    tables = [node for node in nodes(schema) if "properties" in node and "type" in node]
    assert len(tables) > 10
    assert all(table["additionalProperties"] is False for table in tables)
    assert schema["properties"]["body"]["additionalProperties"] is False
    named = [node for node in nodes(schema) if "patternProperties" in node]
    assert all(node["additionalProperties"] is False for node in named)


def test_keys_are_described_by_their_docstrings():
    schema = cell_schema()
    tables = schema["$defs"]
    assert schema["properties"]["step_s"]["description"] == "Simulated time of one tick."
    assert tables["Body"]["description"].startswith("A rigid body")
    assert tables["Waypoint"]["properties"]["at_s"]["description"].startswith("Simulated time")


def test_sections_are_described_by_what_stands_in_them():
    sections = cell_schema()["properties"]
    assert sections["body"]["description"].startswith("A rigid body")
    assert "A hinge." in sections["joint"]["description"]
    assert all("description" in section for section in sections.values())


def test_only_words_of_draft_7_are_used():
    text = json.dumps(cell_schema())
    assert "prefixItems" not in text
    assert '"null"' not in text
    assert '"default": null' not in text


def test_a_vector_is_a_list_of_three_numbers():
    position = cell_schema()["$defs"]["Frame"]["properties"]["position_m"]
    assert position["items"] == {"type": "number"}
    assert position["minItems"] == position["maxItems"] == 3


def test_keys_keep_their_names_in_an_editor():
    assert cell_schema()["$defs"]["Body"]["properties"]["mass_kg"]["title"] == "mass_kg"
