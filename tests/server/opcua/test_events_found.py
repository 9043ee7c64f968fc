"""Events: what is found in the rows, in which tick, with which fields."""

import math

import numpy as np
import pytest
from asyncua import ua

from tests.server.opcua.in_process import CELLS
from twincell.server.opcua.command.arbitration import Control
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.space.namespaces import cell_id, type_id
from twincell.server.opcua.subscription.cell_event import CellEvent
from twincell.server.opcua.subscription.events import EventScanner
from twincell.server.opcua.wire.wire_time import to_datetime
from twincell.server.realtime.shared.link import Link
from twincell.server.security.roles import Identity, Role
from twincell.sim.build import compile_cell
from twincell.sim.signals import Direction, SignalTable
from twincell.sim.spec import load_cell

SPEC = load_cell(CELLS / "tool_change_multi.toml")
SIGNALS = compile_cell(SPEC).signals
HOLDERS = list(SPEC.collision_object)


class Types(dict[str, ua.NodeId]):
    def __missing__(self, name: str) -> ua.NodeId:
        return type_id(name)


class Space:
    """Just enough of an address space."""

    def __init__(self) -> None:
        self.nodes = {"Tool1": cell_id("Tool1"), "Robot1": cell_id("Robot1")}
        self.event_types = Types()

    def node_id(self, name: str) -> ua.NodeId:
        return cell_id(name)


class Session:
    session_id = ua.NodeId(1)
    connection = None
    client_name = "PLC"
    is_closed = False
    identity = Identity("plc", Role.OPERATOR)
    role = Role.OPERATOR
    outside_before = 0


class Story:
    """Rows as a test wants them."""

    def __init__(self) -> None:
        self.link = Link(len(SIGNALS), 1024)
        self.control = Control(self.link)
        self.scanner = self.new_scanner()
        self.tick = 0
        self.values = np.zeros(len(SIGNALS))

    def new_scanner(self) -> EventScanner:
        self.faults = ProtocolFaults(self.link, (), SIGNALS, 0.001)
        return EventScanner(self.link, SIGNALS, Space(), self.control, self.faults)

    def row(self, late_ns: int = 0, **changes: float | str) -> None:
        """A row of the next tick; `Tool1_Partner="Holder1"` changes a signal."""
        for name, value in changes.items():
            code = HOLDERS.index(value) + 1 if isinstance(value, str) and value else value or 0.0
            self.values[SIGNALS[name.replace("_", ".")].column] = code
        self.link.ring.next_row()[0] = self.values
        self.link.ring.append(self.tick, self.tick * 0.001, self.stamp(self.tick), late_ns)
        self.tick += 1

    @staticmethod
    def stamp(tick: int) -> int:
        return 134_000_000_000_000_000 + tick * 10_000

    def scan(self) -> list[CellEvent]:
        return self.scanner.scan()


def facts(event: CellEvent, *names: str) -> tuple[object, ...]:
    return tuple(event.fields[name].Value for name in names)


@pytest.fixture
def story() -> Story:
    return Story()


def test_a_tool_that_is_caught_is_attached(story: Story) -> None:
    story.row()
    story.row()
    story.row(Tool1_Partner="Robot1Flange", Tool1_Force_Z=9.81, Tool1_Torque_X=0.5)
    (event,) = story.scan()
    assert event.type_name == "ToolAttachedEventType"
    assert facts(event, "Object", "Partner", "PreviousPartner") == ("Tool1", "Robot1Flange", "")
    assert facts(event, "Tick", "SourceName", "Severity") == (2, "Tool1", 300)
    assert event.fields["Force"].Value == ua.ThreeDVector(0.0, 0.0, 9.81)
    assert event.fields["Torque"].Value == ua.ThreeDVector(0.5, 0.0, 0.0)
    assert event.fields["Time"].Value == to_datetime(story.stamp(2))
    assert event.fields["EventType"].Value == type_id("ToolAttachedEventType")
    assert event.fields["SourceNode"].Value == cell_id("Tool1")
    assert event.fields["Message"].Value.Text == "Tool1 attached to Robot1Flange (tick 2)"


def test_a_tool_that_is_let_go_is_released_with_the_force_it_had(story: Story) -> None:
    story.row(Tool1_Partner="Holder1", Tool1_Force_Z=9.81)
    story.row(Tool1_Partner="", Tool1_Force_Z=0.0)
    (event,) = story.scan()
    assert event.type_name == "ToolReleasedEventType"
    assert facts(event, "Partner", "PreviousPartner", "Tick") == ("", "Holder1", 1)
    assert event.fields["Force"].Value.Z == 9.81


def test_a_tool_that_changes_hands_changes_its_partner(story: Story) -> None:
    story.row(Tool2_Partner="Holder2")
    story.row(Tool2_Partner="Robot2Flange")
    (event,) = story.scan()
    assert event.type_name == "PartnerChangedEventType"
    assert facts(event, "Object", "Partner") == ("Tool2", "Robot2Flange")
    assert facts(event, "PreviousPartner") == ("Holder2",)


def test_a_drive_at_its_end_is_overloaded_once(story: Story) -> None:
    story.row()
    story.row(Robot1_Overload_3=1.0)
    story.row()
    story.row(Robot1_Overload_3=0.0)
    (event,) = story.scan()
    assert event.type_name == "OverloadEventType"
    assert facts(event, "Robot", "Joint", "Tick", "Severity") == ("Robot1", 3, 1, 700)
    assert event.fields["Joint"].VariantType is ua.VariantType.Int32


def test_changes_of_one_tick_are_events_of_that_tick(story: Story) -> None:
    story.row()
    story.row(Tool1_Partner="Holder1", Tool2_Partner="Holder2", Robot2_Overload_1=1.0)
    story.row(Tool1_Partner="Holder3")
    assert [facts(event, "Tick")[0] for event in story.scan()] == [1, 1, 1, 2]


def test_nothing_is_found_twice_and_nothing_between_scans_is_missed(story: Story) -> None:
    found = []
    for tick in range(300):
        story.row(Tool1_Partner=HOLDERS[tick % 2])
        if tick % 7 == 0:
            found += story.scan()
    found += story.scan()
    assert [facts(event, "Tick")[0] for event in found] == list(range(1, 300))
    assert story.scan() == []


def test_where_the_objects_are_at_first_is_no_event(story: Story) -> None:
    story.row(Tool1_Partner="Holder1")
    assert story.scan() == []


def test_a_reset_is_no_event(story: Story) -> None:
    story.row(Tool1_Partner="Holder1")
    story.row(Tool1_Partner="Robot1Flange")
    assert len(story.scan()) == 1
    story.tick = 0
    story.row(Tool1_Partner="Holder1")
    assert story.scan() == []
    story.row(Tool1_Partner="Robot1Flange")
    assert len(story.scan()) == 1


def test_a_server_that_starts_later_tells_no_old_news(story: Story) -> None:
    story.row(Tool1_Partner="Holder1")
    story.row(Tool1_Partner="Holder2")
    story.scanner = story.new_scanner()
    assert story.scan() == []
    story.row(Tool1_Partner="Holder3")
    assert len(story.scan()) == 1


def test_a_scanner_that_was_overtaken_goes_on_with_what_is_left(story: Story) -> None:
    story.row()
    story.scan()
    for tick in range(2000):
        story.row(Tool1_Partner=HOLDERS[tick % 2])
    ticks = [facts(event, "Tick")[0] for event in story.scan()]
    assert ticks == list(range(2001 - len(ticks), 2001))
    assert len(ticks) == 1024 - 256 - 1  # the ring, less its guard, less the first to compare with


def test_a_signal_that_is_forced_to_zero_is_told_as_forced(story: Story) -> None:
    story.row()
    story.faults.force(SIGNALS["Tool1.Force.Z"], 0.0, seconds=0.0)
    story.faults.clear()
    begun, ended = story.scan()
    assert (begun.type_name, ended.type_name) == ("FaultInjectedEventType", "FaultClearedEventType")
    assert facts(begun, "Name", "Value") == ("force Tool1.Force.Z", 0.0)


def test_overruns_are_told_together_and_at_most_once_a_second(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr("twincell.server.opcua.subscription.events.time.monotonic", lambda: now[0])
    story.row()
    story.link.vitals["overruns"] = 3
    story.row(late_ns=850_000)
    (event,) = story.scan()
    assert event.type_name == "LoopOverrunEventType"
    assert facts(event, "Overruns", "LatenessUs", "Tick") == (3, 850.0, 1)
    assert facts(event, "SourceName") == ("Simulation",)
    story.link.vitals["overruns"] = 5
    assert story.scan() == []
    now[0] += 1.0
    story.row(late_ns=20_000)
    (event,) = story.scan()
    assert facts(event, "Overruns", "LatenessUs") == (2, 20.0)


def test_a_loop_that_counts_anew_is_understood(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("twincell.server.opcua.subscription.events.OVERRUN_EVERY_S", 0.0)
    story.link.vitals["overruns"] = 30
    assert len(story.scan()) == 1
    story.link.vitals["overruns"] = 2
    (event,) = story.scan()
    assert facts(event, "Overruns") == (2,)


def test_a_lost_controller_is_told_once(story: Story) -> None:
    story.row()
    story.control.command(Session(), [])
    assert story.scan() == []
    story.control.session_closed(ua.NodeId(2))
    assert story.scan() == []
    story.control.session_closed(Session.session_id)
    (event,) = story.scan()
    assert event.type_name == "ControllerLostEventType"
    assert facts(event, "Controller", "SourceName", "Tick") == ("session PLC", "Cell", 0)
    assert story.scan() == []


def test_a_controller_lost_before_the_first_tick_is_told_too(story: Story) -> None:
    story.control.command(Session(), [])
    story.control.session_closed(Session.session_id)
    (event,) = story.scan()
    assert facts(event, "Tick") == (0,)


def test_every_event_has_an_id_of_its_own(story: Story) -> None:
    for tick in range(50):
        story.row(Tool1_Partner=HOLDERS[tick % 2])
    ids = {facts(event, "EventId")[0] for event in story.scan()}
    assert len(ids) == 49
    assert {len(id_) for id_ in ids} == {16}


def test_a_scan_of_a_cell_without_tools_finds_nothing() -> None:
    signals = SignalTable(s for s in SIGNALS if s.direction is Direction.COMMAND)
    link = Link(len(signals), 512)
    faults = ProtocolFaults(link, (), signals, 0.001)
    scanner = EventScanner(link, signals, Space(), Control(link), faults)
    link.ring.append(0, 0.0, 0, 0)
    link.ring.append(1, math.nan, 1, 0)
    assert scanner.scan() == []
