"""The head of the page: which cell, how it is, who commands, who looks; and the red banner."""

from collections.abc import Callable

from nicegui import ui

from server.realtime.vitals import LoopState
from server.security.roles import Role
from server.web.fault_words import in_words
from server.web.forces import forced_among
from server.web.sight import Sight

STATES = {
    LoopState.DOWN: "down",
    LoopState.RUNNING: "running",
    LoopState.PAUSED: "paused",
    LoopState.FAULT: "stopped by a fault",
}
MANY = 3  # faults that the banner names


class Head:
    """One line that says it all."""

    def __init__(self, sight: Sight, widen: Callable[[], None]) -> None:
        self._sight = sight
        with ui.element("header").classes("tc-head"):
            ui.label("twincell").classes("tc-brand")
            ui.label(sight.view.spec.name).classes("tc-cell").props('role="heading" aria-level="1"')
            with ui.element("span").classes("tc-chip") as self._chip:
                ui.element("span").classes("dot")
                self._state = ui.label().props('role="status" data-testid="state"')
            with ui.element("span").classes("tc-chip"):
                ui.label("t =")
                self._time = ui.label().classes("tc-num").props('data-testid="time"')
            with ui.element("span").classes("tc-chip"):
                ui.icon("sports_esports")
                self._control = ui.label()
            ui.element("span").classes("tc-grow")
            self._buttons(widen)
            self._user()

    def _buttons(self, widen: Callable[[], None]) -> None:
        dark = ui.dark_mode(None)

        def turn() -> None:
            dark.set_value(not dark.value if dark.value is not None else True)

        with ui.button(icon="width_wide", on_click=widen).props(
            'flat round dense aria-label="Wider panels"'
        ):
            ui.tooltip("Wider panels")
        with ui.button(icon="dark_mode", on_click=turn).props(
            'flat round dense aria-label="Light or dark"'
        ):
            ui.tooltip("Light or dark")

    def _user(self) -> None:
        visitor = self._sight.visitor
        if visitor.name:
            role = Role(visitor.identity.role).name.lower()
            ui.label(f"{visitor.name}, {role}").classes("tc-dim")
            with ui.element("form").props('method="post" action="/logout"'):
                ui.button("Log out").props("flat dense type=submit")
        elif visitor.may(Role.ENGINEER):
            with ui.label("lab mode").classes("tc-chip"):
                ui.tooltip("Everybody may do everything")
        else:
            ui.button("Log in", icon="login", on_click=lambda: ui.navigate.to("/login")).props(
                "unelevated dense padding='4px 12px'"
            )

    def refresh(self) -> None:
        vitals = self._sight.view.link.vitals
        state = vitals.state
        speed = f" at {vitals.speed:g} ×" if vitals.speed not in (0.0, 1.0) else ""
        self._state.set_text(STATES[state] + (speed if state is LoopState.RUNNING else ""))
        self._chip.classes(remove=" ".join(one.name.lower() for one in LoopState))
        self._chip.classes(state.name.lower())
        self._time.set_text(f"{self._sight.view.link.ring.time_s:.2f} s")
        self._control.set_text(vitals.text("control") or "nobody")


class Banner:
    """Red while anything is forced or broken on purpose, or the cell has stopped."""

    def __init__(self, sight: Sight, show: Callable[[str], object]) -> None:
        self._sight = sight
        self._where = "Faults"  # the panel that lists them
        with ui.element("div").classes("tc-banner").props('role="alert"') as self._banner:
            ui.icon("warning")
            self._text = ui.label().classes("tc-grow").props('data-testid="banner"')
            self._button = ui.button("Show", on_click=lambda: show(self._where), color=None)
            self._button.props("outline dense")
        self._banner.set_visibility(False)

    def refresh(self) -> None:
        view = self._sight.view
        vitals, faults = view.link.vitals, in_words(view.watcher.faults, view.signals)
        text, is_forced = "", False
        if vitals.state is LoopState.FAULT:
            text = f"The cell has stopped itself: {vitals.text('fault')}. Reset goes on."
        elif vitals.state is LoopState.DOWN:
            text = "The real-time process is down; it is started again."
        elif faults:
            named = ", ".join(f"{name} = {value}" for name, value in list(faults.items())[:MANY])
            more = f" and {len(faults) - MANY} more" if len(faults) > MANY else ""
            text, is_forced = f"Forced or broken on purpose: {named}{more}", True
            self._where = "Commands" if len(forced_among(faults)) == len(faults) else "Faults"
        elif not view.watcher.is_connected:
            text = "The OPC UA server does not answer; commands have to wait."
        self._banner.set_visibility(bool(text))
        self._banner.classes(**{"remove" if is_forced else "add": "warn"})
        self._button.set_visibility(is_forced)
        self._text.set_text(text)
