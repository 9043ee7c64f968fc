"""How a body of a kinematic tree answers to a force on it while nothing else is held: D at a port.

Articulated inertias I from the leaves to the root, U = I S, then responses Λ back down the path:

    I_A += I_B - U Uᵀ / d                    for each joint, S its axis, d = Sᵀ U + gear
    Λ_root = I⁻¹, or 0 for a tree on a driven body
    Λ_B = (1 - S Uᵀ/d) Λ_A (1 - U Sᵀ/d) + S Sᵀ/d

Everything about one point, so nothing has to be moved from body to body.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.joint_axis import joint_axis
from twincell.sim.mechanics.vector import load, minus, rotate_inertia
from twincell.sim.model import NONE


@kernel
def body_inertia(model, scratch, body, o):
    """Inertia of one body about o."""
    J = inertia_in_world(model, scratch, body)
    return spatial.of_body(model.bodies.mass[body], J, minus(load(scratch.placed.c_W, body), o))


@formula
def inertia_in_world(model, scratch, body):
    """Inertia of one body about its centre of mass, in world axes."""
    a = model.bodies.inertia[body]
    inertia_B = (a[0], a[1], a[2], a[3], a[4], a[5])
    return rotate_inertia(rotation.load_matrix(scratch.placed.R_W, body), inertia_B)


@kernel
def tree_response(model, scratch, body, o):
    """Response of a body to a force on it, both about o."""
    tree = model.bodies.tree[body]
    first = model.trees.first[tree]
    if model.trees.end[tree] == first + 1 and model.bodies.joint[first] == NONE:
        return spatial.inverse6(body_inertia(model, scratch, body, o))

    _gather_inertia(model, scratch, tree, o)
    # walk down the path: from each body the child that leads on to `body`
    response = spatial.NOTHING
    if model.bodies.joint[first] == NONE:
        response = spatial.inverse6(spatial.load(scratch.articulated.inertia, first))
    else:
        response = _through_joint(model, scratch, first, o, response)
    at = first
    while at != body:
        step = body
        while model.joints.parent[model.bodies.joint[step]] != at:
            step = model.joints.parent[model.bodies.joint[step]]
        response = _through_joint(model, scratch, step, o, response)
        at = step
    return response


@kernel
def _gather_inertia(model, scratch, tree, o):
    """Articulated inertias of a tree's bodies, with U and 1/d of their joints."""
    articulated = scratch.articulated
    first = model.trees.first[tree]
    end = model.trees.end[tree]
    for body in range(first, end):
        spatial.store(articulated.inertia, body, body_inertia(model, scratch, body, o))
    for body in range(end - 1, first - 1, -1):
        joint = model.bodies.joint[body]
        if joint == NONE:
            continue
        inertia = spatial.load(articulated.inertia, body)
        axis = joint_axis(model, scratch, joint, o)
        push = spatial.mul6(inertia, axis)
        inverse = 1.0 / (spatial.dot_pair(axis, push) + model.joints.gear[joint])
        spatial.store_pair(articulated.push, body, push)
        articulated.inverse[body] = inverse
        parent = model.joints.parent[joint]
        if parent >= model.n_driven:
            passed = spatial.minus_square(inertia, inverse, push)
            spatial.store(
                articulated.inertia,
                parent,
                spatial.plus6(spatial.load(articulated.inertia, parent), passed),
            )


@kernel
def _through_joint(model, scratch, body, o, response):
    """Response of a joint's child from that of its parent.

    With y = Λ U and k = 1/d:   Λ_B = Λ - k (S yᵀ + y Sᵀ) + (k + k² Uᵀ y) S Sᵀ
    """
    axis = joint_axis(model, scratch, model.bodies.joint[body], o)
    push = spatial.load_pair(scratch.articulated.push, body)
    k = scratch.articulated.inverse[body]
    y = spatial.mul6(response, push)
    # S yᵀ + y Sᵀ = ((S + y)(S + y)ᵀ - S Sᵀ - y yᵀ), so three squares do it
    response = spatial.minus_square(response, k, spatial.plus_pair(axis, y))
    response = spatial.minus_square(response, -k, y)
    both = 2.0 * k + k * k * spatial.dot_pair(push, y)
    return spatial.minus_square(response, -both, axis)
