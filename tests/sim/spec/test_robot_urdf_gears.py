"""Rotors and gears in a URDF file."""

from pathlib import Path

import pytest
from pytest import approx

from twincell.sim.spec import SpecError
from twincell.sim.spec.robot_files import load_model

ARM6 = Path(__file__).parents[3] / "config" / "robots" / "arm6.urdf"


def test_at_the_joint_a_rotor_weighs_the_square_of_the_ratio_as_much():
    gears = [axis.gear for axis in load_model(ARM6).axes]
    assert gears == approx([12, 12, 6, 0.6, 0.5, 0.3], rel=1e-12)  # rounding


def test_transmissions_of_other_programs_are_of_no_interest(tmp_path):
    text = ARM6.read_text().replace("drake:", "other:").replace(":drake=", ":other=")
    text = text.replace("http://drake.mit.edu", "http://example.org")
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    assert [axis.gear for axis in load_model(file).axes] == [0.0] * 6


@pytest.mark.parametrize(
    ("right", "wrong", "key", "words"),
    [
        ('rotor_inertia value="0.00060"', 'rotor_inertia value="-1"',
         "transmission.drive_3.rotor_inertia", "greater than 0"),
        ('gear_ratio value="50"', 'gear_ratio value="fifty"',
         "transmission.drive_6.gear_ratio", "greater than 0"),
        ('<joint name="joint_2"/>', '<joint name="joint_7"/>',
         "transmission.drive_2.joint", "joint_7"),
    ],
)  # fmt: skip
def test_a_wrong_gear_is_told_with_its_line(tmp_path, right, wrong, key, words):
    text = ARM6.read_text()
    assert right in text
    file = tmp_path / "arm.urdf"
    file.write_text(text.replace(right, wrong))
    with pytest.raises(SpecError) as caught:
        load_model(file)
    (problem,) = caught.value.problems
    assert problem.key == key and words in problem.text
    near = text.splitlines()[problem.line - 1 : problem.line + 3]
    assert any(right in line for line in near)
