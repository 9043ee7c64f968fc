"""Box, ball and cylinder beside MuJoCo, for what both model: hard floors, friction, rolling, rest.

MuJoCo's contacts are soft constraints without our laws of restitution and friction, so only what
does not depend on them is compared: where things come to lie, how far friction lets them slide,
what speed is left when they roll. MuJoCo runs with a step of 0.2 ms and an elliptic cone, which is
near to what it converges to.
"""

import math

import mujoco
import numpy as np
import pytest
from contact_scenes import G, box, on_floor, solid_ball, solid_box, solid_cylinder, sphere
from pytest import approx
from scenes import column, vectors

DEAD = {"stiffness": 1e7, "exponent": 1.1, "damping": 1e8, "damping_exponent": 1.0}
STEP = 2e-4


def theirs(geom: str, seconds: float, friction: float, pose: str, velocity: list[float]):
    """Position, rotation matrix and velocity of the same body in MuJoCo after some seconds."""
    model = mujoco.MjModel.from_xml_string(f"""
    <mujoco>
      <compiler eulerseq="zyx"/>
      <option timestep="{STEP}" gravity="0 0 {-G}" cone="elliptic" impratio="100"/>
      <default>
        <geom friction="{friction} 0 0" condim="3" solref="0.002 1" solimp="0.99 0.999 1e-5"/>
      </default>
      <worldbody>
        <geom type="plane" size="5 5 0.1"/>
        <body {pose}><freejoint/><geom {geom}/></body>
      </worldbody>
    </mujoco>""")
    data = mujoco.MjData(model)
    data.qvel[: len(velocity)] = velocity
    for _ in range(round(seconds / STEP)):
        mujoco.mj_step(model, data)
    return data.qpos[:3].copy(), data.xmat[1].reshape(3, 3).copy(), data.qvel.copy()


def ours(cell, seconds):
    rows = cell.run(round(seconds * 1000) + 1)
    return vectors(cell, rows, "B.Pose")[-1], vectors(cell, rows, "B.Velocity")[-1]


@pytest.mark.parametrize("mu", [0.2, 0.6])
def test_a_box_slides_as_far(mu):
    size = (0.1, 0.08, 0.04)
    law = DEAD | {"static_friction": mu, "stick_speed_m_s": 1e-4}
    body = solid_box(1.0, size, position_m=[0, 0, 0.02], velocity_m_s=[1.0, 0.5, 0])
    p, v = ours(on_floor(box(*size), body, law), 1.0)
    q, _, u = theirs(
        'type="box" size="0.05 0.04 0.02" mass="1"', 1.0, mu, 'pos="0 0 0.02"', [1.0, 0.5, 0]
    )
    far = math.hypot(1.0, 0.5) ** 2 / (2 * mu * G)
    assert np.linalg.norm(p[:2]) == approx(far, rel=0.01)
    # both stop within a per cent of the closed form, so within two of each other
    assert p[:2] == approx(q[:2], abs=0.02 * far)
    assert np.linalg.norm(v) < 1e-3
    assert np.linalg.norm(u) < 1e-2


@pytest.mark.parametrize("shape", ["ball", "cylinder"])
def test_what_is_round_rolls_as_fast(shape):
    r, mu, v0 = 0.03, 0.3, 1.0
    law = DEAD | {"static_friction": mu, "stick_speed_m_s": 1e-4}
    if shape == "ball":
        cell = on_floor(
            sphere(r), solid_ball(0.5, r, position_m=[0, 0, r], velocity_m_s=[v0, 0, 0]), law
        )
        geom, pose = f'type="sphere" size="{r}" mass="0.5"', f'pos="0 0 {r}"'
        left = 5 / 7
    else:
        body = solid_cylinder(
            0.5, r, 0.08, position_m=[0, 0, r], velocity_m_s=[v0, 0, 0], orientation_deg=[90, 0, 0]
        )
        cell = on_floor({"cylinder": {"radius_m": r, "length_m": 0.08}}, body, law)
        geom = f'type="cylinder" size="{r} 0.04" mass="0.5"'
        pose = f'pos="0 0 {r}" euler="0 0 90"'
        left = 2 / 3
    _, v = ours(cell, 0.5)
    _, _, u = theirs(geom, 0.5, mu, pose, [v0, 0, 0])
    assert v[0] == approx(left * v0, rel=5e-3)
    assert v[0] == approx(u[0], rel=0.01)


@pytest.mark.parametrize("lean", [[20, 0, 0], [0, 30, 0], [15, -20, 40]])
def test_a_dropped_box_comes_to_lie_on_the_same_face(lean):
    size = (0.12, 0.08, 0.05)
    law = DEAD | {"static_friction": 0.5, "stick_speed_m_s": 1e-4}
    body = solid_box(1.0, size, position_m=[0, 0, 0.15], orientation_deg=lean)
    cell = on_floor(box(*size), body, law)
    p, v = ours(cell, 2.0)
    # the same angles in MuJoCo's words: about z, then the new y, then the newest x
    pose = f'pos="0 0 0.15" euler="{lean[2]} {lean[1]} {lean[0]}"'
    q, R, _ = theirs('type="box" size="0.06 0.04 0.025" mass="1"', 2.0, 0.5, pose, [])
    assert np.linalg.norm(v) < 1e-3
    # flat on the same face: the same height to a tenth of a millimetre
    assert p[2] == approx(q[2], abs=1e-4)
    assert abs(R[2]).max() == approx(1.0, abs=1e-3)
    tilt = [column(cell, cell.run(1), f"B.Pose.{x}")[0] for x in "AB"]
    assert np.sin(2 * np.array(tilt)) == approx([0, 0], abs=1e-3)
