"""A cell as a test sees it: commands, simulated time, waits, traces, resets."""

import math
import time

import numpy as np
import pytest
from pytest import approx

from twincell.server.client.mistake import Mistake
from twincell.server.kit import cell_under_test
from twincell.server.kit.cell_under_test import CellUnderTest
from twincell.server.kit.running import RunningCell, Time
from twincell.server.kit.waiting import NotInTime, NotKept

OVER_TOOL_1 = {"position_m": [1.0, 0.0, 1.1], "speed_m_s": 0.5}
AT_TOOL_1 = {"position_m": [1.0, 0.0, 0.78]}


def take_tool_1(cell: CellUnderTest) -> None:
    """What a PLC would do until the first robot holds the first tool."""
    for target in (OVER_TOOL_1, AT_TOOL_1):
        cell.move_linear("Robot1", **target)
        cell.wait_until("Robot1.Moving", False, within_s=10.0)
    cell["Robot1Flange.Closed"] = True
    cell.wait_until("Tool1.Partner", "Robot1Flange", within_s=0.1)


def test_a_cell_begins_at_its_start_and_stands_still(robots: CellUnderTest) -> None:
    assert (robots.tick, robots.time_s) == (0, 0.0)
    assert robots["Tool1.Partner"] == "Holder1"
    time.sleep(0.05)  # of real time, in which nothing may happen
    assert robots["Simulation.Tick"] == 0


def test_advancing_gives_every_tick_in_order(robots: CellUnderTest) -> None:
    robots.advance(0.25)
    robots.advance_ticks(7)
    trace = robots.trace("Tool1.Force.Z")
    assert trace.tick.tolist() == list(range(258))
    assert trace.time_s == approx(np.arange(258) * robots.step_s, abs=1e-12)
    assert trace.signal.unit == "N"


def test_more_ticks_than_can_wait_at_the_server_are_all_there(robots: CellUnderTest) -> None:
    ticks = 2 * robots.connection.watching.most_ticks + 11
    robots.advance_ticks(ticks)
    assert len(robots.trace("Robot1.JointTorque.2")) == ticks + 1


def test_commands_of_one_set_take_effect_in_one_tick(robots: CellUnderTest) -> None:
    robots.advance(0.01)
    robots.set({"Robot1Flange.Closed": True, "Robot2Flange.Closed": True})
    robots.advance(0.01)
    closed = robots.traces(["Robot1Flange.IsClosed", "Robot2Flange.IsClosed"])
    assert [one.changes.tolist() for one in closed] == [[0, 11], [0, 11]]


@pytest.mark.parametrize("seconds", [-1.0, math.nan, math.inf])
def test_time_only_goes_forward(robots: CellUnderTest, seconds: float) -> None:
    with pytest.raises(ValueError, match="time goes forward"):
        robots.advance(seconds)
    with pytest.raises(ValueError, match="time goes forward"):
        robots.wait_until("Tool1.Constrained", False, within_s=seconds)


def test_a_wait_does_not_take_the_past_for_an_answer(robots: CellUnderTest) -> None:
    robots.advance(0.1)
    robots.move_linear("Robot1", **OVER_TOOL_1)
    assert robots.wait_until("Robot1.Moving", False, within_s=10.0) > 0.5  # s: it really moved
    assert robots.trace("Robot1.Moving").values.any()


def test_what_holds_already_need_not_be_waited_for(robots: CellUnderTest) -> None:
    robots.advance(0.1)
    assert robots.wait_until("Tool1.Partner", "Holder1", within_s=0.0) == 0.0
    assert robots.tick == 100


def test_a_tool_is_taken_lifted_and_weighs(robots: CellUnderTest) -> None:
    take_tool_1(robots)
    robots.move_linear("Robot1", **OVER_TOOL_1)
    robots.wait_until("Robot1.Moving", False, within_s=5.0)
    robots.stays("Tool1.Partner", "Robot1Flange", for_s=0.5)
    # at rest the tool's weight; the servos still settle by less than a tenth of it
    assert robots["Tool1.Force.Z"] == approx(9.81, abs=1.0)


def test_bounds_functions_and_tables_can_be_waited_for(robots: CellUnderTest) -> None:
    robots.move_linear("Robot1", **OVER_TOOL_1)
    robots.wait_until("Robot1.TcpPose.X", above=0.8, within_s=5.0)
    robots.wait_until("Robot1.TcpPose.X", between=(0.9, 1.01), within_s=5.0)
    robots.wait_until("Robot1.TcpPose.X", lambda x: x > 0.95, within_s=5.0)
    robots.wait_until("Robot1.TcpPose.X", approx(1.0, abs=0.01), within_s=5.0)
    robots.wait_until({"Robot1.Moving": False, "Tool1.Partner": {"not": ""}}, within_s=5.0)


def test_a_missed_wait_says_what_was_awaited_and_what_was_seen(robots: CellUnderTest) -> None:
    robots["Robot1Flange.Closed"] = True
    with pytest.raises(NotInTime) as told:
        robots.wait_until("Tool1.Partner", "Robot1Flange", within_s=0.3)
    assert "not within 0.3 s of simulated time, from 0.000 s on" in str(told.value)
    assert 'Tool1.Partner: "Holder1" since 0.000 s, awaited: "Robot1Flange"' in str(told.value)
    assert robots.time_s == approx(0.3, abs=1e-9)  # not a tick longer


def test_what_does_not_stay_is_told_with_its_tick(robots: CellUnderTest) -> None:
    robots.move_linear("Robot1", **OVER_TOOL_1)
    with pytest.raises(NotKept, match=r"Robot1.TcpPose.X: .* was to stay below 0.8 m"):
        robots.stays("Robot1.TcpPose.X", below=0.8, for_s=2.0)


def test_unknown_names_are_told_with_the_nearest(robots: CellUnderTest) -> None:
    with pytest.raises(Mistake, match=r"there is no signal Tool1.Partnr") as told:
        robots.wait_until("Tool1.Partnr", "Holder1", within_s=1.0)
    assert told.value.hint == "did you mean Tool1.Partner?"
    with pytest.raises(Mistake, match=r"there is no signal Tol1.Force.Z"):
        robots["Tol1.Force.Z"]
    with pytest.raises(Mistake, match=r"there is no method Simulation.Rest"):
        robots.call("Simulation.Rest")
    with pytest.raises(Mistake, match="there is no robot Robot3"):
        robots.move_linear("Robot3", **AT_TOOL_1)


def test_feedback_cannot_be_set_and_types_are_checked(robots: CellUnderTest) -> None:
    with pytest.raises(Mistake, match=r"Tool1.Partner is not a command"):
        robots["Tool1.Partner"] = "Holder1"
    with pytest.raises(Mistake, match=r"Robot1Flange.Closed: 1 is no Boolean"):
        robots["Robot1Flange.Closed"] = 1


def test_a_reset_gives_the_start_of_a_new_cell_bit_by_bit(robots: CellUnderTest) -> None:
    take_tool_1(robots)
    robots.set({"Robot2Flange.Closed": True, "Robot2.Stop": True})
    robots.advance(0.1)
    robots.reset()
    take_tool_1(robots)
    again = robots.traces(robots.signals)

    running = RunningCell("tool_change_multi", Time.LOCKSTEP)
    try:
        running.wait_until_ready()
        fresh = CellUnderTest(running.url, Time.LOCKSTEP)
        fresh.reset()
        take_tool_1(fresh)
        first = fresh.traces(fresh.signals)
        fresh.close()
    finally:
        running.end()
    different = [
        one.signal.name
        for one, other in zip(first, again, strict=True)
        if not np.array_equal(one.values, other.values)
    ]
    assert different == []


def test_in_real_time_a_cell_goes_on_by_itself_and_no_tick_is_missed() -> None:
    running = RunningCell("tool_change_single", Time.REALTIME)
    try:
        running.wait_until_ready()
        cell = CellUnderTest(running.url, Time.REALTIME)
        cell.reset()
        cell["Robot1Flange.Closed"] = True
        cell.wait_until("Robot1Flange.IsClosed", True, within_s=1.0)
        cell.wait_until("Tool1.Partner", "Robot1Flange", within_s=6.0)
        trace = cell.trace("Tool1.Partner")
        assert trace.tick.tolist() == list(range(len(trace)))
        assert trace[0] == "Holder1"
        cell.close()
    finally:
        running.end()


def test_methods_take_plain_values_and_say_what_they_take(robots: CellUnderTest) -> None:
    assert robots.call("Simulation.Step", 5) == [6]
    robots.call("Robot1.MoveLinear", [1.0, 0.0, 1.1], [1, 0, 0, 0], 0.5, 1.0)
    robots.wait_until("Robot1.Moving", True, within_s=0.01)
    with pytest.raises(Mistake, match=r"Simulation.Step: 0 arguments are given") as told:
        robots.call("Simulation.Step")
    assert told.value.hint == "it takes N"


def test_a_reset_does_not_wait_for_ever(
    small: CellUnderTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cell_under_test, "HANG_S", 0.2)
    # a cell that says it was reset, and then tells nothing
    monkeypatch.setattr(small.connection.watching.traces, "start_after", lambda _: 0)
    with pytest.raises(ConnectionError, match="does not tell of its start"):
        small.reset()
