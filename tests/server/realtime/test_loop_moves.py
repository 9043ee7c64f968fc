"""Planned moves that reach the loop as orders: begun with the next tick, or refused whole."""

import pickle
from pathlib import Path

import numpy as np
import pytest

from tests.server.realtime.looped_cell import LoopedCell
from twincell.server.realtime.orders import DONE
from twincell.server.realtime.shared.order_box import Answer, Kind, Result
from twincell.sim.cell import Cell
from twincell.sim.plan import plan_joint
from twincell.sim.spec import load_text

ROBOTS = Path(__file__).parents[3] / "config" / "robots"
START_DEG = [0, -20, 40, 0, 70, 0]


def arm_cell() -> Cell:
    return Cell(
        load_text(
            f"""
            name = "One arm"
            [robot.Arm]
            model = "{ROBOTS / "arm6.urdf"}"
            drive = "ideal"
            start_deg = {START_DEG}
            """
        )
    )


@pytest.fixture
def looped():
    looped = LoopedCell(arm_cell()).begin()
    looped.turn(4)
    return looped


def plan_of(looped, start_deg=START_DEG):
    arm, start = looped.cell.compiled.arms[0], np.radians(start_deg)
    return plan_joint(arm, start, start + 0.1)


def move(looped, plan, robot=0):
    return looped.order(Kind.MOVE, robot, pickle.dumps(plan))


def test_a_move_begins_with_the_next_tick_as_it_does_offline(looped):
    plan = plan_of(looped)
    assert move(looped, plan) == DONE
    looped.turn(50)
    offline = arm_cell()
    before = offline.run(5)
    offline.robot("Arm").move_joint(np.radians(START_DEG) + 0.1)
    expected = np.concatenate([before, offline.run(51)])
    assert looped.rows.tobytes() == expected.tobytes()
    assert looped.column("Arm.Moving")[-1] == 1.0


def test_a_robot_that_moves_is_refused_another_move(looped):
    plan = plan_of(looped)
    move(looped, plan)
    answer = move(looped, plan)
    assert answer.result is Result.REFUSED
    assert answer.text == "Arm is moving: wait until it is at rest, or stop it"


def test_a_robot_that_is_stopped_is_refused_a_move(looped):
    looped.write(Arm_Stop=True)
    answer = move(looped, plan_of(looped))  # what was written before the order counts already
    assert answer == Answer(Result.REFUSED, 0.0, "Arm.Stop is set: clear it first")
    looped.write(Arm_Stop=False)
    looped.turn()
    assert move(looped, plan_of(looped)) == DONE


def test_a_paused_robot_whose_stop_was_just_cleared_takes_a_move(looped):
    looped.write(Arm_Stop=True)
    looped.turn(3)
    looped.order(Kind.PAUSE)
    looped.write(Arm_Stop=False)
    assert move(looped, plan_of(looped)) == DONE
    looped.order(Kind.STEP, 2)
    assert looped.column("Arm.Moving")[-1] == 1.0


def test_a_move_from_where_the_robot_is_not_is_refused(looped):
    answer = move(looped, plan_of(looped, [10, -20, 40, 0, 70, 0]))
    assert answer == Answer(Result.REFUSED, 0.0, "the robot is not where the move begins")
    looped.turn(5)
    assert not any(looped.column("Arm.Moving"))


@pytest.mark.parametrize("robot", [1, -1, 0.5])
def test_a_robot_that_does_not_exist_is_unknown(looped, robot):
    assert move(looped, plan_of(looped), robot).result is Result.UNKNOWN


def test_a_reset_in_the_middle_of_a_move_puts_the_robot_back(looped):
    move(looped, plan_of(looped))
    looped.turn(100)
    looped.order(Kind.RESET)
    assert looped.rows[-1].tobytes() == arm_cell().run(1)[0].tobytes()
    assert move(looped, plan_of(looped)) == DONE
