"""Where every body is and how it moves, from the state of this stage.

Free bodies stand in the state. A joint's child B follows its parent A, with the joint axis u:

    hinge   q_WB = q_WA ∘ q_AJ ∘ q(u q)    p_J = p_A + R_A p_AJ          ω_B = ω_A + u q̇
    slide   q_WB = q_WA ∘ q_AJ             p_J = p_A + R_A p_AJ + u q    v_J gains u q̇
"""

from sim.jit import formula, kernel
from sim.mechanics import rotation
from sim.mechanics.vector import ZERO, cross, load, minus, mul, plus, store, times
from sim.model import NONE, REVOLUTE


@kernel
def place_bodies(model, scratch):
    """Put every body where the state of this stage says."""
    _place_world(scratch)
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        if model.bodies.joint[body] == NONE:
            _place_free(model, scratch, body)
        else:
            _place_child(model, scratch, body, model.bodies.joint[body])


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
def _place_child(model, scratch, body, joint):
    placed = scratch.placed
    parent = model.joints.parent[joint]
    q = scratch.motion.q[joint]
    qd = scratch.motion.qd[joint]
    axis_B = load(model.joints.axis_B, joint)

    # orientation first: it gives the axis in world axes
    q_WB = rotation.compose(
        rotation.load(placed.q_W, parent), rotation.load(model.joints.q_AJ, joint)
    )
    if model.joints.type[joint] == REVOLUTE:
        q_WB = rotation.compose(q_WB, rotation.about(axis_B, q))
    q_WB = rotation.normalise(q_WB)
    R_WB = rotation.matrix(q_WB)
    axis = mul(R_WB, axis_B)

    # the joint's origin as a point of the parent, then the child's own motion
    arm = mul(rotation.load_matrix(placed.R_W, parent), load(model.joints.p_AJ, joint))
    w_B = load(placed.w_W, parent)
    v_J = load(placed.v_W, parent)
    if model.joints.type[joint] == REVOLUTE:
        v_J = plus(v_J, cross(w_B, arm))
        w_B = plus(w_B, times(qd, axis))
    else:
        arm = plus(arm, times(q, axis))
        v_J = plus(plus(v_J, cross(w_B, arm)), times(qd, axis))
    p_WJ = plus(load(placed.c_W, parent), arm)
    p_BJ_W = mul(R_WB, load(model.joints.p_BJ, joint))

    store(placed.c_W, body, minus(p_WJ, p_BJ_W))
    rotation.store(placed.q_W, body, q_WB)
    rotation.store_matrix(placed.R_W, body, R_WB)
    store(placed.v_W, body, minus(v_J, cross(w_B, p_BJ_W)))
    store(placed.w_W, body, w_B)
    store(placed.axis_W, joint, axis)
    store(placed.p_WJ, joint, p_WJ)


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
