"""A running cell with a bridge, and a client beside it that looks what has come of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from asyncua import ua
from asyncua.sync import Client

from tests.server.running_cell import PATIENCE_S, RunningCell, running, wait_until
from twincell.server.opcua.space.namespaces import cell_id


class BridgedCell:
    """The cell, as a person at a panel sees it."""

    def __init__(self, cell: RunningCell, panel: Client) -> None:
        self.cell = cell
        self.panel = panel

    def __getitem__(self, name: str) -> Any:
        return self.panel.get_node(cell_id(name)).read_value()

    def call(self, method: str, *arguments: ua.Variant) -> Any:
        owner = method.rpartition(".")[0]
        return self.panel.get_node(cell_id(owner)).call_method(cell_id(method), *arguments)

    def write(self, name: str, value: Any, type_: ua.VariantType) -> None:
        variant = ua.DataValue(ua.Variant(value, type_))
        self.panel.get_node(cell_id(name)).write_value(variant)

    def until(self, name: str, value: Any) -> None:
        """Wait until a signal has a value."""
        wait_until(lambda: self[name] == value)

    def until_said(self, text: str) -> None:
        """Wait until it is in the log."""
        wait_until(lambda: text in self.cell.notes)


@contextmanager
def bridged(folder: Path, text: str, *options: object, lab: bool = True) -> Iterator[BridgedCell]:
    """Run the cell of a file's text."""
    file = folder / "bridged.toml"
    file.write_text(text, encoding="utf-8")
    with (
        running(folder, file, "--port", 0, *options, lab=lab) as cell,
        Client(cell.url, timeout=PATIENCE_S) as panel,
    ):
        yield BridgedCell(cell, panel)
