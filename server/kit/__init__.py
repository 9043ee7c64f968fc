"""The test kit: prove a PLC program against a cell, from pytest or with scenario files.

    from server.kit import CellUnderTest

is the type of the fixture `cell`. It is imported when somebody asks for it: the plugin lies here
too, and costs nothing in test runs without a cell.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from server.kit.cell_under_test import CellUnderTest

__all__ = ["CellUnderTest"]


def __getattr__(name: str) -> Any:
    if name == "CellUnderTest":
        from server.kit.cell_under_test import CellUnderTest

        return CellUnderTest
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
