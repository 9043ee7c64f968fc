"""The parts of the page that run in the browser; their scripts are in `components` and `js`."""

from pathlib import Path
from typing import Any

import nicegui.elements.echart
import nicegui.elements.scene  # noqa: F401 - both register the modules that our scripts import
from nicegui.element import Element

FOLDER = Path(__file__).parent


class CellScene(
    Element, component=FOLDER / "components/cell_scene.js", esm={"twincell": str(FOLDER / "js")}
):
    """The 3-D view."""

    def __init__(self, scene: dict[str, Any]) -> None:
        super().__init__()
        self._props["scene"] = scene


class SignalTable(Element, component=FOLDER / "components/signal_table.js"):
    """All signals with their values, and those that are forced."""

    def __init__(self) -> None:
        super().__init__()
        self._props["forced"] = {}


class TrendChart(Element, component=FOLDER / "components/trend_chart.js"):
    """Signals over time."""


class Scrubber(Element, component=FOLDER / "components/scrubber.js"):
    """A slider through the time of a recording."""
