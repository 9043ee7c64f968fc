"""Ideal drives: what they must do so that their joints follow their targets, whatever hangs there.

Inverse dynamics from the accelerations and constraint forces that were found. What body B takes,
about its centre of mass, with the forces f that pairs and contacts put on it at p and all that B
carries:

    F = m (a - g) - Σ f + Σ F_child
    N = J α + ω x J ω - Σ (n + (p - c) x f) + Σ (N + r x F)_child
    effort = S · (F, N) - what acts in the joint by itself + gear q̈
"""

from twincell.sim.jit import formula, kernel, line
from twincell.sim.mechanics import spatial
from twincell.sim.mechanics.joint_axis import joint_axis
from twincell.sim.mechanics.spatial import add_pair
from twincell.sim.mechanics.tree_response import inertia_in_world
from twincell.sim.mechanics.vector import cross, load, minus, plus, sym_mul, times
from twincell.sim.model import NONE
from twincell.sim.network.islands import body_of_object, body_of_partner


@line
def find_efforts(model, state, scratch):
    """Work out the effort of every ideal drive."""
    n_body = model.bodies.mass.shape[0]
    for body in range(n_body):
        if model.bodies.borne[body] == 1:
            _weigh(model, scratch, body)
    for this in range(model.constrained.port.shape[0]):
        if state.partner[this] != NONE:
            force = spatial.load_pair(scratch.pairs.force, this)
            p = load(scratch.pairs.p_W, this)
            _take(model, scratch, body_of_object(model, this), p, spatial.times_pair(-1.0, force))
            _take(model, scratch, body_of_partner(model, state, this), p, force)
    for body in range(n_body - 1, 0, -1):
        joint = model.bodies.joint[body]
        if model.bodies.borne[body] == 1 and joint != NONE:
            parent = model.joints.parent[joint]
            c = load(scratch.placed.c_W, body)
            _take(model, scratch, parent, c, spatial.load_pair(scratch.reaction, body))
    for axis in range(model.axes.joint.shape[0]):
        if model.axes.ideal[axis] == 1:
            _read_effort(model, scratch, axis)


@formula
def _weigh(model, scratch, body):
    placed = scratch.placed
    J = inertia_in_world(model, scratch, body)
    w = load(placed.w_W, body)
    force = times(model.bodies.mass[body], minus(load(placed.a_W, body), model.gravity))
    moment = plus(sym_mul(J, load(placed.alpha_W, body)), cross(w, sym_mul(J, w)))
    if model.surfaces.port.shape[0] > 0:
        force, moment = spatial.minus_pair(
            (force, moment), spatial.load_pair(scratch.contacts.push, body)
        )
    spatial.store_pair(scratch.reaction, body, (force, moment))


@kernel
def _take(model, scratch, body, p, force):
    """Let a body take a force at p, if an ideal robot bears it."""
    if model.bodies.borne[body] == 1:
        at_c = spatial.force_at(force, minus(load(scratch.placed.c_W, body), p))
        add_pair(scratch.reaction, body, at_c)


@formula
def _read_effort(model, scratch, axis):
    joint = model.axes.joint[axis]
    body = model.joints.child[joint]
    S = joint_axis(model, scratch, joint, load(scratch.placed.c_W, body))
    effort = spatial.dot_pair(S, spatial.load_pair(scratch.reaction, body))
    effort -= scratch.placed.effort[joint]
    scratch.targets.effort[axis] = effort + model.joints.gear[joint] * scratch.placed.qdd[joint]
