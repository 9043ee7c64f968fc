"""What happened: tools that changed hands, drives at their limit, faults, lost controllers."""

from nicegui import ui
from nicegui.events import GenericEventArguments

from server.opcua.subscription.cell_event import SERIOUS, WARNING
from server.web.sight import Sight

MOST = 200  # that are listed
COLUMNS = [
    {"name": "time", "label": "Time (UTC)", "field": "time", "align": "left"},
    {"name": "tick", "label": "Tick", "field": "tick", "align": "right"},
    {"name": "source", "label": "Source", "field": "source", "align": "left"},
    {"name": "text", "label": "What", "field": "text", "align": "left"},
]


class EventsPanel:
    """The newest first."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        self._seen = -1
        self._only = ""
        with ui.element("div").classes("tc-panel"):
            self._search = ui.input(placeholder="Search events", on_change=self._again).props(
                'outlined dense clearable type=search aria-label="Search events"'
            )
            self._search.classes("w-full")
            self._table = ui.table(columns=COLUMNS, rows=[], row_key="number")
            self._table.props("flat dense hide-bottom wrap-cells :rows-per-page-options=[0]")
            self._table.classes("tc-scroll")
            self._table.on("rowClick", self._pick, [[], ["source"], None])
            self._empty = ui.label(
                "Nothing has happened yet."
                " Tools that change hands, drives at their limit and faults show here."
            ).classes("tc-empty")
        sight.on_select(lambda _: self._again())

    def _pick(self, event: GenericEventArguments) -> None:
        source = event.args[1].get("source", "") if len(event.args) > 1 else ""
        if any(thing.name == source for thing in self._sight.view.scene.things):
            self._sight.select(source)

    def _again(self) -> None:
        self._seen = -1

    def refresh(self) -> None:
        events = self._sight.view.watcher.events
        newest = events[-1].number if events else 0
        if newest == self._seen:
            return
        self._seen = newest
        words = [*str(self._search.value or "").lower().split(), self._sight.selected.lower()]
        found = [
            event
            for event in events
            if all(word in f"{event.source} {event.text}".lower() for word in words if word)
        ]
        self._table.rows = [
            {**event._asdict(), "level": _level(event.severity)}
            for event in reversed(found[-MOST:])
        ]
        self._table.update()
        self._table.set_visibility(bool(found))
        self._empty.set_visibility(not found)


def _level(severity: int) -> str:
    return "serious" if severity >= SERIOUS else "warning" if severity >= WARNING else ""
