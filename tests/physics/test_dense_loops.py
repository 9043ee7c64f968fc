"""Loops of grips against the dense system, and how grips share a load.

A symmetric beam of mass m that hangs at rest in two grips of stiffness k₁ and k₂, at a distance l
to either side of its middle, moves down by f/k where it is held:

    f₁ = f₂ = m g/2          if it is free to tilt at the grips (moments: f₁ l = f₂ l)
    fᵢ = m g kᵢ/(k₁ + k₂)    if both grips are in the same place: one deflection for both
"""

import numpy as np
import pytest
from comparison import assert_same, close_loops, engine_and_oracle, hang_at_random
from scenes import add_pair, ball, cell_of, random_body, random_forest, with_random_motion


@pytest.mark.parametrize("seed", range(40))
def test_forest_with_loops_equals_the_dense_system(seed):
    rng = np.random.default_rng(400 + seed)
    scene = random_forest(rng, n_body=int(rng.integers(2, 10)))
    ages = [None] if seed % 2 else [None, 20, 100, 180]
    hang_at_random(rng, scene, n_pair=int(rng.integers(0, 4)), ages=ages)
    close_loops(rng, scene, n_pair=int(rng.integers(1, 5)), ages=ages)
    assert_same(*engine_and_oracle(rng, scene))


def beam_scene(rng: np.random.Generator, holders: list[str], ages: list[int | None]):
    """A beam held by any of: the ground, a mover, a heavy free body, an arm on the ground."""
    hinge = {"type": "revolute", "parent": "Ground", "child": "Arm", "axis": [1, 0.2, 0]}
    elbow = {"type": "revolute", "parent": "Arm", "child": "Hand", "position_m": [0, 0, 0.6]}
    tables = {
        "integrator": "semi_implicit",
        "frame": {"Ground": {"position_m": [0.5, 0, 0]}},
        "mover": {"M0": random_forest(rng, 1).tables["mover"]["M0"]},
        "body": {
            "Beam": random_body(rng),
            "Heavy": {**random_body(rng), "mass_kg": 200.0, "inertia_kg_m2": [20, 30, 40]},
            "Arm": random_body(rng),
            "Hand": random_body(rng),
        },
        "joint": {"Shoulder": hinge, "Elbow": elbow},
        "collision_object": {},
        "constrained_object": {},
    }
    scene = with_random_motion(rng, tables)
    for holder, age in zip(holders, ages, strict=True):
        add_pair(rng, scene, "Beam", holder, age, grip_stiffness_n_m=10 ** rng.uniform(4, 6))
    return scene


@pytest.mark.parametrize(
    "holders",
    [
        ["Ground", "Ground"],
        ["Ground", "M0"],
        ["M0", "Heavy"],
        ["Heavy", "Heavy"],
        ["Hand", "Ground"],
        ["Hand", "Arm"],
        ["Hand", "Heavy", "M0"],
        ["Heavy", "Heavy", "Heavy"],
        ["Ground", "M0", "Hand"],
    ],
    ids="+".join,
)
@pytest.mark.parametrize("ages", [[None] * 3, [50, None, 120]], ids=["held", "fresh"])
def test_beam_in_several_grips_equals_the_dense_system(holders, ages):
    rng = np.random.default_rng(len(holders))
    scene = beam_scene(rng, holders, ages[: len(holders)])
    assert_same(*engine_and_oracle(rng, scene))


@pytest.mark.parametrize("ages", [[None, None], [30, None], [30, 90]])
def test_two_free_bodies_that_hold_each_other_equal_the_dense_system(ages):
    rng = np.random.default_rng(11)
    scene = random_forest(rng, n_body=1)
    scene.tables["body"]["B1"] = random_body(rng)
    scene.free["B1"] = random_forest(rng, 1).free["B0"]
    add_pair(rng, scene, "B0", "B1", ages[0])
    add_pair(rng, scene, "B1", "B0", ages[1])
    assert_same(*engine_and_oracle(rng, scene))


@pytest.mark.parametrize("holder", ["B0", "M0"])
def test_tree_held_twice_keeps_its_own_joint(holder):
    """Both of its bodies are reached through pairs before its joint is walked."""
    rng = np.random.default_rng(12)
    scene = random_forest(rng, n_body=1)
    body = scene.tables["body"]
    body |= {f"B{k}": random_body(rng) for k in range(1, 4)}
    hinge = {"type": "revolute", "parent": "B1", "child": "B2", "position_m": [0.3, 0, 0]}
    scene.tables["joint"] = {"J": hinge, "K": {**hinge, "parent": "B2", "child": "B3"}}
    scene = with_random_motion(rng, scene.tables)
    add_pair(rng, scene, "B3", holder, None)
    add_pair(rng, scene, "B1", holder, None)
    assert_same(*engine_and_oracle(rng, scene))


def hanging_beam(positions, stiffness, mass=4.0):
    """A beam at rest in grips along x, and the forces in them after it has settled."""
    n = len(positions)
    cell = cell_of(
        frame={
            **{f"F{k}": {"position_m": [x, 0, 0]} for k, x in enumerate(positions)},
            **{f"A{k}": {"on": "Beam", "position_m": [x, 0, 0]} for k, x in enumerate(positions)},
        },
        body={"Beam": ball(mass)},
        collision_object={f"C{k}": {"on": f"F{k}", "sphere": {"radius_m": 0.01}} for k in range(n)},
        constrained_object={
            # of a tiny radius: grips that do not resist tilting
            f"S{k}": {"on": f"A{k}", "radius_m": 1e-3, "eta": 50.0, "grip_stiffness_n_m": s}
            for k, s in enumerate(stiffness)
        },
    )
    cell.run(2000)
    force = [cell[f"S{k}.Force.Z"] for k in range(n)]
    sunk = [-cell[f"S{k}.Pose.Z"] for k in range(n)]
    return np.array(force), np.array(sunk)


def test_grips_in_one_place_share_the_load_by_their_stiffness():
    force, sunk = hanging_beam([0.0, 0.0], [3e5, 1e5])
    assert force == pytest.approx(4.0 * 9.81 * np.array([0.75, 0.25]), rel=1e-9)  # settled: e^-100
    assert sunk == pytest.approx(4.0 * 9.81 / 4e5, rel=1e-9)  # springs side by side: f/(k1 + k2)


def test_grips_at_both_ends_share_the_load_by_their_moments():
    force, sunk = hanging_beam([-0.5, 0.5], [3e5, 1e5])
    # the grips still resist tilting like springs k r²: 1e-6 of k l²
    assert force == pytest.approx(4.0 * 9.81 / 2, rel=1e-5)
    assert sunk == pytest.approx(force / [3e5, 1e5], rel=1e-4)


def test_three_grips_share_the_load_as_three_springs_do():
    """f_i = k_i (z + φ x_i), with forces and moments in balance: two unknowns z, φ."""
    x, k = np.array([-0.5, 0.1, 0.5]), np.array([3e5, 1e5, 2e5])
    force, sunk = hanging_beam(x, k)
    rows = np.array([[k.sum(), k @ x], [k @ x, k @ x**2]])
    z, tilt = np.linalg.solve(rows, [4.0 * 9.81, 0.0])
    # the beam tilts by 1e-4 and its grips resist it by 1e-6: both small against the share
    assert force == pytest.approx(k * (z + tilt * x), rel=1e-4)
    assert sunk == pytest.approx(z + tilt * x, rel=1e-4)
