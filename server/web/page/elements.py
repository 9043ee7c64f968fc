"""The parts of the page that run in the browser; their scripts are in `components` and `js`."""

from pathlib import Path
from typing import Any

import nicegui.elements.echart
import nicegui.elements.scene  # noqa: F401 - both register the modules that our scripts import
from nicegui.element import Element

STATIC = Path(__file__).parents[1] / "static"


class CellScene(
    Element, component=STATIC / "components/cell_scene.js", esm={"twincell": str(STATIC / "js")}
):
    """The 3-D view."""

    def __init__(self, scene: dict[str, Any], selected: str) -> None:
        super().__init__()
        self._props["scene"] = scene
        self._props["selected"] = selected

    def select(self, name: str) -> None:
        self.run_method("choose", name)  # a prop would send the whole scene again

    def remember(self, key: str, value: str) -> None:
        """Put something into the page's address."""
        self.run_method("remember", key, value)


class SignalTable(Element, component=STATIC / "components/signal_table.js"):
    """All signals with their values, and those that are forced."""

    def __init__(self, selected: str) -> None:
        super().__init__()
        self._props["forced"] = {}
        self._props["picked"] = selected

    def select(self, name: str) -> None:
        self.props["picked"] = name


class EventTable(Element, component=STATIC / "components/event_table.js"):
    """What happened: in the running cell, or in a recording."""

    def __init__(self, selected: str) -> None:
        super().__init__()
        self._props["picked"] = selected

    def select(self, name: str) -> None:
        self.props["picked"] = name


class TrendChart(Element, component=STATIC / "components/trend_chart.js"):
    """Signals over time."""

    def add(self, name: str) -> None:
        """Show one more; the same name once more is another wish."""
        self._count = getattr(self, "_count", 0) + 1
        self.props["added"] = {"name": name, "count": self._count}


class DeviceFeedback(Element, component=STATIC / "components/device_feedback.js"):
    """Lamps and values of a device."""

    def __init__(self, feedback: list[dict[str, Any]], levers: list[dict[str, Any]]) -> None:
        super().__init__()
        self._props["feedback"] = feedback
        self._props["levers"] = levers
        self._props["forced"] = {}

    def show_forced(self, forced: dict[str, str]) -> None:
        if forced != self.props["forced"]:
            self.props["forced"] = forced


class Scrubber(Element, component=STATIC / "components/scrubber.js"):
    """Goes through the time of a recording."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._props["url"] = url


class LocalTime(Element, component=STATIC / "components/local_time.js"):
    """A moment in the time zone of the browser."""

    def __init__(self, ms: int, precise: bool = False) -> None:
        super().__init__()
        self._props["ms"] = ms
        self._props["precise"] = precise

    def show(self, ms: int) -> None:
        if ms != self.props["ms"]:
            self.props["ms"] = ms
