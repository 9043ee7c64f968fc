"""Joints that the step cannot carry are refused when the cell is compiled."""

import numpy as np
import pytest
from pytest import approx

from twincell.sim.build import compile_cell
from twincell.sim.spec import SpecError, load_text


def slide(extra: str, integrator: str = "rk4") -> str:
    return f"""
name = "Slide"
integrator = "{integrator}"
[frame.Post]
[body.Load]
mass_kg = 2.0
inertia_kg_m2 = [0.1, 0.1, 0.1]
[joint.Axis]
type = "prismatic"
parent = "Post"
child = "Load"
{extra}
"""


@pytest.mark.parametrize(
    ("integrator", "key", "limit"),
    [
        # one mode of mass 2 kg, h = 1 ms; a damper alone: h d/m at the end of the real interval
        ("rk4", "damping_ns_m", 2.785 * 2.0 / 1e-3),
        ("semi_implicit", "damping_ns_m", 2.0 * 2.0 / 1e-3),
        # a spring alone: h sqrt(k/m) at the end of the imaginary interval 2 sqrt 2, or 2
        ("rk4", "stiffness_n_m", 8.0 * 2.0 / 1e-6),
        ("semi_implicit", "stiffness_n_m", 4.0 * 2.0 / 1e-6),
    ],
)
def test_the_limit_of_a_joint_is_that_of_its_integrator(integrator, key, limit):
    compile_cell(load_text(slide(f"{key} = {0.99 * limit}", integrator)))
    with pytest.raises(SpecError, match=r"joint\.Axis.*too stiff for a step of 1 ms"):
        compile_cell(load_text(slide(f"{key} = {1.01 * limit}", integrator)))


def test_the_slope_of_dry_friction_counts_as_a_damper():
    with pytest.raises(SpecError, match="friction"):
        compile_cell(load_text(slide("friction_n = 100\nfriction_speed_m_s = 0.001")))
    compile_cell(load_text(slide("friction_n = 100\nfriction_speed_m_s = 0.1")))


def test_a_stop_left_open_gets_a_stiffness_that_the_step_carries():
    joints = compile_cell(load_text(slide("lower_m = -1.0\nupper_m = 1.0"))).model.joints
    assert np.isfinite(joints.stop_stiffness).all()
    # critically damped: d² = 4 k m
    assert joints.stop_damping[0] ** 2 == approx(4 * joints.stop_stiffness[0] * 2.0)


def test_a_hinge_on_a_floating_base_feels_both_inertias():
    text = """
name = "Floating"
[body.Base]
mass_kg = 1.0
inertia_kg_m2 = [1.0, 1.0, 1.0]
[body.Wheel]
mass_kg = 1.0
inertia_kg_m2 = [1.0, 1.0, 1.0]
[joint.Hinge]
type = "revolute"
parent = "Base"
child = "Wheel"
damping_nms_rad = {}
"""
    # two unit inertias about a common axis: 1/I = 2, so h d 2 < 2.785
    compile_cell(load_text(text.format(1390)))
    with pytest.raises(SpecError, match=r"joint\.Hinge"):
        compile_cell(load_text(text.format(1395)))


def test_an_arm_is_looked_at_in_all_positions_not_only_at_its_start():
    text = """
name = "Elbow"
[frame.Post]
[body.Upper]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
center_of_mass_m = [0.25, 0, 0]
[body.Lower]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
center_of_mass_m = [0.25, 0, 0]
[joint.Shoulder]
type = "revolute"
parent = "Post"
child = "Upper"
damping_nms_rad = {}
[joint.Elbow]
type = "revolute"
parent = "Upper"
child = "Lower"
position_m = [0.5, 0, 0]
start_deg = 90
"""
    # bent by 90° the shoulder feels more inertia than it does in other positions
    with pytest.raises(SpecError, match="in some position"):
        compile_cell(load_text(text.format(1000)))
    compile_cell(load_text(text.format(50)))


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_stops_of_our_choice_are_never_refused(integrator):
    links = "".join(
        f"""
[body.B{k}]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
center_of_mass_m = [0.2, 0, 0]
[joint.J{k}]
type = "revolute"
parent = "{"Post" if k == 0 else f"B{k - 1}"}"
child = "B{k}"
axis = [0, 1, 0]
position_m = [{0.0 if k == 0 else 0.4}, 0, 0]
lower_deg = -90
upper_deg = 90
"""
        for k in range(8)
    )
    compile_cell(load_text(f'name = "Chain"\nintegrator = "{integrator}"\n[frame.Post]\n{links}'))
