"""Forced signals on the page: the force list, and the dialog in which a value is chosen.

As in the force table of a PLC: who forces a signal sees it in a list that everybody sees, under a
red banner, until it is released.
"""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from twincell.server.client import faults
from twincell.server.client.faults import FORCE
from twincell.server.report.signal_text import value_text
from twincell.server.web.page.page_session import PageSession, group, labelled
from twincell.sim.signals import WHOLE, Direction, Kind, Signal

OF_COMMAND = "The cell gets this value, whoever writes the command."
OF_FEEDBACK = "All clients get this value. The cell knows nothing of it."


def forced_among(active: dict[str, str]) -> dict[str, str]:
    """Forced signals and their values, of all faults that act."""
    return {
        name.removeprefix(FORCE): value for name, value in active.items() if name.startswith(FORCE)
    }


class ForceDialog:
    """Asks for the value of a signal, and forces it."""

    def __init__(self, page_session: PageSession) -> None:
        self._page_session = page_session
        self._signal: Signal | None = None
        with ui.dialog() as self._dialog, ui.element("div").classes("tc-dialog"):
            self._title = ui.label().classes("title").props('role="heading" aria-level="2"')
            self._about = ui.label().classes("tc-dim")
            self._now = ui.label().classes("tc-value")
            self._switch = ui.toggle({False: "false", True: "true"}, value=True)
            labelled(self._switch.props("no-caps unelevated"), "Forced value")
            self._number = ui.number("Value", value=0).props("outlined dense step=any autofocus")
            labelled(self._number, "Forced value").on("keydown.enter", self._force)
            self._seconds = ui.number("For s, 0: until released", value=0, min=0)
            self._seconds.props("outlined dense step=any")
            with ui.element("div").classes("tc-row"):
                ui.element("span").classes("tc-grow")
                self._release = ui.button("Release", on_click=self._let_go).props("outline dense")
                ui.button("Cancel", on_click=self._dialog.close).props("flat dense")
                force = ui.button("Force", icon="push_pin", on_click=self._force)
                force.props("unelevated dense color=negative")

    def open(self, name: str) -> None:
        """Ask for the value of a signal."""
        signal = self._page_session.view.signals.by_name.get(name)
        if signal is None or signal.kind is Kind.STRING or signal.direction is Direction.FAULT:
            return
        self._signal = signal
        row = self._page_session.row
        value = float(row[signal.column]) if row is not None else 0.0
        is_switch = signal.kind is Kind.BOOLEAN
        self._title.set_text(f"Force {name}")
        is_command = signal.direction is Direction.COMMAND
        self._about.set_text(OF_COMMAND if is_command else OF_FEEDBACK)
        self._now.set_text(f"in the cell: {value_text(signal, value)}")
        self._switch.set_visibility(is_switch)
        self._number.set_visibility(not is_switch)
        if is_switch:
            self._switch.set_value(not value)
        else:
            self._number.set_value(value if signal.kind in WHOLE else float(f"{value:.6g}"))
            self._number.props["suffix"] = signal.unit
        self._seconds.set_value(0)
        self._release.set_visibility(name in forced_among(self._page_session.view.watcher.faults))
        self._dialog.open()

    async def _force(self) -> None:
        signal = self._signal
        if signal is None:
            return
        if signal.kind is not Kind.BOOLEAN and self._number.value is None:
            self._page_session.tell("no value is given", "enter the number to force")
            return
        if signal.kind is Kind.BOOLEAN:
            text = str(bool(self._switch.value)).lower()
        else:
            text = repr(float(self._number.value))
            text = text.removesuffix(".0") if signal.kind in WHOLE else text
        seconds = float(self._seconds.value or 0.0)
        if await self._page_session.do(lambda one: faults.force(one, signal.name, text, seconds)):
            self._dialog.close()

    async def _let_go(self) -> None:
        if self._signal is not None:
            name = f"{FORCE}{self._signal.name}"
            if await self._page_session.do(lambda one: faults.clear(one, name)):
                self._dialog.close()


class ForceList:
    """What is forced now, by whomever, and what it would be."""

    def __init__(self, page_session: PageSession, choose: Callable[[], object]) -> None:
        self._page_session = page_session
        self._choose = choose
        self._shown: dict[str, str] | None = None
        self._cell: dict[Signal, ui.label] = {}
        self._group = group("Force list")

    def refresh(self) -> None:
        forced = forced_among(self._page_session.view.watcher.faults)
        if forced != self._shown:
            self._shown = forced
            self._list(forced)
        row = self._page_session.row
        if row is not None:
            for signal, label in self._cell.items():
                label.set_text(f"in the cell {value_text(signal, row[signal.column])}")

    def _list(self, forced: dict[str, str]) -> None:
        self._cell.clear()
        self._group.classes(**{"add" if forced else "remove": "tc-forced"})
        self._group.clear()
        with self._group:
            with ui.element("div").classes("head"):
                ui.label("Force list").classes("tc-grow")
                add = ui.button("Force a signal", icon="push_pin", on_click=self._choose)
                add.props("flat dense")
                if forced:
                    release = ui.button("Release all", icon="lock_open", on_click=self._let_all_go)
                    release.props("flat dense")
            if not forced:
                with ui.element("div").classes("line"):
                    ui.label("Nothing is forced.").classes("tc-dim")
            for name, value in forced.items():
                self._line(name, value)

    def _line(self, name: str, value: str) -> None:
        with ui.element("div").classes("line").props('data-testid="forced"'):
            with ui.element("div").classes("tc-grow"):
                ui.label(name).classes("name")
                signal = self._page_session.view.signals.by_name.get(name)
                if signal is not None and signal.direction is not Direction.COMMAND:
                    self._cell[signal] = ui.label().classes("about")
            ui.label(value).classes("tc-value")
            button = ui.button(icon="close", on_click=partial(self._let_go, name))
            labelled(button.props("flat dense round size=sm"), f"Release {name}")

    async def _let_go(self, name: str) -> None:
        await self._page_session.do(lambda session: faults.clear(session, f"{FORCE}{name}"))

    async def _let_all_go(self) -> None:
        names = list(self._shown or ())
        for name in names:  # one that has ended meanwhile keeps no other
            await self._let_go(name)
