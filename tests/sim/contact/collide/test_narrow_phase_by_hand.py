"""Contacts that anybody can work out with a pencil."""

import numpy as np
import pytest
from pytest import approx
from reference import Surface, touch
from scipy.spatial.transform import Rotation

from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE

STRAIGHT = Rotation.identity()


def at(x=0.0, y=0.0, z=0.0):
    return np.array([x, y, z], dtype=float)


HERE = at()


def box(hx, hy, hz, p=HERE, R=STRAIGHT):
    return Surface(BOX, (hx, hy, hz), 0.0, p, R)


def rectangle(hx, hy, p=HERE, R=STRAIGHT):
    return Surface(RECTANGLE, (hx, hy, 0.0), 0.0, p, R)


def round_shape(shape, radius, half_length=0.0, p=HERE, R=STRAIGHT):
    return Surface(shape, (0.0, 0.0, half_length), radius, p, R)


def about(axis, degrees):
    return Rotation.from_euler(axis, degrees, degrees=True)


ALONG_X = about("y", 90)


def corners_of(found):
    return sorted(map(tuple, np.round(found.p[:, :2], 9).tolist()))


def test_a_box_on_a_box_stands_on_its_four_corners():
    found = touch(box(0.1, 0.2, 0.1, at(0, 0, 0.1999)), box(1, 1, 0.1))
    assert corners_of(found) == [(-0.1, -0.2), (-0.1, 0.2), (0.1, -0.2), (0.1, 0.2)]
    assert found.depth == approx(1e-4, abs=1e-15)
    assert found.share == approx(1, abs=1e-12)
    assert found.n == approx(np.tile([0, 0, 1], (4, 1)), abs=1e-15)


@pytest.mark.parametrize("degrees", [1e-9, 1e-6, 1e-3, 1, 20, 45])
def test_corners_that_split_as_a_box_turns_share_their_force(degrees):
    lower = box(0.1, 0.1, 0.1)
    upper = box(0.1, 0.1, 0.1, at(0, 0, 0.1999), about("z", degrees))
    found = touch(upper, lower)
    assert found.share.sum() == approx(4, abs=1e-9)
    # no corner of the square has more than its quarter, however close its two halves are
    quadrant = np.sign(np.round(found.p[:, 0], 12)) + 3 * np.sign(np.round(found.p[:, 1], 12))
    for q in (-4, -2, 2, 4):
        assert found.share[quadrant == q].sum() <= 1 + 1e-6
    assert (found.p[:, :2] * found.share[:, None]).sum(0) == approx([0, 0], abs=1e-9)


def test_a_tilted_box_stands_on_the_edge_that_is_lower():
    found = touch(box(0.1, 0.1, 0.1, at(0, 0, 0.0999), about("y", 0.1)), rectangle(1, 1))
    assert len(found.depth) == 2
    assert found.p[:, 0] == approx([0.1, 0.1], abs=1e-3)


def test_a_box_over_an_edge_has_its_points_moved_along_its_edges():
    # eqs. (6), (7): the outer corners go back to the edge, by h/cos 30° along each side
    turn = about("z", 30)
    upper = box(0.05, 0.05, 0.05, at(0.2, 0, 0.0499), turn)
    found = touch(upper, rectangle(0.2, 0.2))
    assert found.p[:, 0].max() == approx(0.2, abs=1e-12)
    on_edge = found.p[np.isclose(found.p[:, 0], 0.2, atol=1e-9)]
    assert sorted(on_edge[:, 1]) == approx([-0.05 / np.cos(np.pi / 6), 0.05 / np.cos(np.pi / 6)])
    assert len(found.depth) == 4
    assert found.share.sum() == approx(4)


def test_a_corner_over_an_edge_becomes_two_points_and_five_in_all():
    upper = box(0.05, 0.05, 0.05, at(0.15, 0, 0.0499), about("z", 40))
    found = touch(upper, rectangle(0.2, 0.2))
    assert len(found.depth) == 5
    assert found.share.sum() == approx(4)


def test_a_cylinder_that_rolls_over_the_rim_of_a_disc_has_its_ends_moved_along_it():
    # eq. (3): at x from the middle the chord is 2 √(R² - x²) long
    lying = round_shape(CYLINDER, 0.0075, 0.05, at(0.03, 0, 0.0074), about("x", 90))
    found = touch(lying, round_shape(DISC, 0.04))
    chord = np.sqrt(0.04**2 - 0.03**2)
    assert found.depth == approx(1e-4)
    assert sorted(found.p[:, 1]) == approx([-chord, chord], abs=1e-9)
    assert found.share == approx(1)


def test_a_cylinder_lies_on_two_points_and_stands_on_a_rim():
    table = rectangle(1, 1)
    lying = touch(round_shape(CYLINDER, 0.1, 0.2, at(0, 0, 0.0999), ALONG_X), table)
    assert corners_of(lying) == [(-0.2, 0), (0.2, 0)]
    standing = touch(round_shape(CYLINDER, 0.1, 0.2, at(0, 0, 0.1999)), table)
    assert standing.share.sum() == approx(4)
    assert np.hypot(*standing.p[:, :2].T) == approx(0.1)
    on_plane = touch(round_shape(CYLINDER, 0.1, 0.2, at(0, 0, 0.1999)), round_shape(HALF_SPACE, 0))
    assert on_plane.share.sum() == approx(4)


def test_equal_cylinders_end_on_end_have_no_more_points_than_there_is_room_for():
    # seen once: sixteen corners in common, and the deepest point was written as a seventeenth
    most = 0
    for turn in np.linspace(0, 45, 24):
        tilt = Rotation.from_rotvec([0.0039 * np.cos(turn), 0.0039 * np.sin(turn), 0])
        upper = round_shape(CYLINDER, 0.05, 0.05, at(1.8e-3, 0, 0.0999), tilt * about("z", turn))
        found = touch(upper, round_shape(CYLINDER, 0.05, 0.05), reach=1e-2)
        most = max(most, len(found.depth))
        assert found.share.sum() == approx(4)
    assert most > 8


def test_a_cylinder_that_is_moved_over_a_disc_has_one_face_to_share_wherever_it_is():
    # the same depth everywhere; once a whole point was added where the rims cross, and the push of
    # one corner of eight became three times as much
    tilt = about("y", 1)
    z = 0.05 * np.cos(np.radians(1)) + 0.04 * np.sin(np.radians(1)) - 1e-4
    for x in np.arange(0, 0.0101, 5e-4):
        upper = round_shape(CYLINDER, 0.04, 0.05, at(x, 0, z), tilt)
        found = touch(upper, round_shape(DISC, 0.045), reach=1e-2)
        assert found.share.sum() == approx(4)
        pressing = found.depth > 0  # by a part of its face, so by less than a point of its own
        assert (found.share * found.depth)[pressing].sum() < found.depth.max()


def test_parallel_cylinders_touch_along_a_line_and_crossing_ones_in_a_point():
    lower = round_shape(CYLINDER, 0.1, 0.3, R=ALONG_X)
    along = touch(round_shape(CYLINDER, 0.1, 0.2, at(0.2, 0, 0.199), ALONG_X), lower)
    assert corners_of(along) == [(0, 0), (0.3, 0)]
    assert along.share == approx(1)
    turned = about("z", 70) * ALONG_X
    across = touch(round_shape(CYLINDER, 0.1, 0.2, at(0.2, 0, 0.199), turned), lower)
    assert corners_of(across) == [(0.2, 0)]
    assert across.depth == approx(1e-3)


def test_edges_that_cross_meet_in_a_point():
    # two boxes turned on their edges, one across the other
    lower = box(0.1, 0.5, 0.1, R=about("y", 45))
    upper = box(0.5, 0.1, 0.1, at(0, 0, 0.2 * np.sqrt(2) - 1e-3), about("x", 45))
    found = touch(upper, lower)
    assert found.depth == approx([1e-3])
    assert found.p == approx(np.array([[0, 0, 0.1 * np.sqrt(2) - 5e-4]]), abs=1e-12)
    assert found.n == approx(np.array([[0, 0, 1]]), abs=1e-12)


def test_a_capsule_lies_on_two_points_and_stands_on_one():
    plate = box(1, 1, 0.1)
    lying = touch(round_shape(CAPSULE, 0.1, 0.2, at(0, 0, 0.199), ALONG_X), plate)
    assert corners_of(lying) == [(-0.2, 0), (0.2, 0)]
    assert touch(round_shape(CAPSULE, 0.1, 0.2, at(0, 0, 0.399)), plate).depth == approx([1e-3])


# unit cube and a box of 0.5 x 1 x 1.5, as the tests of libccd have them
@pytest.mark.parametrize(
    ("p_a", "turn", "half_b", "p_b", "depth", "n"),
    [
        (at(), 0, (0.25, 0.5, 0.75), at(0.1), 0.65, (-1, 0, 0)),
        (at(-0.3, 0.5, 1), 0, (0.25, 0.5, 0.75), at(), 0.25, (0, 0, 1)),
        (at(0.1, 0, 0.1), 45, (0.5, 0.5, 0.5), at(0.1), 0.9, (0, 0, 1)),
        (at(-0.5), 45, (0.5, 0.5, 0.5), at(0.1), 0.607107, (-1, 0, 0)),
        (at(-0.5, 0.5), 45, (0.5, 0.5, 0.5), at(0.1), 0.429289, (-np.sqrt(0.5), np.sqrt(0.5), 0)),
    ],
)
def test_known_penetrations_of_boxes(p_a, turn, half_b, p_b, depth, n):
    found = touch(box(0.5, 0.5, 0.5, p_a, about("z", turn)), box(*half_b, p_b))
    assert found.depth.max() == approx(depth, abs=1e-6)
    assert found.n[0] == approx(n, abs=1e-6)


# ---------------------------------------------------------------- thin surfaces

BALL = round_shape(SPHERE, 0.1)


@pytest.mark.parametrize(
    "plate", [rectangle(1, 1), round_shape(DISC, 1)], ids=["rectangle", "disc"]
)
def test_no_force_acts_through_the_back_of_a_thin_surface(plate):
    layer = 5e-3
    for other in (BALL, box(0.1, 0.1, 0.1), round_shape(CYLINDER, 0.1, 0.1)):
        above = other._replace(p=at(0, 0, 0.1 - layer + 1e-6))
        assert touch(above, plate, layer).n[:, 2] == approx(1)
        for z in (0.1 - layer - 1e-6, 0.05, 0.0, -0.05, -0.099, -0.2):
            assert len(touch(other._replace(p=at(0.2, 0.1, z)), plate, layer).depth) == 0


@pytest.mark.parametrize(
    "plate", [rectangle(1, 1), round_shape(DISC, 1)], ids=["rectangle", "disc"]
)
@pytest.mark.parametrize(
    "other",
    [BALL, box(0.1, 0.1, 0.1), round_shape(CYLINDER, 0.1, 0.1), round_shape(CAPSULE, 0.1, 0.1)],
    ids=["ball", "box", "cylinder", "capsule"],
)
def test_there_is_no_wall_below_the_edge_of_a_table(other, plate):
    layer = 5e-3
    for z in (-0.5, -0.3, -0.206):
        for x in np.linspace(0.9, 1.1, 81):
            for turn in (0, 1, 20):
                below = other._replace(p=at(x, 0, z), R=about("y", turn) * other.R)
                if turn == 0 or z < -0.25:
                    assert len(touch(below, plate, layer, reach=1e-3).depth) == 0


def test_a_ball_that_rises_past_the_edge_of_a_table_is_pushed_aside_from_nothing_on():
    depths = []
    for z in np.linspace(-0.11, 0.0, 2201):
        found = touch(BALL._replace(p=at(1.097, 0, z)), rectangle(1, 1), 5e-3)
        depths.append(found.depth[0] if len(found.depth) else 0.0)
        if len(found.depth):
            assert found.n[0] == approx([1, 0, 0], abs=1e-12)
            assert -5e-3 - 1e-12 <= found.p[0, 2] <= 0
    assert depths[-1] == approx(3e-3)
    assert np.abs(np.diff(depths)).max() < 2e-5  # steps of 50 µm at slopes below ⅓


def test_a_box_beside_a_table_is_pushed_aside_where_it_is_in_the_layer():
    found = touch(box(0.1, 0.1, 0.1, at(1.099, 0, -0.05)), rectangle(1, 1), 5e-3)
    assert found.n == approx(np.tile([1, 0, 0], (4, 1)), abs=1e-12)
    assert sorted(found.p[:, 2]) == approx([-5e-3, -5e-3, 0, 0], abs=1e-12)


def test_capsules_on_one_axis_leave_sideways():
    found = touch(round_shape(CAPSULE, 0.02, 0.1, at(0, 0, 0.03)), round_shape(CAPSULE, 0.02, 0.1))
    assert found.depth == approx([0.04, 0.04])
    assert found.n[:, 2] == approx(0)
    assert sorted(found.p[:, 2]) == approx([-0.07, 0.1])


def test_a_ball_leaves_the_edge_of_a_table_without_a_jump():
    table = rectangle(1, 1)
    depths, heights = [], []
    for x in np.linspace(0.98, 1.06, 41):
        found = touch(BALL._replace(p=at(x, 0, 0.098)), table, 5e-3)
        depths.append(found.depth[0] if len(found.depth) else 0.0)
        heights.append(found.n[0, 2] if len(found.depth) else np.nan)
    assert np.abs(np.diff(depths)).max() < 1e-3  # 2 mm steps at slopes below ½
    assert heights[0] == 1
    assert depths[-1] == 0


def test_a_box_that_tips_over_the_edge_of_a_table_is_pushed_along_its_own_normal():
    tipping = box(0.1, 0.1, 0.02, at(1.02, 0, 0.0163), about("y", 10))
    found = touch(tipping, rectangle(1, 1), 5e-3)
    assert found.n[0] == approx(about("y", 10).apply([0, 0, 1]), abs=1e-9)
    assert found.p[:, 0] == approx(1, abs=1e-3)


# ---------------------------------------------------------------- chamfered edges

LEVEL_FACES = [rectangle(0.5, 0.5, at(0.5)), box(0.5, 0.5, 0.5, at(0.5, 0, -0.5))]
each_face = pytest.mark.parametrize("face", LEVEL_FACES, ids=["rectangle", "box"])


@each_face
@pytest.mark.parametrize("turn", [0.0, 30.0])
def test_an_edge_that_is_hardly_entered_from_above_does_not_push_back(face, turn):
    # 5 µm below the face, 1 µm over its edge, which is at x = 0
    ahead = 0.1 * (np.cos(np.radians(turn)) + np.sin(np.radians(turn)))
    sliding = box(0.1, 0.1, 0.1, at(1e-6 - ahead, 0, 0.1 - 5e-6), about("z", turn))
    assert touch(sliding, face, 5e-3).n[0] == approx([-1, 0, 0], abs=1e-9)
    assert len(touch(sliding, face, 5e-3, chamfer=1e-5).depth) == 0
    assert len(touch(sliding, face, 5e-3, chamfer=4e-6).depth) > 0
    # farther over it, the face bears
    over = sliding._replace(p=sliding.p + at(2e-5))
    assert touch(over, face, 5e-3, chamfer=1e-5).n[0] == approx([0, 0, 1], abs=1e-9)


@each_face
@pytest.mark.parametrize(
    "roller",
    [
        round_shape(SPHERE, 0.1),
        round_shape(CYLINDER, 0.1, 0.2, R=about("x", 90)),
        round_shape(CAPSULE, 0.1, 0.2, R=about("x", 90)),
    ],
    ids=["ball", "cylinder", "capsule"],
)
def test_what_rolls_is_pushed_straight_up_by_an_edge_that_it_hardly_enters(face, roller):
    over = roller._replace(p=at(-5e-4, 0, 0.1 - 5e-6))
    sharp, broken = touch(over, face, 5e-3), touch(over, face, 5e-3, chamfer=1e-5)
    assert sharp.n[0] == approx([-5e-3, 0, 1], abs=1e-4)
    assert broken.n == approx(np.tile([0, 0, 1], (len(broken.n), 1)), abs=1e-12)
    # as deep, and from below its middle: it is not turned
    assert broken.depth == approx(sharp.depth, abs=1e-12)
    assert broken.p[:, 0] == approx(-5e-4, abs=1e-6)
