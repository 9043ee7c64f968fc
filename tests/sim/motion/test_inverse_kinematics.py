"""Inverse kinematics of the shipped arm: found, near, within limits, or refused."""

import numpy as np
import pytest
from pytest import approx
from robot_cells import START_DEG, arm_cell

from twincell.sim.cell import Cell
from twincell.sim.spec import load_text

START = np.radians(START_DEG)


@pytest.fixture(scope="module")
def arm():
    return arm_cell().compiled.arms[0]


def test_a_pose_nearby_is_found_on_the_same_branch(arm):
    random = np.random.default_rng(2)
    for _ in range(50):
        wanted = np.clip(START + random.uniform(-0.3, 0.3, 6), arm.lower, arm.upper)
        found = arm.inverse(START, *arm.forward(wanted))
        # the pose is met to 1e-10; joints to that over the least singular value, about 0.1
        assert found == approx(wanted, abs=1e-7)


def test_a_pose_far_away_is_reached_within_the_limits_or_refused(arm):
    random = np.random.default_rng(3)
    n_found = 0
    for _ in range(50):
        wanted = random.uniform(np.maximum(arm.lower, -2), np.minimum(arm.upper, 2))
        position, quaternion = arm.forward(wanted)
        found = arm.inverse(START, position, quaternion)
        if isinstance(found, str):
            assert "out of reach" in found
            continue
        n_found += 1
        assert (found >= arm.lower).all() and (found <= arm.upper).all()
        p, q = arm.forward(found)
        assert p == approx(position, abs=2e-10)
        assert abs(q @ quaternion) == approx(1.0, abs=1e-12)
    assert n_found > 25  # from one start not every posture is near, but most are


def test_a_pose_out_of_reach_is_refused_with_how_far(arm):
    _, quaternion = arm.forward(START)
    reason = arm.inverse(START, np.array([3.0, 0.0, 1.0]), quaternion)
    assert isinstance(reason, str) and "out of reach" in reason and "m and" in reason


def test_a_singular_start_is_left_without_a_jump(arm):
    # the wrist stretched: axes 4 and 6 in line
    singular = START.copy()
    singular[4] = 0.0
    position, quaternion = arm.forward(singular)
    found = arm.inverse(singular, np.add(position, [0.01, 0.0, 0.0]), quaternion)
    assert not isinstance(found, str)
    assert np.abs(found - singular).max() < 0.2


def test_the_seed_is_not_changed(arm):
    seed = START.copy()
    arm.inverse(seed, *arm.forward(START + 0.1))
    assert np.array_equal(seed, START)


@pytest.mark.parametrize("start", [5.0, 10.0, 44.0])
def test_a_long_slide_is_reached_from_anywhere_on_it(tmp_path, start):
    (tmp_path / "rail.toml").write_text(
        """
        name = "Rail"
        [link.rail]
        [link.cart]
        mass_kg = 10
        inertia_kg_m2 = [1, 1, 1]
        [joint.x]
        type = "prismatic"
        parent = "rail"
        child = "cart"
        axis = [1, 0, 0]
        lower_m = 5
        upper_m = 45
        speed_m_s = 2
        force_n = 1000
        """
    )
    text = f'name = "x"\n[robot.R]\nmodel = "{tmp_path / "rail.toml"}"\nstart_m = [{start}]'
    (rail,) = Cell(load_text(text)).compiled.arms
    for x in (5.0, 20.0, 27.5, 40.0, 45.0):
        found = rail.inverse(np.array([start]), np.array([x, 0, 0]), np.array([1.0, 0, 0, 0]))
        assert found == approx([x], abs=1e-9)


def screw_arm(folder):
    """A hinge, and a screw on it that turns the tool while it drives it down."""
    (folder / "screw.toml").write_text(
        """
        name = "Drill"
        [link.post]
        [link.boom]
        mass_kg = 10
        inertia_kg_m2 = [1, 1, 1]
        [link.quill]
        mass_kg = 2
        inertia_kg_m2 = [0.01, 0.01, 0.01]
        [joint.swing]
        type = "revolute"
        parent = "post"
        child = "boom"
        speed_deg_s = 180
        torque_nm = 1000
        [joint.drill]
        type = "screw"
        parent = "boom"
        child = "quill"
        position_m = [0.5, 0, 1]
        axis = [0, 0, -1]
        pitch_m = 0.1
        lower_deg = 0
        upper_deg = 3600
        speed_deg_s = 720
        torque_nm = 10
        """
    )
    text = f'name = "x"\n[robot.R]\nmodel = "{folder / "screw.toml"}"'
    return Cell(load_text(text)).compiled.arms[0]


def test_a_screw_is_driven_to_the_turn_whose_height_fits(tmp_path):
    arm = screw_arm(tmp_path)
    for swing, turns in ((0.4, 0.25), (-1.0, 1.75), (0.2, 2.5)):
        wanted = np.array([swing, turns * 2 * np.pi])
        position, quaternion = arm.forward(wanted)
        assert position[2] == approx(1 - 0.1 * turns, abs=1e-12)
        # what turns alone cannot tell, the height does
        assert arm.search(np.zeros(2), position, quaternion) == approx(wanted, abs=1e-7)


def test_a_screw_at_the_wrong_height_for_its_turn_is_refused(tmp_path):
    arm = screw_arm(tmp_path)
    position, quaternion = arm.forward(np.array([0.4, 3.0]))
    reason = arm.search(np.zeros(2), np.add(position, [0, 0, 0.02]), quaternion)
    assert isinstance(reason, str) and "out of reach" in reason
