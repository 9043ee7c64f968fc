"""Rules within one entry: inertias, directions, shapes, movers and stops."""

import pytest

from twincell.sim.spec import SpecError, load_text
from twincell.sim.spec.cell import CollisionObject, Visual
from twincell.sim.spec.rules_entries import shape_names

HEAD = 'name = "x"\n[mover.Robot]\n'
N_LINES = HEAD.count("\n")


def expect(more, line, key, words, hint):
    """The cell has exactly this mistake; lines count from the addition."""
    with pytest.raises(SpecError) as caught:
        load_text(HEAD + more)
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (N_LINES + line, key)
    assert words in problem.text
    assert hint in problem.hint


# ---------------------------------------------------------------- inertia


def body(inertia):
    return f"[body.A]\nmass_kg = 1\ninertia_kg_m2 = {inertia}\n"


@pytest.mark.parametrize(
    "inertia",
    [
        [0.01, 0.01, 0.01],
        [1, 1, 2],  # a flat disc: exactly the sum
        [1.000000, 1.000000, 2.000001],  # the same, printed with seven digits
        [1e-6, 1, 1],  # a wire
        [1, 2, 2.5, 0.1, -0.2, 0.3],
        [1e11, 1e11, 1e11],
        [1e-14, 1e-14, 1e-14],
    ],
)
def test_an_inertia_that_matter_can_have_is_good(inertia):
    load_text(HEAD + body(inertia))


@pytest.mark.parametrize(
    ("inertia", "words", "hint"),
    [
        ([1, 0, 1], "xx, yy and zz must be greater than 0, not 0", "the order is xx, yy, zz"),
        ([1, 1, -2, 0, 0, 0], "must be greater than 0, not -2", "the order is xx, yy, zz"),
        ([1, 1, 1, 1, 0, 0], "products xy, xz, yz are too large", "the order is xx, yy, zz"),
        ([1, 1, 1, 0, 5, 0], "products xy, xz, yz are too large", "the order is xx, yy, zz"),
        ([1, 1, 2.1], "moment 2.1 is greater than the sum of the other two, 2", "check units"),
        ([1, 1, 1, 0.9, 0, 0], "moment 1.9 is greater than the sum of", "centre of mass"),
    ],
)
def test_an_inertia_that_no_body_has_is_refused(inertia, words, hint):
    expect(body(inertia), 3, "body.A.inertia_kg_m2", words, hint)


# ---------------------------------------------------------------- directions


def test_a_direction_has_a_length():
    joint = '[body.B]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\n[joint.J]\ntype = "{}"\n'
    joint += 'parent = "Robot"\nchild = "B"\naxis = [0, 0, 1e-10]\n'
    for kind in ("revolute", "prismatic"):
        expect(joint.format(kind), 8, "joint.J.axis", "has no length", "such as [0, 0, 1]")
    mover = "[mover.M]\nsine = { direction = [0, 0, 0], amplitude_m = 1 }\n"
    expect(mover, 2, "mover.M.sine.direction", "has no length", "such as [0, 0, 1]")


# ---------------------------------------------------------------- shapes

HOLDER = '[collision_object.H]\non = "Robot"\n'
VISUAL = '[visual.V]\non = "Robot"\n'
SPHERE = "sphere = { radius_m = 1 }\n"


def test_shapes_are_the_keys_that_hold_a_table():
    solids = ("cylinder", "capsule", "box")
    assert shape_names(CollisionObject) == ("sphere", "rectangle", "disc", *solids)
    assert shape_names(Visual) == ("sphere", "box", "cylinder")


def test_a_collision_object_has_one_shape():
    hint = "give one of sphere, rectangle, disc, cylinder, capsule, box"
    expect(HOLDER, 1, "collision_object.H", "has no shape", hint)
    two = HOLDER + "rectangle = { length_m = 1, width_m = 1 }\n" + SPHERE
    key = "collision_object.H.sphere"
    expect(two, 4, key, "has 2 shapes: rectangle, sphere", "keep one")


def test_a_visual_has_one_shape():
    expect(VISUAL, 1, "visual.V", "has no shape", "give one of sphere, box, cylinder")
    two = VISUAL + SPHERE + "box = { size_m = [1, 1, 1] }\n"
    expect(two, 4, "visual.V.box", "has 2 shapes: sphere, box", "keep one")


def test_only_a_control_object_closes():
    key = "collision_object.H.closed"
    expect(HOLDER + SPHERE + "closed = true\n", 4, key, "catches always", 'mode = "control"')
    load_text(HEAD + HOLDER + SPHERE + 'closed = true\nmode = "control"\n')
    load_text(HEAD + HOLDER + SPHERE + "closed = false\n")


# ---------------------------------------------------------------- movers

WAYPOINTS = "waypoints = [{ at_s = 0, position_m = [0, 0, 0] }]\n"
SINE = "sine = { direction = [1, 0, 0], amplitude_m = 1 }\n"


def test_a_mover_follows_waypoints_or_swings():
    cell = "[mover.M]\n" + WAYPOINTS + SINE
    expect(cell, 3, "mover.M.sine", "cannot follow both", "keep one")


@pytest.mark.parametrize("key", ["position_m", "orientation_deg"])
def test_waypoints_say_where_a_mover_is(key):
    cell = f"[mover.M]\n{key} = [0, 0, 0]\n{WAYPOINTS}"
    expect(cell, 2, f"mover.M.{key}", "waypoints say where", "remove it")


def test_waypoints_follow_each_other_in_time():
    cell = """\
[mover.M]
waypoints = [
  { at_s = 0, position_m = [0, 0, 0] },
  { at_s = 2, position_m = [0, 0, 1] },
  { at_s = 2, position_m = [0, 0, 2] },
]
"""
    words = "2 s is not after the waypoint before, 2 s"
    expect(cell, 5, "mover.M.waypoints[2].at_s", words, "times must increase")


def test_a_sine_swings():
    cell = "[mover.M]\nposition_m = [0, 0, 1]\nsine = { direction = [1, 0, 0] }\n"
    expect(cell, 3, "mover.M.sine", "both amplitudes are 0", "give amplitude_m or amplitude_deg")


# ---------------------------------------------------------------- stops


def jointed(kind, *rows):
    cell = f'[body.B]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\n[joint.J]\ntype = "{kind}"\n'
    return cell + "\n".join(['parent = "Robot"', 'child = "B"', *rows, ""])


@pytest.mark.parametrize(("kind", "unit"), [("revolute", "deg"), ("prismatic", "m")])
def test_stops_leave_room_and_the_joint_starts_between_them(kind, unit):
    lower, upper, start = f"lower_{unit}", f"upper_{unit}", f"start_{unit}"
    load_text(HEAD + jointed(kind, f"{lower} = 0", f"{upper} = 1", f"{start} = 1"))

    swapped = jointed(kind, f"{upper} = 1", f"{lower} = 2")
    expect(swapped, 9, f"joint.J.{lower}", f"2 is not below {upper}, 1", "the smaller number")
    equal = jointed(kind, f"{upper} = 1", f"{lower} = 1")
    expect(equal, 9, f"joint.J.{lower}", f"1 is not below {upper}, 1", "the smaller number")

    above = jointed(kind, f"{upper} = 1", f"{start} = 2")
    expect(above, 9, f"joint.J.{start}", f"is above {upper}, 1", "between the stops")
    below = jointed(kind, f"{lower} = 1")  # starts at 0 unless told otherwise
    expect(below, 4, f"joint.J.{start}", f"the start, 0, is below {lower}, 1", "between the stops")
