"""The page: head, banner, 3-D view with time control, panels."""

from pathlib import Path

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from nicegui import ui
from nicegui.events import GenericEventArguments

from server.security.roles import Role
from server.web.cell_view import CellView
from server.web.elements import CellScene, SignalTable, TrendChart
from server.web.forces import ForceDialog, forced_among
from server.web.head import Banner, Head
from server.web.login_page import LOGGED_OUT
from server.web.panel_commands import CommandsPanel
from server.web.panel_events import EventsPanel
from server.web.panel_faults import FaultsPanel
from server.web.panel_recordings import RecordingsPanel
from server.web.panel_timing import TimingPanel
from server.web.selected_card import SelectedCard
from server.web.sight import Panel, Sight
from server.web.time_bar import TimeBar

REFRESH_S = 0.25
STYLE = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")
TABS = ("Commands", "Signals", "Trends", "Events", "Faults", "Timing", "Recordings")
LOST = """
<div><h2>No connection to the cell</h2>
<p class="tried">What you have pressed just now was not done.</p>
<p>Nothing answers any more. If <code>twincell run</code> was stopped, start it again.</p>
<p>This page comes back by itself.</p></div>
"""


def add_page(view: CellView) -> None:
    """Make the page known to NiceGUI."""

    @ui.page("/")
    async def show(request: Request) -> Response | None:
        address = request.client.host if request.client else ""
        visitor = view.visitors.visitor(request.cookies, address)
        if not visitor.may(Role.OBSERVER):
            return RedirectResponse("/login")  # he was logged out just now
        Page(Sight(view, visitor))
        return None


class Page:
    """One browser's page."""

    def __init__(self, sight: Sight) -> None:
        self._sight = sight
        ui.add_css(STYLE)
        ui.colors(primary="#1c6fd1", negative="#c62828")
        ui.html(LOST, sanitize=False).classes("tc-lost").props('role="alert"')
        self._head = Head(sight, self._widen)
        self._banner = Banner(sight, self._tabs_to)
        with ui.element("main").classes("tc-main") as self._main:
            with ui.element("div").classes("tc-left"):
                with ui.element("div").classes("tc-over"):
                    self._scene = CellScene(sight.view.scene_json)
                    self._scene.on("pick", self._pick)
                    self._card = SelectedCard(sight)
                self._time = TimeBar(sight)
            with ui.element("div").classes("tc-right"):
                self._add_panels()
        sight.on_select(lambda name: self._scene.run_method("select", name))
        hand = sight.visitor.hand
        ui.context.client.on_connect(lambda: setattr(hand, "pages", hand.pages + 1))
        ui.context.client.on_disconnect(lambda: setattr(hand, "pages", hand.pages - 1))
        ui.timer(REFRESH_S, self._refresh)
        self._refresh()

    def _add_panels(self) -> None:
        sight = self._sight
        self._tabs = ui.tabs().classes("tc-tabs").props("dense inline-label no-caps align=left")
        with self._tabs:
            for name in TABS:
                ui.tab(name)
        dialog = ForceDialog(sight)
        with ui.tab_panels(self._tabs, value="Commands", animated=False, keep_alive=True) as panels:
            panels.classes("tc-panels")
            self._panels: dict[str, Panel] = {}
            with ui.tab_panel("Commands"):
                self._panels["Commands"] = CommandsPanel(
                    sight, dialog, lambda: self._tabs_to("Signals")
                )
            with ui.tab_panel("Signals"):
                self._table = table = SignalTable()
            with ui.tab_panel("Trends"):
                trends = TrendChart()
            with ui.tab_panel("Events"):
                self._panels["Events"] = EventsPanel(sight)
            with ui.tab_panel("Faults"):
                self._panels["Faults"] = FaultsPanel(sight)
            with ui.tab_panel("Timing"):
                self._panels["Timing"] = TimingPanel(sight)
            with ui.tab_panel("Recordings"):
                self._panels["Recordings"] = RecordingsPanel(sight, self._scene)

        def show_trend(event: GenericEventArguments) -> None:
            self._tabs.set_value("Trends")
            trends.run_method("add", event.args)

        table.on("trend", show_trend)
        table.on("pick", self._pick)
        table.on("force", lambda event: dialog.open(str(event.args)))
        sight.on_select(lambda name: table.run_method("pick", name))

    def _pick(self, event: GenericEventArguments) -> None:
        self._sight.select(str(event.args or ""))

    def _tabs_to(self, name: str) -> None:
        self._tabs.set_value(name)

    def _widen(self) -> None:
        self._main.classes(toggle="wide")

    def _refresh(self) -> None:
        if not self._sight.view.visitors.is_current(self._sight.visitor):
            ui.navigate.to(LOGGED_OUT)
            return
        for part in (self._head, self._banner, self._card, self._time):
            part.refresh()
        forced = forced_among(self._sight.view.watcher.faults)
        if forced != self._table.props.get("forced"):
            self._table.props["forced"] = forced
        panel = self._panels.get(str(self._tabs.value))
        if panel:
            panel.refresh()
