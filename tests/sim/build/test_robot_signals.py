"""A robot's commands: what the signal table lists is what a timeline may set."""

from pathlib import Path

import pytest

from twincell.sim.build.signals import build_signals
from twincell.sim.spec import load_text
from twincell.sim.spec.robot_commands import robot_commands

ROBOTS = Path(__file__).parents[3] / "config" / "robots"


@pytest.mark.parametrize("model", ["arm6.urdf", "gantry.toml", "scara.toml"])
def test_a_timeline_may_set_exactly_the_commands_of_a_robot(model):
    spec = load_text(f'name = "x"\n[robot.R]\nmodel = "{ROBOTS / model}"\n')
    signals, _ = build_signals(spec, {}, {}, {})
    commands = {signal.name: str(signal.kind) for signal in signals.commands}
    assert commands == robot_commands("R", len(spec.robot_models["R"].axes))


def test_hinges_and_slides_show_their_own_units():
    spec = load_text(f'name = "x"\n[robot.R]\nmodel = "{ROBOTS / "gantry.toml"}"\n')
    signals, _ = build_signals(spec, {}, {}, {})
    units = [signals[f"R.JointTorque.{k}"].unit for k in range(1, 5)]
    assert units == ["N", "N", "N", "N.m"]
    assert signals["R.JointTarget.1"].unit == "m" and signals["R.JointTarget.4"].unit == "rad"
