"""twincell cells, signals and schema: what there is to simulate, to connect and to write."""

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.cell_file import CellArgument, compile_cell, load
from twincell.server.errors import Refusal
from twincell.server.files.cells import shipped_cells


def cells() -> None:
    """List the shipped cells."""
    listed = screen.table("name", "title", "what it shows")
    for path in shipped_cells():
        listed.add_row(path.stem, *_title_and_first_sentence(path))
    screen.print_table(listed)


def signals(
    cell: CellArgument,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the signals of a cell: what a controller can set and see."""
    _, compiled = compile_cell(cell)
    rows = [
        {
            "name": signal.name,
            "type": signal.kind.value,
            "unit": signal.unit,
            "direction": signal.direction.value,
            "description": signal.description,
        }
        for signal in compiled.signals
    ]
    if as_json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    listed = screen.table("name", "type", "unit", "direction", "description")
    for row in rows:
        listed.add_row(*row.values())
    screen.print_table(listed)


def schema(
    scenario: Annotated[
        bool, typer.Option("--scenario", help="That of scenario files, for 'twincell test'.")
    ] = False,
) -> None:
    """Print the JSON schema of cell files or scenario files, for editors."""
    from twincell.sim.spec.schema import DRAFT_7, cell_schema, file_schema

    made = cell_schema()
    if scenario:
        from twincell.server.kit.scenario import Scenario

        made = {"$schema": DRAFT_7, **file_schema(Scenario), "title": "twincell scenario"}
    print(json.dumps(made, indent=2, ensure_ascii=False))


def _title_and_first_sentence(path: Path) -> tuple[str, str]:
    try:
        spec = load(str(path))
    except Refusal:
        return "", f"has mistakes: twincell check {path.stem}"
    description = " ".join(spec.description.split())
    return spec.name, re.split(r"(?<=[.!?]) ", description, maxsplit=1)[0]
