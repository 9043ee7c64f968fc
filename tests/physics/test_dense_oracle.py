"""Accelerations and forces of random forests against one dense system from Pinocchio."""

import numpy as np
import pytest
from comparison import assert_same, engine_and_oracle, hang_at_random
from scenes import add_pair, random_forest

MIDWAY = [None, 20, 60, 100, 150, 199]  # ticks since the catch, of a transition of 200


@pytest.mark.parametrize("seed", range(12))
def test_free_forest_accelerates_as_pinocchio_says(seed):
    rng = np.random.default_rng(seed)
    scene = random_forest(rng, n_body=int(rng.integers(1, 10)))
    assert_same(*engine_and_oracle(rng, scene))


@pytest.mark.parametrize("seed", range(30))
def test_forest_with_held_trees_equals_the_dense_system(seed):
    rng = np.random.default_rng(100 + seed)
    scene = random_forest(rng, n_body=int(rng.integers(3, 12)))
    hang_at_random(rng, scene, n_pair=int(rng.integers(1, 7)), ages=[None])
    assert_same(*engine_and_oracle(rng, scene))


@pytest.mark.parametrize("seed", range(30))
def test_forest_in_the_middle_of_transitions_equals_the_dense_system(seed):
    rng = np.random.default_rng(200 + seed)
    scene = random_forest(rng, n_body=int(rng.integers(3, 12)))
    hang_at_random(rng, scene, n_pair=int(rng.integers(1, 7)), ages=MIDWAY)
    assert_same(*engine_and_oracle(rng, scene))


def test_chain_of_held_objects_on_a_turning_mover_equals_the_dense_system():
    rng = np.random.default_rng(7)
    scene = random_forest(rng, n_body=1, n_mover=1)
    scene.tables["body"] |= {f"B{k}": scene.tables["body"]["B0"] for k in range(1, 8)}
    scene.free |= {f"B{k}": random_forest(rng, 1).free["B0"] for k in range(1, 8)}
    for k in range(8):
        add_pair(rng, scene, f"B{k}", f"B{k - 1}" if k else "M0", MIDWAY[k % 3])
    assert_same(*engine_and_oracle(rng, scene))


@pytest.mark.parametrize("age", [0, 1])  # s = 1e-12 and 6e-5
def test_fresh_pair_pulls_with_its_small_share_only(age):
    rng = np.random.default_rng(8)
    scene = random_forest(rng, n_body=5, n_mover=1)
    hang_at_random(rng, scene, n_pair=3, ages=[age, None])
    assert_same(*engine_and_oracle(rng, scene))


@pytest.mark.parametrize("seed", range(5))
def test_objects_turned_almost_half_a_turn_are_pulled_the_short_way(seed):
    rng = np.random.default_rng(300 + seed)
    scene = random_forest(rng, n_body=6)
    hang_at_random(rng, scene, n_pair=4, ages=[None])
    assert_same(*engine_and_oracle(rng, scene, turn=3.1 * 3**0.5))
