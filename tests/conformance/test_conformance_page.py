"""The page on conformance lists every service, truly, and its proofs are there."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from asyncua.ua.object_ids import ObjectIds

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "server" / "conformance.md").read_text(encoding="utf-8")
LIST = ROOT / "server" / "opcua" / "service_list.py"
OF_CHANNELS = {"OpenSecureChannel", "CloseSecureChannel"}  # answered by connections themselves
PARTS = {"CallMethod", "MonitoredItemCreate", "MonitoredItemModify"}  # of requests
REQUEST = "Request_Encoding_DefaultBinary"
TESTED_HERE = [
    file.relative_to(ROOT).as_posix()
    for folder in ("conformance", "node")
    for file in sorted((ROOT / "tests" / folder).glob("test_*.py"))
    if file != Path(__file__)
]


class Row(NamedTuple):
    """A line of a table."""

    name: str
    supported: str
    remarks: str
    proof: str


def rows(heading: str) -> list[Row]:
    """The table below a heading, without its own two lines."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [Row(*(cell.strip() for cell in line.strip("|").split("|"))) for line in lines[2:]]


def served() -> set[str]:
    """Names of all services in the list of the server."""
    calls = [node for node in ast.walk(ast.parse(LIST.read_text())) if isinstance(node, ast.Call)]
    return {
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in ("_service", "Service")
        and isinstance(call.args[0], ast.Constant)
    }


def proofs(text: str) -> list[str]:
    return re.findall(r"`(tests/[^`]+\.py)`", text)


def test_every_service_of_the_server_is_on_the_page_and_no_other_is_said_to_be():
    assert {row.name for row in rows("Services") if row.supported == "yes"} == (
        served() | OF_CHANNELS
    )


def test_every_service_of_the_standard_is_on_the_page():
    standard = {name.removesuffix(REQUEST) for name in dir(ObjectIds) if name.endswith(REQUEST)}
    assert {row.name for row in rows("Services")} == standard - PARTS


@pytest.mark.parametrize("row", rows("Services"), ids=lambda row: row.name)
def test_every_service_is_proved_through_asyncua_or_our_own_tests(row: Row):
    assert proofs(row.proof)
    assert row.supported in ("yes", "no")
    assert row.remarks or row.supported == "yes"  # why not


@pytest.mark.parametrize("row", rows("Features"), ids=lambda row: row.name)
def test_every_feature_that_is_claimed_is_proved_and_every_other_one_has_a_reason(row: Row):
    assert proofs(row.proof) if row.supported == "yes" else row.remarks


def test_every_test_that_is_named_is_there():
    assert [name for name in proofs(PAGE) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("name", TESTED_HERE)
def test_every_test_of_conformance_is_named(name: str):
    assert name in proofs(PAGE)
