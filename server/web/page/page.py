"""The page: head, status line, 3-D view with time control, panels.

What a page shows stands in its address: its tab, its selection, its recording. So a reload loses
nothing, and a link shows somebody else the same.
"""

from typing import Any

from fastapi import Request
from fastapi.responses import RedirectResponse, Response
from nicegui import ui
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from twincell.server.security.roles import Role
from twincell.server.web.access.login_page import LOGGED_OUT
from twincell.server.web.access.visitors import origin_of_request
from twincell.server.web.data.cell_view import CellView
from twincell.server.web.page.elements import (
    STATIC,
    CellScene,
    EventTable,
    Scrubber,
    SignalTable,
    TrendChart,
)
from twincell.server.web.page.forces import ForceDialog, forced_among
from twincell.server.web.page.head import Head, StatusLine
from twincell.server.web.page.page_session import PageSession, Panel
from twincell.server.web.page.panel_devices import DevicesPanel
from twincell.server.web.page.panel_faults import FaultsPanel
from twincell.server.web.page.panel_recordings import RecordingsPanel
from twincell.server.web.page.panel_timing import TimingPanel
from twincell.server.web.page.selected_card import SelectedCard
from twincell.server.web.page.time_bar import TimeBar

REFRESH_S = 0.25
STYLE = (STATIC / "style.css").read_text(encoding="utf-8")
TABS = ("Devices", "Signals", "Trends", "Events", "Faults", "Timing", "Recordings")
OF_THE_PAST = ("Signals", "Trends", "Events", "Recordings")  # what a recording has too
LOST = """
<div><h2>No connection to the cell</h2>
<p class="tried">What you have pressed just now was not done.</p>
<p>Nothing answers any more. If <code>twincell run</code> was stopped, start it again.</p>
<p>This page comes back by itself.</p></div>
"""


def add_page(view: CellView) -> None:
    """Make the page known to NiceGUI."""
    objects = {signal.name.partition(".")[0] for signal in view.signals}
    objects |= {thing.name for thing in view.scene.things}

    @ui.page("/")
    async def show(request: Request) -> Response | None:
        visitor = view.visitors.visitor(request.cookies, origin_of_request(request))
        if not visitor.may(Role.OBSERVER):
            return RedirectResponse("/login")  # he was logged out just now
        wanted = request.query_params
        tab, selected = wanted.get("tab", ""), wanted.get("select", "")
        Page(
            PageSession(view, visitor, selected if selected in objects else ""),
            tab if tab in TABS else TABS[0],
            wanted.get("recording", ""),
        )
        return None


class Page:
    """One browser's page."""

    def __init__(self, page_session: PageSession, tab: str, recording: str) -> None:
        self._page_session = page_session
        ui.add_css(STYLE)
        ui.colors(primary="#1c6fd1", negative="#c62828")
        ui.html(LOST, sanitize=False).classes("tc-lost").props('role="alert"')
        self._head = Head(page_session, self._widen)
        self._status = StatusLine(page_session, self._tabs_to)
        with ui.element("main").classes("tc-main") as self._main:
            with ui.element("div").classes("tc-left"):
                with ui.element("div").classes("tc-over"):
                    self._scene = CellScene(page_session.view.scene_json, page_session.selected)
                    self._scene.on("pick", self._pick)
                    self._card = SelectedCard(page_session)
                self._time = TimeBar(page_session)
                self._past_time = ui.element("div").classes("tc-past-time")
            with ui.element("div").classes("tc-right"):
                self._add_panels(tab)
        page_session.on_select(self._scene.select)
        page_session.on_replay(self._show_mode)
        user_session = page_session.visitor.user_session
        ui.context.client.on_connect(lambda: setattr(user_session, "pages", user_session.pages + 1))
        ui.context.client.on_disconnect(
            lambda: setattr(user_session, "pages", user_session.pages - 1)
        )
        ui.timer(REFRESH_S, self._refresh)
        if recording and page_session.view.recording_list.path(recording):
            ui.timer(0.0, lambda: self._recordings.show(recording), once=True)
        self._refresh()

    def _add_panels(self, tab: str) -> None:
        page_session = self._page_session
        self._tabs = ui.tabs(on_change=self._remember_tab).classes("tc-tabs")
        self._tabs.props("dense inline-label no-caps align=left")
        with self._tabs:
            self._tab = {name: ui.tab(name) for name in TABS}
        dialog = ForceDialog(page_session)
        with ui.tab_panels(self._tabs, value=tab, animated=False, keep_alive=True) as panels:
            panels.classes("tc-panels")
            self._panels: dict[str, Panel] = {}
            with ui.tab_panel("Devices"):
                self._panels["Devices"] = DevicesPanel(
                    page_session, dialog, lambda: self._tabs_to("Signals")
                )
            with ui.tab_panel("Signals"):
                self._table = table = SignalTable(page_session.selected)
            with ui.tab_panel("Trends"):
                trends = TrendChart()
            with ui.tab_panel("Events"):
                events = EventTable(page_session.selected)
            with ui.tab_panel("Faults"):
                self._panels["Faults"] = FaultsPanel(page_session)
            with ui.tab_panel("Timing"):
                self._panels["Timing"] = TimingPanel(page_session)
            with ui.tab_panel("Recordings"):
                self._panels["Recordings"] = self._recordings = RecordingsPanel(page_session)

        def show_trend(event: GenericEventArguments) -> None:
            self._tabs.set_value("Trends")
            trends.add(str(event.args))

        table.on("trend", show_trend)
        table.on("pick", self._pick)
        table.on("force", lambda event: dialog.open(str(event.args)))
        events.on("pick", self._pick)
        page_session.on_select(table.select)
        page_session.on_select(events.select)

    def _pick(self, event: GenericEventArguments) -> None:
        self._page_session.select(str(event.args or ""))

    def _tabs_to(self, name: str) -> None:
        self._tabs.set_value(name)

    def _remember_tab(self, event: ValueChangeEventArguments[Any]) -> None:
        self._scene.remember("tab", "" if event.value == TABS[0] else str(event.value))

    def _widen(self) -> None:
        self._main.classes(toggle="wide")

    def _show_mode(self) -> None:
        """Live, or a recording: nothing of the page is of one while the rest is of the other."""
        replay = self._page_session.replay
        is_past = replay is not None
        self._scene.remember("recording", replay.name if replay else "")
        self._main.classes(**{"add" if is_past else "remove": "tc-past"})
        self._time.set_visibility(not is_past)
        self._past_time.clear()
        for name, tab in self._tab.items():
            tab.set_enabled(not is_past or name in OF_THE_PAST)
        if replay is not None:
            with self._past_time:
                scrubber = Scrubber(self._page_session.replay_url)
            scrubber.on("at", self._take_time)
            if self._tabs.value not in OF_THE_PAST:
                self._tabs_to("Recordings")
        self._refresh()

    def _take_time(self, event: GenericEventArguments) -> None:
        self._page_session.replay_at_s = float(event.args)

    def _refresh(self) -> None:
        if not self._page_session.view.visitors.is_current(self._page_session.visitor):
            ui.navigate.to(LOGGED_OUT)
            return
        for part in (self._head, self._status, self._card, self._time):
            part.refresh()
        forced = forced_among(self._page_session.view.watcher.faults)
        if forced != self._table.props.get("forced"):
            self._table.props["forced"] = forced
        panel = self._panels.get(str(self._tabs.value))
        if panel:
            panel.refresh()
