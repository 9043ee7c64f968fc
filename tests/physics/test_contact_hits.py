"""Hits: how things bounce, that nothing fast passes through, and that shorter steps agree."""

import math

import numpy as np
import pytest
from contact_scenes import G, box, on_floor, solid_ball, solid_box, sphere
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pytest import approx
from scenes import cell_of, column
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

R = 0.015


def restitution(V: float) -> float:
    """e of c pⁿ (1 + d/c ṗ): V - ln(1 + V) = -E - ln(1 - E), e = E/V, V = d v/c."""
    return float(
        brentq(lambda E: V - np.log1p(V) + E + np.log1p(-E), 1e-12, 1 - 1e-12, xtol=1e-14) / V
    )


def hit(speed: float, law: dict[str, float], mass_kg: float = 0.11, **tables: object) -> float:
    """Speed with which a ball comes back from the floor, without gravity."""
    ball = solid_ball(mass_kg, R, position_m=[0, 0, R + 0.4e-3], velocity_m_s=[0, 0, -speed])
    cell = on_floor(sphere(R), ball, law, gravity_m_s2=[0, 0, 0], **tables)
    for _ in range(200):
        rows = cell.run(20)
        back = column(cell, rows, "B.Velocity.Z")[-1]
        if back > 0 and column(cell, rows, "B.Pose.Z")[-1] > R:
            return float(back)
    raise AssertionError("it never came back")


def test_the_closed_form_is_that_of_the_handbook():
    assert restitution(0.5) == approx(0.7484349316, abs=1e-10)


@settings(max_examples=25, deadline=None)
@given(
    V=st.floats(0.01, 5.0),
    speed=st.floats(0.1, 5.0),
    log_c=st.floats(4.5, 7.0),
    n=st.sampled_from([1.0, 1.1, 1.5, 2.0]),
)
def test_a_hit_comes_back_with_the_restitution_of_its_law(V, speed, log_c, n):
    assume(restitution(V) * speed > 0.1)  # slower than 0.03 m/s counts as at rest
    c = 10**log_c
    law = {"stiffness": c, "exponent": n, "damping": V * c / speed}
    # about twenty sub-steps of second order: a thousandth is what they leave
    assert hit(speed, law) / speed == approx(restitution(V), abs=1e-3)


def test_a_spring_and_damper_hit_agrees_with_a_stiff_solver():
    """Kelvin and Voigt, n = 1 and m = 0, clamped: no closed form, so a solver of its own."""
    m, c, d, speed = 0.11, 2e4, 20.0, 1.0
    law = {"stiffness": c, "exponent": 1.0, "damping": d, "damping_exponent": 0.0}

    def parted(_t, x):
        return c * x[0] + d * x[1]  # the force is gone before the depth is

    parted.terminal = True
    parted.direction = -1
    solved = solve_ivp(
        lambda t, x: (x[1], -(c * x[0] + d * x[1]) / m), (0, 1), (0.0, speed),
        events=parted, rtol=1e-10, atol=1e-14, max_step=1e-4,
    )  # fmt: skip
    assert hit(speed, law) == approx(-solved.y[1, -1], rel=2e-3)


@pytest.mark.parametrize("integrator", ["rk4", "semi_implicit"])
def test_a_ball_without_loss_comes_back_as_high_as_it_fell(integrator):
    law = {"stiffness": 1e6, "exponent": 1.5}
    ball = solid_ball(0.11, R, position_m=[0, 0, 0.1])
    cell = on_floor(sphere(R), ball, law, integrator=integrator)
    rows = cell.run(2000)
    tops = column(cell, rows, "B.Pose.Z")
    # in flight a semi-implicit step keeps E - m g h v/2: a bounce at v lowers the next top by h v;
    # tick 300 is after the first of them
    speed = math.sqrt(2 * G * (0.1 - R))
    lower = 0.0 if integrator == "rk4" else 2 * 1e-3 * speed
    assert tops[300:].max() == approx(0.1 - lower, abs=2e-4)
    assert tops.max() <= 0.1 + 1e-6


def test_a_falling_ball_is_not_disturbed_before_it_touches():
    cell = on_floor(sphere(R), solid_ball(0.11, R, position_m=[0, 0, 0.05]), {"stiffness": 1e5})
    rows = cell.run(84)
    t = np.arange(84) * 1e-3
    assert column(cell, rows, "B.Pose.Z") == approx(0.05 - G * t**2 / 2, abs=1e-15)
    assert math.sqrt(2 * (0.05 - R) / G) == approx(0.0845, abs=1e-4)
    assert cell.run(2)[-1, cell.signals["S.ContactForce.Z"].column] > 0


@pytest.mark.parametrize("speed", [1.0, 30.0, 300.0])
@pytest.mark.parametrize("shape", ["sphere", "box"])
def test_nothing_fast_and_small_passes_through_the_floor(speed, shape):
    """At 300 m/s a ball of 4 mm flies 75 diameters in a tick; the floor is a plate of 2 mm."""
    law = {"stiffness": 1e8, "exponent": 1.5, "damping": 1e6}
    body = solid_ball(0.001, 0.002) if shape == "sphere" else solid_box(0.001, (0.004,) * 3)
    body |= {"position_m": [0, 0, 0.1037], "velocity_m_s": [0, 0, -speed]}
    surface = sphere(0.002) if shape == "sphere" else box(0.004, 0.004, 0.004)
    cell = cell_of(
        frame={"Floor": {"position_m": [0, 0, -0.001]}},
        body={"B": body},
        material={"M": law},
        surface={
            "F": {"on": "Floor", "material": "M", **box(1.0, 1.0, 0.002)},
            "S": {"on": "B", "material": "M", **surface},
        },
    )
    height = column(cell, cell.run(300), "B.Pose.Z")
    assert height.min() > -0.002
    assert height[-1] > 0.0


def test_shorter_steps_come_nearer_to_the_truth():
    """A ball that is thrown, spins and slips: against a step sixteen times shorter."""
    law = {"stiffness": 2e5, "exponent": 1.5, "damping": 2e4, "static_friction": 0.3}

    def end(step: float) -> np.ndarray:
        ball = solid_ball(
            0.1, R, position_m=[0, 0, 0.06], velocity_m_s=[0.5, 0, 0],
            angular_velocity_deg_s=[400, 0, 300],
        )  # fmt: skip
        cell = on_floor(sphere(R), ball, law, step_s=step)
        rows = cell.run(round(0.25 / step) + 1)
        scales = {"Pose.X": 1, "Pose.Z": 1, "Velocity.X": 1, "Velocity.Z": 1}
        scales["AngularVelocity.Y"] = R  # as a speed of its skin
        return np.array([s * column(cell, rows, f"B.{name}")[-1] for name, s in scales.items()])

    steps = (2e-3, 1e-3, 5e-4, 2.5e-4)
    truth = end(6.25e-5)
    errors = [np.abs(end(step) - truth).max() for step in steps]
    # at least first order on the whole way, and small at the usual step
    assert errors[-1] < errors[0] / 4
    assert errors[1] < 0.02
