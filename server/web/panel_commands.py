"""Commands: a switch for each Boolean, a field for each number, moves of robots, the force list."""

from collections.abc import Callable, Iterable
from itertools import groupby

from nicegui import ui
from nicegui.events import GenericEventArguments

from server.realtime.ring import Floats
from server.security.roles import Role
from server.web.forces import ForceDialog, ForceList
from server.web.panel_moves import RobotMoves, StopButton
from server.web.sight import Sight, group, labelled
from sim.signals import Kind, Signal

MANY = 8  # commands of one object that are not folded away


class CommandsPanel:
    """What a controller can tell the cell."""

    def __init__(self, sight: Sight, force: ForceDialog, choose: Callable[[], object]) -> None:
        self._sight = sight
        self._force = force
        self._switches: dict[Signal, ui.switch] = {}
        self._values: dict[Signal, ui.label] = {}
        self._groups: dict[str, ui.element] = {}
        with ui.element("div").classes("tc-panel"):
            self._head()
            self._forces = ForceList(sight, choose)
            commands = sight.view.signals.commands
            for name, signals in groupby(commands, lambda signal: signal.name.partition(".")[0]):
                self._group(name, list(signals))
            if not commands:
                ui.label("This cell takes no commands.").classes("tc-empty")
        sight.show_selected(self._groups)

    def _head(self) -> None:
        with ui.element("div").classes("tc-row"):
            ui.icon("sports_esports").classes("tc-dim")
            ui.label("Control").classes("tc-title")
            self._control = ui.label().classes("tc-grow").props('data-testid="control"')

    def _group(self, name: str, signals: list[Signal]) -> None:
        with group(name) as part:
            self._groups[name] = part
            with ui.element("div").classes("head"):
                ui.label(name).classes("tc-grow")
                is_robot = name in self._sight.view.spec.robot
                if is_robot:
                    labelled(StopButton(self._sight, lambda: name).button, f"Stop {name}")
                button = ui.button(
                    icon="center_focus_strong", on_click=lambda: self._sight.select(name)
                )
                labelled(button.props("flat dense round size=sm"), f"Select {name}")
            if is_robot:
                RobotMoves(self._sight, name)
            self._lines(signal for signal in signals if signal.kind is Kind.BOOLEAN)
            numbers = [signal for signal in signals if signal.kind is not Kind.BOOLEAN]
            if len(numbers) > MANY:
                folded = ui.expansion(f"{len(numbers)} set points").props("dense")
                with folded, ui.element("div").classes("tc-group").style("border: 0"):
                    self._lines(numbers)
            else:
                self._lines(numbers)

    def _lines(self, signals: Iterable[Signal]) -> None:
        for signal in signals:
            with ui.element("div").classes("line"):
                with ui.element("div").classes("tc-grow"):
                    ui.label(signal.name.partition(".")[2]).classes("name")
                    ui.label(signal.description).classes("about")
                if signal.kind is Kind.BOOLEAN:
                    self._switch(signal)
                else:
                    self._number(signal)
                pin = ui.button(
                    icon="push_pin", on_click=lambda name=signal.name: self._force.open(name)
                )
                labelled(pin.props("flat dense round size=sm color=grey"), f"Force {signal.name}")

    def _switch(self, signal: Signal) -> None:
        switch = labelled(ui.switch().props("dense"), signal.name)

        async def flip(event: GenericEventArguments) -> None:
            wanted = bool(event.args)
            hand = self._sight.visitor.hand
            if not await self._sight.act(Role.OPERATOR, lambda: hand.write(signal, wanted)):
                switch.set_value(not wanted)

        # what the browser sends; what the row shows is set without a command
        switch.on("update:model-value", flip, [None])  # the value, without the click behind it
        self._switches[signal] = switch

    def _number(self, signal: Signal) -> None:
        self._values[signal] = ui.label().classes("tc-value tc-dim")
        step = "any" if signal.kind is Kind.DOUBLE else "1"
        field = labelled(ui.number(suffix=signal.unit or None), signal.name)
        field.props(f"outlined dense step={step} hide-bottom-space")
        field.style("width: 8.5rem")

        async def send() -> None:
            if field.value is not None:
                value = field.value
                hand = self._sight.visitor.hand
                await self._sight.act(Role.OPERATOR, lambda: hand.write(signal, value))

        field.on("keydown.enter", send)
        button = ui.button(icon="send", on_click=send).props("flat dense round size=sm")
        labelled(button, f"Send {signal.name}")

    def refresh(self) -> None:
        """Show what the newest tick latched."""
        self._control.set_text(self._sight.view.link.vitals.text("control") or "nobody")
        self._forces.refresh()
        row = self._sight.row
        if row is not None:
            self._show(row)

    def _show(self, row: Floats) -> None:
        for signal, switch in self._switches.items():
            switch.set_value(bool(row[signal.column]))
        for signal, label in self._values.items():
            label.set_text(f"{row[signal.column]:.6g}")
