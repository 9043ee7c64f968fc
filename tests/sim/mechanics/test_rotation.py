"""Quaternions against scipy's rotations."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from scipy.spatial.transform import Rotation

from twincell.sim.mechanics import rotation
from twincell.sim.pose import Pose, angles, quaternion, rotation_matrix, rotation_vector

component = st.floats(-1, 1)
vectors = st.tuples(component, component, component)
turns = vectors.map(lambda v: tuple(3.1 * x / max(1.0, np.linalg.norm(v)) for x in v))


def of(turn):
    x, y, z, w = Rotation.from_rotvec(turn).as_quat()
    return (w, x, y, z)


@settings(deadline=None, max_examples=60)
@given(turns, turns)
def test_composing_quaternions_composes_rotations(a, b):
    expected = (Rotation.from_rotvec(a) * Rotation.from_rotvec(b)).as_matrix()
    found = rotation.matrix(rotation.compose(of(a), of(b)))
    assert np.reshape(found, (3, 3)) == approx(expected, abs=1e-14)


@settings(deadline=None, max_examples=100)
@given(turns)
def test_the_rotation_vector_comes_back_the_short_way(turn):
    assert rotation.vector(of(turn)) == approx(turn, abs=1e-12)
    minus = tuple(-x for x in of(turn))  # the same rotation
    assert rotation.vector(minus) == approx(turn, abs=1e-12)


def test_the_series_for_small_rotations_meets_the_exact_formula():
    for angle in (1e-12, 1e-6, 0.05, 0.0632, 0.0633, 0.07):  # sine² = 1e-3 is at 0.06325
        assert rotation.vector(of((angle, 0, 0)))[0] == approx(angle, rel=4e-16)


def test_a_turn_of_almost_half_a_circle_keeps_its_direction():
    assert rotation.vector(of((0, np.pi - 1e-9, 0))) == approx((0, np.pi - 1e-9, 0), abs=1e-12)


@settings(deadline=None, max_examples=60)
@given(turns, vectors)
def test_the_rate_of_a_quaternion_is_that_of_its_rotation(turn, w):
    h = 1e-6
    q, rate = np.array(of(turn)), np.array(rotation.rate(of(turn), w))
    later = Rotation.from_rotvec(np.array(w) * h) * Rotation.from_rotvec(turn)
    x, y, z, scalar = later.as_quat()
    expected = np.array([scalar, x, y, z])
    expected *= np.sign(expected @ q)
    assert q + h * rate == approx(expected, abs=2e-12)  # second order in h


@settings(deadline=None, max_examples=60)
@given(st.tuples(st.floats(-179, 179), st.floats(-89, 89), st.floats(-179, 179)))
def test_angles_are_applied_about_z_then_y_then_x(degrees):
    a, b, c = degrees
    expected = Rotation.from_euler("ZYX", [c, b, a], degrees=True).as_matrix()
    matrix = rotation_matrix(degrees)
    assert matrix == approx(expected, abs=1e-14)
    assert np.degrees(rotation.angles(tuple(matrix.ravel()))) == approx(degrees, abs=1e-9)
    assert np.degrees(angles(matrix)) == approx(degrees, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(turns)
def test_a_matrix_gives_its_quaternion_and_rotation_vector_back(turn):
    matrix = Rotation.from_rotvec(turn).as_matrix()
    assert rotation.matrix(tuple(quaternion(matrix))) == approx(tuple(matrix.ravel()), abs=1e-14)
    assert rotation_vector(matrix) == approx(turn, abs=1e-9)


def test_a_pose_and_its_inverse_cancel():
    pose = Pose.of((1, 2, 3), (10, 20, 30))
    unit = pose @ Pose(-pose.R.T @ pose.p, pose.R.T)
    assert unit.p == approx(np.zeros(3), abs=1e-15)
    assert approx(np.eye(3), abs=1e-15) == unit.R
