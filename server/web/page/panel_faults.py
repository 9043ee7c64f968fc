"""Faults: what is broken on purpose now, levers in the cell, faults on the way to clients.

A lever breaks something in the cell, with all that follows from it. Who only wants a controller to
see another value forces the signal (forces.py); that is listed here too.
"""

from itertools import groupby
from typing import Any

from nicegui import ui

from twincell.server.client import faults
from twincell.server.client.faults import KINDS, ProtocolFault
from twincell.server.web.data.fault_words import in_words
from twincell.server.web.page.page_session import PageSession, group, labelled
from twincell.sim.devices import modules
from twincell.sim.devices.contract import plain_name
from twincell.sim.signals import Kind, Signal


class FaultsPanel:
    """Break something, see it, repair it."""

    def __init__(self, page_session: PageSession) -> None:
        self._page_session = page_session
        self._levers: dict[Signal, Any] = {}
        self._groups: dict[str, ui.element] = {}
        self._shown: dict[str, str] | None = None
        with ui.element("div").classes("tc-panel"):
            self._active = group("Active faults")
            self._add_levers()
            self._add_protocol()
        page_session.show_selected(self._groups)

    # ------------------------------------------------------------ what is broken now

    def _list_active(self, active: dict[str, str]) -> None:
        self._active.classes(**{"add" if active else "remove": "tc-forced"})
        self._active.clear()
        with self._active:
            with ui.element("div").classes("head"):
                ui.label("Broken or forced now").classes("tc-grow")
                if active:
                    ui.button("Clear all", icon="healing", on_click=self._clear_all).props(
                        "flat dense"
                    )
            if not active:
                with ui.element("div").classes("line"):
                    ui.label("Nothing is broken or forced.").classes("tc-dim")
            for name, value in active.items():
                with ui.element("div").classes("line").props('data-testid="active-fault"'):
                    ui.label(name).classes("name tc-grow")
                    ui.label(value).classes("tc-value")
                    button = ui.button(icon="close", on_click=lambda name=name: self._clear(name))
                    labelled(button.props("flat dense round size=sm"), f"Clear {name}")

    async def _clear(self, name: str) -> None:
        await self._page_session.do(lambda session: faults.clear(session, name))

    async def _clear_all(self) -> None:
        await self._page_session.do(faults.clear_all)

    # ------------------------------------------------------------ levers

    def _add_levers(self) -> None:
        levers = self._page_session.view.signals.faults
        for name, signals in groupby(levers, lambda signal: signal.name.partition(".")[0]):
            with group(f"Levers of {name}") as part:
                self._groups[name] = part
                with ui.element("div").classes("head"):
                    ui.label(name)
                for signal in signals:
                    with ui.element("div").classes("line"):
                        with ui.element("div").classes("tc-grow"):
                            ui.label(signal.name.rpartition(".")[2]).classes("name")
                            about = signal.description.partition(": 0 none")[0]
                            ui.label(about).classes("about")
                        self._levers[signal] = self._lever(signal)
        if not levers:
            some = ", ".join(f"{plain_name(device)}s" for device in modules("signals"))
            text = f"Nothing in this cell has fault levers; devices have some: {some}."
            ui.label(text).classes("tc-empty")

    def _lever(self, signal: Signal) -> ui.element:
        async def move() -> None:
            value, row = lever.value or 0, self._page_session.row
            if row is not None and value == row[signal.column]:
                return  # it shows what is there already
            text = f"{value:g}" if signal.kind is Kind.DOUBLE else str(int(value))
            await self._page_session.do(
                lambda session: faults.move_lever(session, signal.name, text)
            )
            self.refresh()

        lever: Any
        if signal.kind is Kind.BOOLEAN:
            lever = ui.switch(on_change=move).props("dense color=negative")
        elif signal.texts:
            lever = ui.select(dict(enumerate(signal.texts)), value=0, on_change=move)
            lever.props("outlined dense options-dense").style("width: 9rem")
        else:
            lever = ui.number(value=0, suffix=signal.unit or None)
            lever.props("outlined dense step=any hide-bottom-space").style("width: 7.5rem")
            lever.on("keydown.enter", move)
            button = ui.button(icon="bolt", on_click=move)
            button.props("flat dense round size=sm color=negative")
            labelled(button, f"Inject {signal.name}")
        labelled(lever, signal.name)
        return lever

    # ------------------------------------------------------------ faults on the way to clients

    def _add_protocol(self) -> None:
        with group("Faults on the way to clients"):
            with ui.element("div").classes("head"):
                ui.label("On the way to clients")
            with ui.element("div").classes("line").style("flex-wrap: wrap"):
                kind = ui.select(list(KINDS), value="delay", label="Kind").props("outlined dense")
                kind.style("width: 7rem")
                target = ui.input("Signals", placeholder="Tool1.* or session PLC*")
                target.props("outlined dense").classes("tc-grow")
                amount = ui.number("ms, or share", value=50).props("outlined dense")
                amount.style("width: 8rem")
                seconds = ui.number("For s, 0: ever", value=5).props("outlined dense")
                seconds.style("width: 8rem")

                async def inject() -> None:
                    fault = ProtocolFault(
                        str(kind.value),
                        str(target.value or "").strip(),
                        float(amount.value or 0),
                        float(seconds.value or 0),
                    )
                    await self._page_session.do(lambda session: faults.inject(session, fault))

                begin = ui.button("Inject", icon="bolt", on_click=inject)
                begin.props("unelevated dense color=negative")

    def refresh(self) -> None:
        active = in_words(self._page_session.view.watcher.faults, self._page_session.view.signals)
        if active != self._shown:
            self._shown = dict(active)
            self._list_active(active)
        row = self._page_session.row
        if row is None:
            return
        for signal, lever in self._levers.items():
            value: Any = signal.value(row[signal.column])
            if lever.value != value and not isinstance(lever, ui.number):
                lever.set_value(value)
