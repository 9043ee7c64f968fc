"""Loops whose grips are far stiffer than what they hold is heavy: m η²/k down to 1e-20.

A beam of inertia M that hangs in grips whose demands agree, so that a is what all of them lack:

    (M + G R⁻¹ Gᵀ) a = w,   f = -R⁻¹ Gᵀ a          w: its weight, or what a turning holder takes

G is the grips' map from forces to the beam, R = η²/k. This is well-conditioned however small R is;
the engine solves for the forces instead, (Gᵀ M⁻¹ G + R) f = ..., which is nearly singular.
"""

import numpy as np
import pytest
from scenes import ball, cell_of

MASS, GYRATION, RADIUS = 1e-3, 0.3, 0.05
RATIOS = [10.0**-k for k in range(4, 21)]
PLACES = [(-0.5, 0.5), (-0.5, 0.1, 0.5)]

# rounding over the least that a grip gives way: 1e-16 / 1e-10
TOLERANCE = 1e-6


def beam_in_grips(places, ratio, shares, holder=None, **tables):
    """A beam along x, held at some places with m η²/k of about that ratio."""
    eta = min(10.0, np.sqrt(ratio * 9e11 / max(shares) / MASS))
    stiffness = [share * MASS * eta**2 / ratio for share in shares]
    frame = {}
    for k, x in enumerate(places):
        frame[f"Grip{k}"] = {"position_m": [x, 0, 0], **({"on": holder} if holder else {})}
        frame[f"Place{k}"] = {"on": "Beam", "position_m": [x, 0, 0]}
    return cell_of(
        frame=frame,
        body={"Beam": ball(MASS, MASS * GYRATION**2, **tables.pop("beam", {}))}
        | tables.pop("others", {}),
        collision_object={
            f"C{k}": {"on": f"Grip{k}", "sphere": {"radius_m": 0.1}} for k in range(len(places))
        },
        constrained_object={
            f"S{k}": {
                "on": f"Place{k}",
                "radius_m": RADIUS,
                "eta": eta,
                "grip_stiffness_n_m": stiffness[k],
            }
            for k in range(len(places))
        },
        **tables,
    )


def shared(places, ratio, shares, w):
    """Force and moment in every grip, for a wrench w on the beam in world axes."""
    n = len(places)
    G = np.zeros((6, 6 * n))
    for k, x in enumerate(places):
        lever = np.cross([x, 0, 0], np.eye(3)).T
        G[:3, 6 * k : 6 * k + 3] = np.eye(3)
        G[3:, 6 * k : 6 * k + 3] = lever
        G[3:, 6 * k + 3 : 6 * k + 6] = np.eye(3)
    # times m: what each grip gives way
    R = np.concatenate([ratio / s * np.array([1.0] * 3 + [RADIUS**-2] * 3) for s in shares])
    M = np.diag([1.0] * 3 + [GYRATION**2] * 3)
    a = np.linalg.solve(M + (G / R) @ G.T, w)
    return -((G.T @ a) / R).reshape(n, 6)


def forces(cell, n):
    """Force on the beam and moment, grip by grip."""
    return cell.scratch.pairs.force[:n].copy()


@pytest.mark.parametrize("places", PLACES, ids=["two", "three"])
@pytest.mark.parametrize("ratio", RATIOS)
def test_beam_at_rest_hangs_in_its_grips_however_stiff_they_are(places, ratio):
    equal = [1.0] * len(places)
    cell = beam_in_grips(places, ratio, equal, integrator="semi_implicit")
    cell.run(1)
    assert cell.fault is None
    weight = MASS * 9.81
    expected = shared(places, ratio, equal, np.r_[0, 0, -weight, 0, 0, 0])
    assert forces(cell, len(places)) == pytest.approx(expected, rel=0, abs=TOLERANCE * weight)


@pytest.mark.parametrize("places", PLACES, ids=["two", "three"])
@pytest.mark.parametrize("ratio", RATIOS[::2])
def test_grips_stay_bounded_while_the_beam_settles(places, ratio):
    equal = [1.0] * len(places)
    cell = beam_in_grips(places, ratio, equal)
    cell.run(500)
    assert cell.fault is None
    weight = MASS * 9.81
    found = forces(cell, len(places))
    expected = shared(places, ratio, equal, np.r_[0, 0, -weight, 0, 0, 0])
    # how far they have settled is a share m η²/k of it; places are rounded to 1e-17 m
    assert found == pytest.approx(expected, rel=0, abs=(2 * ratio + 1e-5) * weight)


@pytest.mark.parametrize("ratio", [1e-4, 1e-6, 1e-8])
def test_stiff_grips_of_different_stiffness_share_by_it(ratio):
    places, shares = (-0.5, 0.1, 0.5), (1.0, 0.25, 0.5)
    cell = beam_in_grips(places, ratio, shares, integrator="semi_implicit")
    cell.run(1)
    weight = MASS * 9.81
    expected = shared(places, ratio, shares, np.r_[0, 0, -weight, 0, 0, 0])
    assert forces(cell, 3) == pytest.approx(expected, rel=0, abs=TOLERANCE * weight)


@pytest.mark.parametrize("places", PLACES, ids=["two", "three"])
@pytest.mark.parametrize("heavier", [0.01, 1.0, 1e3])
@pytest.mark.parametrize("ratio", RATIOS[::2])
def test_grips_on_a_free_body_that_turns_hold_the_beam_on_its_circle(places, heavier, ratio):
    """Nothing is fixed here: what the grips leave is small against what all of it does."""
    equal, spin, off = [1.0] * len(places), 3.0, 0.4
    mass = heavier * MASS
    center = off * mass / (mass + MASS)  # of both, seen from the beam towards the holder
    cell = beam_in_grips(
        places,
        ratio,
        equal,
        holder="Mount",
        gravity_m_s2=[0, 0, 0],
        integrator="semi_implicit",
        beam={
            "velocity_m_s": [0, 0, -spin * center],
            "angular_velocity_deg_s": [np.degrees(spin), 0, 0],
        },
        others={
            "Mount": ball(
                mass,
                mass * GYRATION**2,
                center_of_mass_m=[0, off, 0],
                velocity_m_s=[0, 0, -spin * center],
                angular_velocity_deg_s=[np.degrees(spin), 0, 0],
            )
        },
    )
    cell.run(1)
    assert cell.fault is None
    pull = MASS * spin**2 * center
    expected = shared(places, ratio, equal, np.r_[0, -pull, 0, 0, 0, 0])
    # the mount gives way too, so the grips' share of it is not m η²/k of the beam alone
    tolerance = (TOLERANCE + 2 * ratio * (1 + 1 / heavier)) * max(1, 1 / heavier)
    assert forces(cell, len(places)) == pytest.approx(expected, rel=0, abs=tolerance * pull)
