"""Devices: a faceplate for each, with its commands, its feedback, its state and its faults.

A switch for each Boolean command, a list for each choice, a field for each number; a button for
what a person does at the device; moves of robots; the force list.
"""

import time
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, NamedTuple

from nicegui import ui
from nicegui.elements.mixins.value_element import ValueElement
from nicegui.events import GenericEventArguments

from twincell.server.realtime.shared.ring import Floats
from twincell.server.security.roles import Role
from twincell.server.web.data.signal_list import described
from twincell.server.web.page.elements import DeviceFeedback
from twincell.server.web.page.forces import ForceDialog, ForceList, forced_among
from twincell.server.web.page.hand_button import HandButton
from twincell.server.web.page.page_session import PageSession, group, labelled
from twincell.server.web.page.panel_moves import RobotMoves, StopButtons
from twincell.sim.signals import Direction, Kind, Signal, SignalTable

MANY = 8  # numbers of one device that are not folded away
SEEN_S = 2.0  # in which a press follows on the movement of its switch; chosen
SETTLE_S = 0.5  # after which a switch shows what the cell has, whatever was pressed; chosen
IN_OTHER_WORDS = ("StateCode", "FaultCode")  # State and FaultText say the same


class Device(NamedTuple):
    """Something that a controller commands, or that can be broken."""

    name: str
    commands: list[Signal]
    feedback: list[Signal]
    levers: list[Signal]


def devices_of(signals: SignalTable) -> list[Device]:
    """The devices of a cell; forces, poses and joints are for the signals' own panel."""
    found: dict[str, Device] = {}
    for signal in signals.latched:
        name = signal.name.partition(".")[0]
        device = found.setdefault(name, Device(name, [], [], []))
        is_command = signal.direction is Direction.COMMAND
        (device.commands if is_command else device.levers).append(signal)
    for signal in signals:
        name, _, quantity = signal.name.partition(".")
        is_shown = quantity == "Truth.Tool" or "." not in quantity
        is_feedback = signal.direction is Direction.FEEDBACK
        if name in found and is_feedback and is_shown and quantity not in IN_OTHER_WORDS:
            found[name].feedback.append(signal)
    return list(found.values())


class Presses:
    """Switches that were pressed: until the cell has latched it, rows show what was before."""

    def __init__(self) -> None:
        self._until_s: dict[Signal, float] = {}

    def see(self, signal: Signal, now_s: float) -> None:
        """A switch has moved in the browser; what it wants comes with the next message."""
        self._until_s.setdefault(signal, now_s + SEEN_S)

    def begin(self, signal: Signal) -> None:
        """A press is on its way to the cell."""
        self._until_s[signal] = float("inf")

    def end(self, signal: Signal, now_s: float) -> None:
        """It has arrived; from the cell it comes back soon."""
        self._until_s[signal] = now_s + SETTLE_S

    def hides(self, signal: Signal, is_as_pressed: bool, now_s: float) -> bool:
        """Whether what a row says is not to be shown yet."""
        if is_as_pressed or now_s > self._until_s.get(signal, -1.0):
            if self._until_s.get(signal) != float("inf"):
                self._until_s.pop(signal, None)
            return False
        return True


class DevicesPanel:
    """What a controller tells the cell, and what it hears."""

    def __init__(
        self, page_session: PageSession, force: ForceDialog, choose: Callable[[], object]
    ) -> None:
        self._page_session = page_session
        self._force = force
        self._switches: dict[Signal, ui.switch] = {}
        self._presses = Presses()
        self._is_showing = False  # a switch or list is moved from here, by nobody's hand
        self._choices: dict[Signal, ui.select] = {}
        self._values: dict[Signal, ui.label] = {}
        self._groups: dict[str, ui.element] = {}
        self._feedback: list[DeviceFeedback] = []
        self._stops: list[StopButtons] = []
        with ui.element("div").classes("tc-panel"):
            self._forces = ForceList(page_session, choose)
            devices = devices_of(page_session.view.signals)
            for device in devices:
                self._faceplate(device)
            if not devices:
                ui.label("This cell takes no commands.").classes("tc-empty")
        page_session.show_selected(self._groups)

    def _faceplate(self, device: Device) -> None:
        name = device.name
        with group(name) as part:
            self._groups[name] = part
            with ui.element("div").classes("head"):
                ui.label(name).classes("tc-grow")
                is_robot = name in self._page_session.view.spec.robot
                if is_robot:
                    stop = StopButtons(self._page_session, lambda: name)
                    self._stops.append(stop)
                button = ui.button(
                    icon="center_focus_strong", on_click=lambda: self._page_session.select(name)
                )
                labelled(button.props("flat dense round size=sm"), f"Select {name}")
            broken = [lever for lever in device.levers if not lever.by_hand]
            if device.feedback or broken:
                self._feedback.append(DeviceFeedback(described(device.feedback), described(broken)))
            for lever in device.levers:
                if lever.by_hand:
                    HandButton(self._page_session, lever)
            if is_robot:
                RobotMoves(self._page_session, name)
            self._commands(device, is_robot)

    def _commands(self, device: Device, is_robot: bool) -> None:
        """Lines for the commands; the stop of a robot is the button in its head."""
        commands = [one for one in device.commands if not (is_robot and is_stop(one))]
        self._lines(one for one in commands if one.kind is Kind.BOOLEAN)
        numbers = [one for one in commands if one.kind is not Kind.BOOLEAN]
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
                elif signal.texts:
                    self._choice(signal)
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
            if not await self._write(signal, wanted):
                self._set(switch, not wanted)

        self._listen(switch, signal, flip)
        self._switches[signal] = switch

    def _choice(self, signal: Signal) -> None:
        choice = ui.select(dict(enumerate(signal.texts)), value=0)
        choice.props("outlined dense options-dense").style("width: 8.5rem")

        async def choose(event: GenericEventArguments) -> None:
            await self._write(signal, int(event.args["value"]))  # the place of the text

        self._listen(choice, signal, choose)
        self._choices[signal] = labelled(choice, signal.name)

    def _listen(
        self,
        element: ValueElement[Any],
        signal: Signal,
        act: Callable[[GenericEventArguments], Awaitable[None]],
    ) -> None:
        """Act on what the browser sends; what the row shows is set without a command."""

        def see() -> None:
            if not self._is_showing:
                self._presses.see(signal, time.monotonic())

        element.on_value_change(see)
        element.on("update:model-value", act, [None])  # the value, without the click behind it

    async def _write(self, signal: Signal, wanted: bool | int) -> bool:
        """Send a command, and show it as pressed meanwhile; whether it was taken."""
        user_session = self._page_session.visitor.user_session
        self._presses.begin(signal)
        is_done = await self._page_session.act(
            Role.OPERATOR, lambda: user_session.write(signal, wanted)
        )
        self._presses.end(signal, time.monotonic())
        return is_done

    def _set(self, element: ValueElement[Any], value: bool | int) -> None:
        self._is_showing = True
        element.set_value(value)
        self._is_showing = False

    def _number(self, signal: Signal) -> None:
        self._values[signal] = ui.label().classes("tc-value tc-dim")
        step = "any" if signal.kind is Kind.DOUBLE else "1"
        field = labelled(ui.number(suffix=signal.unit or None), signal.name)
        field.props(f"outlined dense step={step} hide-bottom-space")
        field.style("width: 8.5rem")

        async def send() -> None:
            if field.value is not None:
                value = field.value
                user_session = self._page_session.visitor.user_session
                await self._page_session.act(
                    Role.OPERATOR, lambda: user_session.write(signal, value)
                )

        field.on("keydown.enter", send)
        button = ui.button(icon="send", on_click=send).props("flat dense round size=sm")
        labelled(button, f"Send {signal.name}")

    def refresh(self) -> None:
        """Show what the newest tick latched."""
        self._forces.refresh()
        forced = forced_among(self._page_session.view.watcher.faults)
        for feedback in self._feedback:
            feedback.show_forced(forced)
        row = self._page_session.row
        if row is not None:
            self._show(row)

    def _show(self, row: Floats) -> None:
        now_s = time.monotonic()
        for signal, switch in self._switches.items():
            value = bool(row[signal.column])
            if not self._presses.hides(signal, value == switch.value, now_s):
                self._set(switch, value)
        for signal, choice in self._choices.items():
            code = int(row[signal.column])
            is_as_chosen = code == choice.value
            if code in choice.options and not self._presses.hides(signal, is_as_chosen, now_s):
                self._set(choice, code)
        for signal, label in self._values.items():
            label.set_text(f"{row[signal.column]:.6g}")
        for stop in self._stops:
            stop.refresh(row)


def is_stop(signal: Signal) -> bool:
    """Whether a command of a robot is the one that its stop button sets."""
    return signal.name.partition(".")[2] == "Stop"
