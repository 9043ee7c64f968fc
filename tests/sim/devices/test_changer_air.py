"""Air: a changer without it keeps its tool, and one with too little of it is slow."""

import math

from changer_cell import FILL, LOCK, STROKE, VALVE, changer
from pytest import approx

TIME_CONSTANT = 0.1


def test_the_pressure_falls_with_its_time_constant_and_is_missed():
    unit = changer()
    assert (unit["AirPressure"], unit["AirPressureOk"]) == (6.0, 1)
    unit["Fault.AirLoss"] = 1
    unit.run(100)
    assert unit["AirPressure"] == approx(6 * math.exp(-1), rel=1e-9)  # exact: a decay per tick
    below = math.ceil(1000 * TIME_CONSTANT * math.log(6 / 4.5))
    assert unit["AirPressureOk"] == 0 and below < 100


def test_loss_of_air_keeps_the_tool_and_is_a_fault_after_half_a_second():
    unit = changer(closed=True, in_stand=False)
    unit["Fault.AirLoss"] = 1
    missed = math.ceil(1000 * TIME_CONSTANT * math.log(6 / 4.5))  # ticks until 4.5 bar
    unit.run(missed + 499)
    assert unit.fault == ""
    unit.run(2)
    assert unit.fault == "The air pressure is too low"
    unit.run(3000)
    assert (unit["AirPressure"] < 1e-6, unit.tool, unit.holder) == (True, "Gripper", "Flange")


def test_without_air_the_piston_does_not_move_whatever_the_valve_says():
    unit = changer().lock()
    unit["Fault.AirLoss"] = 1
    unit.run(300)
    unit.set(UnlockEnable=1, UnlockValve=1)
    unit.run(1000)
    assert unit["Truth.PistonPosition"] == 1.0 and unit.tool == "Gripper"
    unit["Fault.AirLoss"] = 0  # the valve has shifted: the air does the rest when it is back
    unit.run(1000)
    assert unit["Truth.PistonPosition"] == 0.0 and unit.tool == ""


def test_a_piston_without_air_stops_on_its_way_and_the_stroke_times_out():
    unit = changer()
    unit["LockValve"] = 1
    unit.run(VALVE + FILL + STROKE // 2)
    unit["Fault.AirLoss"] = 1
    unit["Fault.AirPressureOk"] = 2  # and nobody notices: the pressure switch is stuck
    unit.run(200)
    stopped = unit["Truth.PistonPosition"]
    assert 0.5 < stopped < 0.8
    unit.run(1200)
    assert unit["Truth.PistonPosition"] == stopped
    assert unit.fault == "The piston did not reach its lock end in time"


def test_low_air_is_slow_air():
    """Half the speed: chamber and stroke take twice their time, the valve does not."""
    unit = changer()
    unit["Fault.AirLow"] = 1.75  # bar: half of what is above the stall pressure is left
    unit.run(2000)
    assert (unit["AirPressure"], unit["AirPressureOk"]) == (approx(4.25), 0)
    unit["LockValve"] = 1
    rows = unit.run(VALVE + 2 * (FILL + STROKE) + 2)
    piston = rows[:, unit.cell.signals["Changer.Truth.PistonPosition"].column]
    # the pressure is within 1e-8 of its supply: a tick more for a chamber or a stroke all but done
    assert int((piston > 0).argmax()) - 1 in range(VALVE + 2 * FILL, VALVE + 2 * FILL + 2)
    assert unit["Locked"] == 1
    assert unit["LastLockTime"] >= VALVE + 2 * (FILL + STROKE)


def test_a_chamber_stops_filling_where_the_piston_would_stall():
    unit = changer()
    unit["LockValve"] = 1
    unit.run(VALVE + 1)
    unit["Fault.AirLow"] = 4.0  # 2 bar are left, and 2.5 are needed
    unit.run(1000)
    stopped = float(unit.cell.state.devices.tool_changer.filled[0])
    # the speed of each tick while 6 bar decay to 2.5, within one of the sum's ends
    done = 1000 * (4.0 * TIME_CONSTANT * (1 - 1 / 8) - 0.5 * TIME_CONSTANT * math.log(8)) / 3.5
    assert stopped == approx(done, abs=1.0) and stopped < FILL
    assert unit["Truth.PistonPosition"] == 0.0
    unit.run(100)
    assert unit.cell.state.devices.tool_changer.filled[0] == stopped


def test_a_slow_stroke_takes_longer_and_too_slow_a_one_is_a_fault():
    unit = changer()
    unit["Fault.SlowStroke"] = 1.0
    unit["LockValve"] = 1
    unit.run(VALVE + FILL + 2 * STROKE + 1)
    assert unit["LastLockTime"] == VALVE + FILL + 2 * STROKE
    unit["Fault.SlowStroke"] = 20.0
    unit.set(LockValve=0, UnlockValve=1)
    unit.run(1501)
    assert unit.fault == ""
    unit.run(1)
    assert unit.fault == "The piston did not reach its unlock end in time"
    assert 0 < unit["Truth.PistonPosition"] < 1
    assert LOCK < 1500
