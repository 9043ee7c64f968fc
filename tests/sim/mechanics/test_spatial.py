"""Six by six inertias and responses against numpy's dense matrices."""

import numpy as np
import pytest
from pytest import approx

from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.vector import rotate_inertia, sym_inverse


def full(x):
    """The 21 numbers as a six by six matrix."""
    (m, h, j), half = x, np.zeros((6, 6))
    for block, at in ((m, 0), (j, 3)):
        xx, yy, zz, xy, xz, yz = block
        half[at : at + 3, at : at + 3] = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
    half[:3, 3:] = np.reshape(h, (3, 3))
    half[3:, :3] = half[:3, 3:].T
    return half


def packed(matrix):
    """A symmetric six by six matrix as 21 numbers."""

    def block(b):
        return (b[0, 0], b[1, 1], b[2, 2], b[0, 1], b[0, 2], b[1, 2])

    return block(matrix[:3, :3]), tuple(matrix[:3, 3:].ravel()), block(matrix[3:, 3:])


def cross(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


@pytest.fixture(params=range(8))
def random(request):
    return np.random.default_rng(request.param)


def positive(random):
    root = random.normal(size=(6, 6))
    return root @ root.T + np.eye(6)


def pair(v):
    return tuple(v[:3]), tuple(v[3:])


def test_product_sum_and_square_are_those_of_the_dense_matrix(random):
    a, b, v = positive(random), positive(random), random.normal(size=6)
    assert np.hstack(spatial.mul6(packed(a), pair(v))) == approx(a @ v, rel=1e-13)
    assert full(spatial.plus6(packed(a), packed(b))) == approx(a + b, rel=1e-15)
    assert full(spatial.scale6(0.3, packed(a))) == approx(0.3 * a, rel=1e-15)
    expected = a - 0.7 * np.outer(v, v)
    assert full(spatial.minus_square(packed(a), 0.7, pair(v))) == approx(expected, abs=1e-13)


def test_inverse_and_solve_are_those_of_the_dense_matrix(random):
    a, v = positive(random), random.normal(size=6)
    # cofactors and a Schur complement of a matrix with condition below 1e3
    assert full(spatial.inverse6(packed(a))) == approx(np.linalg.inv(a), abs=1e-12)
    assert np.hstack(spatial.solve6(packed(a), pair(v))) == approx(np.linalg.solve(a, v), abs=1e-12)


def test_a_body_away_from_o_has_the_inertia_of_its_shifted_motion(random):
    r, mass = random.normal(size=3), 2.5
    inertia = positive(random)[:3, :3]
    to_center = np.block([[np.eye(3), -cross(r)], [np.zeros((3, 3)), np.eye(3)]])
    at_center = np.block([[mass * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), inertia]])
    expected = to_center.T @ at_center @ to_center
    flat = packed(np.block([[inertia, inertia], [inertia, inertia]]))[0]
    assert full(spatial.of_body(mass, flat, tuple(r))) == approx(expected, abs=1e-12)


def test_a_response_moves_to_another_point_like_forces_and_fields_do(random):
    a, r, f = positive(random), tuple(random.normal(size=3)), random.normal(size=6)
    moved = spatial.response_at(packed(a), r)
    # force at o + r -> the same about o -> field about o -> field at o + r
    back = tuple(-x for x in r)
    about_o = spatial.force_at(pair(f), back)
    field = spatial.field_at(spatial.mul6(packed(a), about_o), r)
    assert np.hstack(spatial.mul6(moved, pair(f))) == approx(np.hstack(field), abs=1e-11)


def test_a_rotated_inertia_keeps_its_principal_moments(random):
    inertia = positive(random)[:3, :3]
    R, _ = np.linalg.qr(random.normal(size=(3, 3)))
    flat = packed(np.block([[inertia, inertia], [inertia, inertia]]))[0]
    xx, yy, zz, xy, xz, yz = rotate_inertia(tuple(R.ravel()), flat)
    turned = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert turned == approx(R @ inertia @ R.T, abs=1e-12)
    ii = sym_inverse(flat)
    expected = np.linalg.inv(inertia)
    assert ii[:3] == approx(np.diag(expected), rel=1e-11)
