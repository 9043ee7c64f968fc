"""twincell bridge: controllers that are OPC UA servers themselves."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.cell_file import CellArgument, compile_cell
from twincell.server.cli.security_option import SecurityOption
from twincell.server.errors import Refusal
from twincell.server.security.named_folder import security_folder

if TYPE_CHECKING:
    from twincell.server.bridge.check import Line

FAILED = 1  # exit code: something is wrong

bridge = typer.Typer(
    name="bridge",
    help="Connect a cell to controllers that are OPC UA servers.",
    no_args_is_help=True,
)


@bridge.callback()
def _bridge() -> None:
    """Connect a cell to controllers that are OPC UA servers."""


@bridge.command()
def check(
    cell: CellArgument,
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    security: SecurityOption = None,
) -> None:
    """Test the bridges of a cell: connection, login, nodes, types and rights. Writes nothing."""
    spec, compiled = compile_cell(cell)
    if not spec.bridge:
        hint = "docs/use/bridge.md says how to write one"
        raise Refusal(f"{cell}: the cell file has no [[bridge]]", hint)

    from twincell.server.bridge.check import check_bridge

    logging.getLogger("asyncua").setLevel(logging.CRITICAL + 1)  # what matters is raised as well
    folder, file = security_folder(security), Path(spec.source.file)
    lines = [
        line
        for one in spec.bridge
        for line in asyncio.run(check_bridge(one, file, compiled.signals, folder))
    ]
    if as_json:
        print(json.dumps([{"ok": line.is_ok, **line._asdict()} for line in lines]))
    else:
        _print(lines)
    if not all(line.is_ok for line in lines):
        raise typer.Exit(FAILED)


def _print(lines: list[Line]) -> None:
    made = screen.table("bridge", "what", "type", "value", "result")
    for line in lines:
        made.add_row(line.bridge, line.what, line.type, line.value, line.problem or "ok")
    screen.print_table(made)
    wrong = [line for line in lines if not line.is_ok]
    print(f"{len(lines) - len(wrong)} of {len(lines)} ok", file=sys.stderr)
    for line in wrong:
        print(f"bridge {line.bridge}: {line.what}: {line.problem}", file=sys.stderr)
        if line.remedy:
            print(f"  hint: {line.remedy}", file=sys.stderr)
