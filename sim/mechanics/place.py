"""Where every body is and how it moves, from the state of this stage.

Free bodies stand in the state. A joint's child B follows its parent A, with the joint axis u:

    q_WB = q_WA ∘ q_AJ ∘ q(u turn q)       p_J = p_A + R_A p_AJ + u slide q
    ω_B  = ω_A + u turn q̇                  v_J gains u slide q̇

turn and slide are what the type of joint says (`joint_type.py`); where one is 0, it costs nothing.
A turn by q about u is cos(q/2) + sin(q/2) u, so q_AJ ∘ q(u q) mixes q_AJ and q_AJ ∘ u.
"""

import math

from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.joint_axis import joint_axis, joint_drag
from twincell.sim.mechanics.vector import ZERO, cross, load, minus, mul, plus, store, times
from twincell.sim.model import NONE


@kernel
def place_bodies(model, scratch):
    """Put every body where the state of this stage says."""
    _place_world(scratch)
    for body in range(model.movers.kind.shape[0] + 1, model.n_driven):
        joint = model.bodies.joint[body]
        place_child(model, scratch, body, joint)
        _accelerate_child(model, scratch, body, joint)
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        if model.bodies.joint[body] == NONE:
            _place_free(model, scratch, body)
        else:
            place_child(model, scratch, body, model.bodies.joint[body])


@kernel
def _place_world(scratch):
    placed = scratch.placed
    store(placed.c_W, 0, ZERO)
    rotation.store(placed.q_W, 0, rotation.IDENTITY)
    rotation.store_matrix(placed.R_W, 0, rotation.matrix(rotation.IDENTITY))
    store(placed.v_W, 0, ZERO)
    store(placed.w_W, 0, ZERO)
    store(placed.a_W, 0, ZERO)
    store(placed.alpha_W, 0, ZERO)


@formula
def _place_free(model, scratch, body):
    placed = scratch.placed
    free = model.bodies.free[body]
    q_WB = rotation.normalise(rotation.load(scratch.motion.q_WB, free))
    store(placed.c_W, body, load(scratch.motion.p_WB, free))
    rotation.store(placed.q_W, body, q_WB)
    rotation.store_matrix(placed.R_W, body, rotation.matrix(q_WB))
    store(placed.v_W, body, load(scratch.motion.v_WB, free))
    store(placed.w_W, body, load(scratch.motion.w_WB, free))


@kernel
def place_child(model, scratch, body, joint):
    """Put a joint's child where its parent and the joint's state put it."""
    placed = scratch.placed
    parent = model.joints.parent[joint]
    q = scratch.motion.q[joint]
    qd = scratch.motion.qd[joint]
    q_WA = rotation.load(placed.q_W, parent)
    R_WA = rotation.load_matrix(placed.R_W, parent)
    q_WB, R_WB, axis, arm = child_pose(model, joint, q_WA, R_WA, q)

    # the joint's origin as a point of the parent, then the child's own motion
    w_A = load(placed.w_W, parent)
    spin_A = cross(w_A, arm)
    v_J = plus(load(placed.v_W, parent), spin_A)
    along = times(qd, axis)
    carried = cross(w_A, along)  # how A's turning changes the axis
    w_B = w_A
    turned = ZERO
    coriolis = ZERO
    if model.joints.turn[joint] == 1:
        w_B = plus(w_A, along)
        turned = carried
    if model.joints.slide[joint] != 0.0:
        v_J = plus(v_J, times(model.joints.slide[joint], along))
        coriolis = times(2.0 * model.joints.slide[joint], carried)
    p_WJ = plus(load(placed.c_W, parent), arm)
    p_BJ_W = mul(R_WB, load(model.joints.p_BJ, joint))
    spin_B = cross(w_B, p_BJ_W)
    centripetal = minus(cross(w_A, spin_A), cross(w_B, spin_B))

    store(placed.c_W, body, minus(p_WJ, p_BJ_W))
    rotation.store(placed.q_W, body, q_WB)
    rotation.store_matrix(placed.R_W, body, R_WB)
    store(placed.v_W, body, minus(v_J, spin_B))
    store(placed.w_W, body, w_B)
    store(placed.axis_W, joint, axis)
    store(placed.p_WJ, joint, p_WJ)
    spatial.store_pair(placed.drag, joint, (plus(centripetal, coriolis), turned))


@kernel
def _accelerate_child(model, scratch, body, joint):
    """Acceleration of an ideal robot's link: its joint's is given."""
    placed = scratch.placed
    c = load(placed.c_W, body)
    parent = model.joints.parent[joint]
    above = load(placed.a_W, parent), load(placed.alpha_W, parent)
    field = spatial.field_at(above, minus(c, load(placed.c_W, parent)))
    field = spatial.plus_pair(field, joint_drag(scratch, joint, c))
    axis = joint_axis(model, scratch, joint, c)
    a, alpha = spatial.plus_pair(field, spatial.times_pair(placed.qdd[joint], axis))
    store(placed.a_W, body, a)
    store(placed.alpha_W, body, alpha)


@formula
def child_pose(model, joint, q_WA, R_WA, q):
    """Orientation of a joint's child, the joint's axis, and its origin from the parent's c."""
    axis_B = load(model.joints.axis_B, joint)
    arm = mul(R_WA, load(model.joints.p_AJ, joint))
    q_AB = rotation.load(model.joints.q_AJ, joint)
    if model.joints.turn[joint] == 1:
        turned = rotation.load(model.joints.turn_AJ, joint)
        q_AB = rotation.mix(math.cos(0.5 * q), q_AB, math.sin(0.5 * q), turned)
    q_WB = rotation.compose(q_WA, q_AB)
    R_WB = rotation.matrix(q_WB)
    axis = mul(R_WB, axis_B)
    if model.joints.slide[joint] != 0.0:
        arm = plus(arm, times(model.joints.slide[joint] * q, axis))
    return q_WB, R_WB, axis, arm


@kernel
def place_ports(model, scratch):
    """Put every port where its body carries it."""
    placed = scratch.placed
    for port in range(model.ports.body.shape[0]):
        body = model.ports.body[port]
        R_WB = rotation.load_matrix(placed.R_W, body)
        p_BP_W = mul(R_WB, load(model.ports.p_BP, port))
        store(placed.port_p, port, plus(load(placed.c_W, body), p_BP_W))
        q_WP = rotation.compose(
            rotation.load(placed.q_W, body), rotation.load(model.ports.q_BP, port)
        )
        rotation.store(placed.port_q, port, q_WP)
        # what stands still in the world has the same angles for ever
        if body == 0:
            store(placed.port_angles, port, load(model.ports.angles, port))
        else:
            store(placed.port_angles, port, rotation.angles(rotation.matrix(q_WP)))
