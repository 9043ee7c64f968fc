"""Fixed joints disappear: what moves as one becomes one body."""

import numpy as np
from pytest import approx

from twincell.sim.arrays import leaves
from twincell.sim.build import compile_cell
from twincell.sim.build.assembly import assemble
from twincell.sim.spec import load_text

DUMBBELL = """
name = "Dumbbell"
[body.Left]
mass_kg = 1.0
inertia_kg_m2 = [0.1, 0.1, 0.1]
position_m = [0, 0, 1]
[body.Right]
mass_kg = 3.0
inertia_kg_m2 = [0.1, 0.2, 0.25]
[joint.Rod]
type = "fixed"
parent = "Left"
child = "Right"
position_m = [2, 0, 0]
orientation_deg = [0, 0, 90]
[frame.Tip]
on = "Right"
position_m = [0.5, 0, 0]
[mover.Slide]
[body.OnSlide]
mass_kg = 1.0
inertia_kg_m2 = [0.1, 0.1, 0.1]
[joint.Bolt]
type = "fixed"
parent = "Slide"
child = "OnSlide"
[body.Arm]
mass_kg = 1.0
inertia_kg_m2 = [0.1, 0.1, 0.1]
[joint.Hinge]
type = "revolute"
parent = "Tip"
child = "Arm"
[body.Alone]
mass_kg = 1.0
inertia_kg_m2 = [0.1, 0.1, 0.1]
"""


def test_bodies_joined_by_a_fixed_joint_have_one_mass_centre_and_inertia():
    group = assemble(load_text(DUMBBELL)).groups["Left"]
    assert group.mass == approx(4.0)
    assert group.center == approx([1.5, 0, 0])
    # own inertias (Right's turned by 90° about z) plus m r² about the common centre
    across = 1.0 * 1.5**2 + 3.0 * 0.5**2
    assert np.diag(group.inertia) == approx([0.1 + 0.2, 0.1 + 0.1 + across, 0.1 + 0.25 + across])


def test_frames_on_frames_end_up_on_the_body_that_moves():
    mounts = assemble(load_text(DUMBBELL)).mounts
    assert mounts["Tip"].group == "Left"
    assert mounts["Tip"].pose.p == approx([2, 0.5, 0])
    assert mounts["OnSlide"].group == "Slide"


def test_a_tree_stands_together_each_body_after_its_carrier():
    compiled = compile_cell(load_text(DUMBBELL))
    assert compiled.body_names == ("World", "Slide", "Left", "Arm", "Alone")
    bodies = compiled.model.bodies
    assert list(bodies.tree) == [0, 1, 2, 2, 3]
    assert list(bodies.free) == [-1, -1, 0, -1, 1]
    assert not bodies.grounded.any()


def test_every_array_of_the_model_is_read_only():
    model = compile_cell(load_text(DUMBBELL)).model
    arrays = dict(leaves(model))
    assert arrays and not any(array.flags.writeable for array in arrays.values())
