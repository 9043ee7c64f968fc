"""A controller that goes or falls silent is lost: it is told, and the cell reacts."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from asyncua import Client, ua

from tests.server.opcua.asking import call, change, read_value, write
from tests.server.opcua.in_process import CELLS, InProcess
from twincell.server.opcua.command.arbitration import DEMO_NAME, Control
from twincell.server.opcua.command.supervision import Supervision
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind, Result
from twincell.server.realtime.time_mode import TimeMode
from twincell.server.security.roles import Identity, Role
from twincell.sim.spec.controller import Controller

LOST = "Simulation.ControllerLost"
CLOSED = "Robot1Flange.Closed"
SILENCE_S = 0.3
PATIENCE_S = 60.0  # the machine may be busy with other tests


class Commander:
    """A session, as far as commanding goes."""

    def __init__(self, name: str = "PLC", user: str = "plc", number: int = 1) -> None:
        self.session_id = ua.NodeId(number)
        self.client_name = name
        self.is_closed = False
        self.identity = Identity(user, Role.OPERATOR)
        self.role = Role.OPERATOR
        self.outside_before = 0


class Watched:
    """A control on a clock of our own."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, silence_s: float, when_lost: str) -> None:
        self.now_s = 100.0
        monkeypatch.setattr("twincell.server.opcua.command.supervision.time", self)
        self.link = Link(4, 512)
        self._wanted = Controller.model_validate({"silence_s": silence_s, "when_lost": when_lost})
        self.start()

    def monotonic(self) -> float:
        return self.now_s

    def start(self) -> None:
        """The OPC UA process begins."""
        self.control = Control(self.link, Supervision(self.link, self._wanted, stops=[1, 3]))

    def after(self, seconds: float) -> list[str]:
        """What was lost when so much time has passed."""
        self.now_s += seconds
        self.control.look()
        return [loss.text for loss in self.control.take_lost()]

    def empty_orders(self) -> None:
        """Answer all orders, as a loop would."""
        while self.link.orders.next() is not None:
            self.link.orders.answer(Result.DONE)

    def latched(self, ticks: int = 1) -> list[float]:
        """The commands after some ticks."""
        values = np.zeros(4)
        for _ in range(ticks):
            self.link.commands.latch(values)
        return values.tolist()


@pytest.fixture(params=["nothing", "stop", "pause"])
def when_lost(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch, when_lost: str) -> Watched:
    return Watched(monkeypatch, 2.0, when_lost)


TEXTS = {
    "nothing": "its commands stay",
    "stop": "every robot stops",
    "pause": "the cell is paused",
}


def test_a_silent_controller_is_lost_once_and_the_cell_reacts(
    watched: Watched, when_lost: str
) -> None:
    plc = Commander()
    watched.control.command(plc, [(0, 1.0)])
    assert watched.after(1.9) == []
    watched.control.command(plc, [(0, 0.0)])
    assert watched.after(1.9) == []
    assert not watched.control.is_controller_lost
    text = f"session PLC has written nothing for 2.1 s; {TEXTS[when_lost]}"
    assert watched.after(0.2) == [text]
    assert watched.control.is_controller_lost
    assert watched.after(1000.0) == []
    order = watched.link.orders.next()
    assert (order is not None and order.kind is Kind.PAUSE) == (when_lost == "pause")
    # the first tick has the pulse, the second one its end and what the reaction has set
    assert watched.latched(ticks=2) == ([0, 1, 0, 1] if when_lost == "stop" else [0, 0, 0, 0])


def test_its_next_command_ends_the_loss_and_it_is_watched_again(watched: Watched) -> None:
    plc = Commander()
    watched.control.command(plc, [(0, 1.0)])
    assert len(watched.after(5.0)) == 1
    watched.control.command(plc, [])
    assert not watched.control.is_controller_lost
    assert watched.after(1.0) == []
    assert len(watched.after(1.5)) == 1


def test_a_controller_that_goes_is_lost_at_once_and_not_twice(
    watched: Watched, when_lost: str
) -> None:
    plc = Commander()
    watched.control.command(plc, [(0, 1.0)])
    watched.now_s += 0.5
    watched.control.session_closed(plc.session_id)
    text = f"session PLC commanded the cell and has gone; {TEXTS[when_lost]}"
    assert watched.after(0.0) == [text]
    assert watched.after(10.0) == []
    watched.control.command(plc, [(0, 0.0)])
    assert len(watched.after(3.0)) == 1  # silent
    watched.control.session_closed(plc.session_id)
    assert watched.after(0.0) == []  # its loss was told
    assert watched.control.text == "nobody"


@pytest.mark.parametrize("mode", [TimeMode.HANDSHAKE, TimeMode.LOCK_STEP])
def test_where_time_stands_still_nothing_is_done_to_the_cell(
    watched: Watched, mode: TimeMode
) -> None:
    watched.link.vitals["mode"] = mode
    watched.control.command(Commander(), [(0, 1.0)])
    (text,) = watched.after(2.5)
    assert text.endswith("; simulated time stands still")
    assert watched.link.orders.next() is None
    assert watched.latched() == [1, 0, 0, 0]


def test_a_step_of_the_controller_is_a_sign_of_life_and_that_of_another_is_none(
    watched: Watched,
) -> None:
    plc, other = Commander(), Commander("Panel", "panel", 2)
    watched.control.command(plc, [(0, 1.0)])
    watched.now_s += 1.5
    watched.control.heard(plc)
    assert watched.after(1.5) == []
    watched.control.heard(other)
    assert len(watched.after(1.0)) == 1


def test_the_demo_is_not_watched_and_its_end_stops_nobody(watched: Watched) -> None:
    demo = Commander("demo", DEMO_NAME)
    watched.control.command(demo, [(0, 1.0)])
    assert watched.after(10.0) == []
    watched.control.session_closed(demo.session_id)
    assert watched.after(0.0) == ["demo commanded the cell and has gone; its commands stay"]
    assert not watched.control.is_controller_lost
    assert watched.link.orders.next() is None


def test_a_server_that_was_started_again_waits_for_the_controller_of_the_last(
    watched: Watched,
) -> None:
    watched.control.command(Commander(), [(0, 1.0)])
    watched.now_s += 100.0  # the OPC UA process was killed, and its sessions are gone
    watched.start()
    assert watched.after(1.0) == []
    assert len(watched.after(1.5)) == 1


def test_one_that_is_not_watched_is_lost_with_the_server_that_its_session_was_at(
    monkeypatch: pytest.MonkeyPatch, when_lost: str
) -> None:
    watched = Watched(monkeypatch, 0.0, when_lost)
    watched.control.command(Commander(), [(0, 1.0)])
    watched.start()
    text = f"session PLC commanded the cell and has gone; {TEXTS[when_lost]}"
    assert watched.after(0.0) == [text]
    assert watched.control.is_controller_lost
    watched.start()
    assert watched.after(0.0) == []


@pytest.mark.parametrize("when_lost", ["stop", "pause"])
def test_a_reaction_without_room_is_tried_again_and_told_when_it_is_done(
    watched: Watched, when_lost: str
) -> None:
    watched.control.command(Commander(), [(0, 1.0)])
    while watched.link.commands.put([(0, 1.0)]):
        pass
    while watched.link.orders.post(Kind.RESUME) is not None:
        pass
    assert watched.after(3.0) == [] and watched.after(3.0) == []
    assert watched.control.is_controller_lost
    watched.link.commands.clear()
    watched.empty_orders()
    assert watched.after(0.1) == [f"session PLC has written nothing for 3.0 s; {TEXTS[when_lost]}"]
    order = watched.link.orders.next()
    assert (order is not None and order.kind is Kind.PAUSE) == (when_lost == "pause")
    assert watched.latched() == ([0, 1, 0, 1] if when_lost == "stop" else [0, 0, 0, 0])
    assert watched.after(3.0) == []


@pytest.mark.parametrize("when_lost", ["stop", "pause"])
@pytest.mark.parametrize("another_server", [False, True])
def test_a_controller_lost_in_handshake_is_reacted_to_when_free_run_comes(
    watched: Watched, when_lost: str, another_server: bool
) -> None:
    watched.link.vitals["mode"] = TimeMode.HANDSHAKE
    watched.control.command(Commander(), [(0, 1.0)])
    assert len(watched.after(2.5)) == 1
    if another_server:
        watched.start()
    assert watched.after(2.5) == []
    watched.link.vitals["mode"] = TimeMode.FREE_RUN
    (text,) = watched.after(0.1)
    assert text.endswith(TEXTS[when_lost])
    order = watched.link.orders.next()
    assert (order is not None and order.kind is Kind.PAUSE) == (when_lost == "pause")
    assert watched.latched() == ([1, 1, 0, 1] if when_lost == "stop" else [1, 0, 0, 0])
    assert watched.after(3.0) == []


def test_a_controller_that_is_back_before_free_run_is_left_alone(watched: Watched) -> None:
    plc = Commander()
    watched.link.vitals["mode"] = TimeMode.HANDSHAKE
    watched.control.command(plc, [(0, 1.0)])
    assert len(watched.after(2.5)) == 1
    watched.control.command(plc, [(0, 1.0)])
    watched.link.vitals["mode"] = TimeMode.FREE_RUN
    assert watched.after(0.1) == []
    assert watched.link.orders.next() is None
    assert watched.latched() == [1, 0, 0, 0]


def test_nobody_is_lost_before_anybody_has_commanded(watched: Watched) -> None:
    assert watched.after(1000.0) == []


def test_without_a_time_nobody_is_silent_for_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(monkeypatch, 0.0, "nothing")
    watched.control.command(Commander(), [(0, 1.0)])
    assert watched.after(1e6) == []


# ---------------------------------------------------------------- through real clients


@pytest_asyncio.fixture(params=["stop", "pause"])
async def supervised(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[InProcess]:
    """The cell of the tool change, with a controller that is watched."""
    text = (CELLS / "tool_change_multi.toml").read_text(encoding="utf-8")
    text = text.replace('"../robots', f'"{CELLS.parent / "robots"}')
    keys = f'\n[controller]\nsilence_s = {SILENCE_S}\nwhen_lost = "{request.param}"\n'
    file = tmp_path / "watched.toml"
    file.write_text(text + keys, encoding="utf-8")
    async with InProcess(file) as cell:
        cell.runs = True
        yield cell


class Listener:
    def __init__(self) -> None:
        self.events: list[object] = []

    def event_notification(self, event: object) -> None:
        self.events.append(event)


async def wait_for(client: Client, name: str, value: object) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while await read_value(client, name) != value:
            await asyncio.sleep(0.01)


async def come_back(plc: Client, panel: Client) -> None:
    """Command until the loss is over; on a busy machine the silence may be too long again."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            await write(plc, change(CLOSED, False))
            if await read_value(panel, LOST) is False:
                return


async def test_a_silent_client_is_told_and_the_cell_reacts(supervised: InProcess) -> None:
    panel, plc = await supervised.client("Panel"), await supervised.client("PLC")
    listener = Listener()
    subscription = await panel.create_subscription(10, listener)
    event_type = panel.get_node(ua.NodeId("ControllerLostEventType", 2))
    await subscription.subscribe_events(panel.get_node(supervised.id("Cell")), event_type)
    assert await read_value(panel, LOST) is False
    await write(plc, change(CLOSED, True))
    await wait_for(panel, LOST, True)
    reaction = supervised.server._spec.controller.when_lost
    if reaction == "stop":
        await wait_for(panel, "Robot1.Stop", True)
        await wait_for(panel, "Robot2.Stop", True)
    else:
        await wait_for(panel, "Simulation.State", "Paused")
    async with asyncio.timeout(PATIENCE_S):
        while not listener.events:
            await asyncio.sleep(0.01)
    (event,) = listener.events
    assert event.Controller == "session PLC Session1"  # type: ignore[attr-defined]
    assert event.Reaction == reaction  # type: ignore[attr-defined]
    assert event.SilentFor >= SILENCE_S  # type: ignore[attr-defined]
    assert "has written nothing for" in event.Message.Text  # type: ignore[attr-defined]
    # it comes back: the loss is over, and what was done stays until somebody undoes it
    await come_back(plc, panel)
    if reaction == "stop":
        assert await read_value(panel, "Robot1.Stop") is True
    await subscription.delete()


async def test_in_handshake_a_lost_controller_goes_on_as_if_nothing_had_been(
    supervised: InProcess,
) -> None:
    supervised.runs = False
    panel, plc = await supervised.client("Panel"), await supervised.client("PLC")
    await call(panel, "Simulation.SetTimeMode", "Handshake", 5.0)
    tick = supervised.newest_tick
    counter = change("Simulation.CycleCounter", 1, ua.VariantType.UInt32)
    await write(plc, counter, change(CLOSED, True))
    await wait_for(panel, LOST, True)
    assert supervised.newest_tick == tick + 5
    assert await read_value(panel, "Robot1.Stop") is False
    assert await read_value(panel, "Simulation.State") == "Running"
    await write(plc, change("Simulation.CycleCounter", 2, ua.VariantType.UInt32))
    await wait_for(panel, "Simulation.CycleEcho", 2)
    assert supervised.newest_tick == tick + 10
    assert await read_value(panel, "Robot1.Stop") is False
    await come_back(plc, panel)
