"""The head of the page: which cell, how it is, who commands, who looks; and the line below it.

That line is always there, so that nothing moves when it has something to tell: red while anything
is forced or broken on purpose, violet while the page shows a recording.
"""

import re
from collections.abc import Callable

from nicegui import ui

from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.security.roles import Role
from twincell.server.web.data.fault_words import in_words
from twincell.server.web.page.elements import LocalTime
from twincell.server.web.page.forces import forced_among
from twincell.server.web.page.page_session import PageSession, labelled

STATES = {
    LoopState.DOWN: "down",
    LoopState.RUNNING: "running",
    LoopState.PAUSED: "paused",
    LoopState.FAULT: "stopped by a fault",
}
MANY = 3  # faults that the line names
WEB_PAGE = re.compile(r"session web page(?: of (.*?))?(?: Session\d+)?")


def controller_words(control: str) -> str:
    """Who commands, as people call him: what clients send as their names is for programs."""
    ours = WEB_PAGE.fullmatch(control)
    if ours:
        return f"{ours[1]}, on a web page" if ours[1] else "a web page"
    return re.sub(r" Session\d+$", "", control.removeprefix("session ")) or "nobody"


class Head:
    """One line that says it all."""

    def __init__(self, page_session: PageSession, widen: Callable[[], None]) -> None:
        self._page_session = page_session
        with ui.element("header").classes("tc-head"):
            ui.label("twincell").classes("tc-brand")
            ui.label(page_session.view.spec.name).classes("tc-cell").props(
                'role="heading" aria-level="1"'
            )
            with ui.element("span").classes("tc-chip") as self._chip:
                ui.element("span").classes("dot")
                self._state = ui.label().props('role="status" data-testid="state"')
            with ui.element("span").classes("tc-chip"):
                ui.label("t =").classes("tc-roomy")
                self._time = ui.label().classes("tc-num").props('data-testid="time"')
            with ui.element("span").classes("tc-chip tc-who") as self._who:
                ui.icon("sports_esports")
                ui.label("in command:").classes("tc-dim")
                self._control = ui.label().props('data-testid="control"')
            ui.element("span").classes("tc-grow")
            self._buttons(widen)
            self._user()

    def _buttons(self, widen: Callable[[], None]) -> None:
        dark = ui.dark_mode(None)

        def turn() -> None:
            dark.set_value(not dark.value if dark.value is not None else True)

        for icon, text, action, kind in (
            ("width_wide", "Wider panels", widen, "tc-roomy"),
            ("dark_mode", "Light or dark", turn, ""),
        ):
            with ui.button(icon=icon, on_click=action).props("flat round dense") as button:
                ui.tooltip(text)
            labelled(button.classes(kind), text)
        with ui.link(target="/help", new_tab=True).classes("tc-icon-link") as link:
            ui.icon("help_outline")
            ui.tooltip("Help")
        labelled(link, "Help")

    def _user(self) -> None:
        visitor = self._page_session.visitor
        if visitor.name:
            role = Role(visitor.identity.role).name.lower()
            ui.label(f"{visitor.name}, {role}").classes("tc-dim tc-roomy")
            with ui.element("form").props('method="post" action="/logout"'):
                ui.button("Log out").props("flat dense type=submit")
        elif visitor.may(Role.ENGINEER):
            with ui.label("lab mode").classes("tc-chip tc-roomy"):
                ui.tooltip("Everybody may do everything")
        else:
            ui.button("Log in", icon="login", on_click=lambda: ui.navigate.to("/login")).props(
                "unelevated dense padding='4px 12px'"
            )

    def refresh(self) -> None:
        vitals, replay = self._page_session.view.link.vitals, self._page_session.replay
        state = vitals.state
        self._chip.classes(remove=" ".join(("recording", *(one.name.lower() for one in LoopState))))
        self._who.set_visibility(replay is None)
        if replay is not None:
            self._state.set_text("recording")
            self._chip.classes("recording")
            self._time.set_text(f"{self._page_session.replay_at_s:.2f} s")
            return
        speed = f" at {vitals.speed:g} ×" if vitals.speed not in (0.0, 1.0) else ""
        self._state.set_text(STATES[state] + (speed if state is LoopState.RUNNING else ""))
        self._chip.classes(state.name.lower())
        self._time.set_text(f"{self._page_session.view.link.ring.time_s:.2f} s")
        self._control.set_text(controller_words(vitals.text("control")))


class StatusLine:
    """What everybody has to know now; else where clients connect."""

    def __init__(self, page_session: PageSession, show: Callable[[str], object]) -> None:
        self._page_session = page_session
        self._where = "Faults"  # the panel that lists them
        with ui.element("div").classes("tc-line") as self._line:
            with ui.element("div").classes("tc-told").props('role="alert"') as self._told:
                ui.icon("warning")
                self._text = ui.label().classes("tc-grow").props('data-testid="banner"')
                self._button = ui.button("Show", on_click=lambda: show(self._where), color=None)
                self._button.props("outline dense")
            with ui.element("div").classes("tc-told").props('role="status"') as self._past:
                ui.icon("history")
                ui.label("RECORDING").classes("tc-strong")
                self._name = ui.label().classes("tc-strong").props('data-testid="replayed"')
                with ui.element("span").classes("tc-roomy") as self._when:
                    self._made = LocalTime(0)
                self._cell = ui.label().classes("tc-grow")
                back = ui.button("Back to live", icon="sensors", on_click=page_session.back_to_live)
                back.props("unelevated dense color=white text-color=black")
            with ui.element("div").classes("tc-told tc-calm") as self._calm:
                ui.icon("check_circle")
                ui.label("Nothing is forced or broken on purpose.").classes("tc-grow tc-roomy")
                ui.label("OPC UA").classes("tc-title")
                self._endpoint()
        page_session.on_replay(self.refresh)

    def _endpoint(self) -> None:
        """Where clients connect; a press copies it."""
        endpoint = self._page_session.view.showing.endpoint

        def copy() -> None:
            ui.clipboard.write(endpoint)
            ui.notify(f"{endpoint} is copied", type="positive", position="bottom-left")

        button = ui.button(endpoint, icon="content_copy", on_click=copy, color=None)
        labelled(button.props("flat dense no-caps size=sm"), f"Copy the endpoint {endpoint}")
        button.classes("tc-num")

    def refresh(self) -> None:
        text, is_forced = self._trouble()
        replay = self._page_session.replay
        is_past = replay is not None
        self._line.classes(
            remove="past bad warn",
            add="past" if is_past else "" if not text else "bad" if is_forced else "warn",
        )
        self._past.set_visibility(is_past)
        self._told.set_visibility(bool(text) and not is_past)
        self._calm.set_visibility(not text and not is_past)
        self._button.set_visibility(is_forced)
        self._text.set_text(text)
        if replay is not None:
            self._name.set_text(replay.name)
            self._made.show(replay.began_ms)
            running = STATES[self._page_session.view.link.vitals.state]
            trouble = f": {text}" if text else ""
            self._cell.set_text(f"This is the past. The cell itself is {running}{trouble}")

    def _trouble(self) -> tuple[str, bool]:
        """What is wrong with the running cell, if anything, and whether somebody did it."""
        view = self._page_session.view
        vitals = view.link.vitals
        by_hand = {lever.name for lever in view.signals.faults if lever.by_hand}
        acting = {name: value for name, value in view.watcher.faults.items() if name not in by_hand}
        faults = in_words(acting, view.signals)
        if vitals.state is LoopState.FAULT:
            return f"The cell has stopped itself: {vitals.text('fault')}. Reset goes on.", False
        if vitals.state is LoopState.DOWN:
            return "The real-time process is down; it is started again.", False
        if faults:
            named = ", ".join(f"{name} = {value}" for name, value in list(faults.items())[:MANY])
            more = f" and {len(faults) - MANY} more" if len(faults) > MANY else ""
            self._where = "Devices" if len(forced_among(faults)) == len(faults) else "Faults"
            return f"Forced or broken on purpose: {named}{more}", True
        if not view.watcher.is_connected:
            return "The OPC UA server does not answer; commands have to wait.", False
        return "", False
