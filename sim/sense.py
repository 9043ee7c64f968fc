"""Write the row of a tick: commands as latched, then everything the controller can see, all at t_n.

Each kind of object declares its block of signals here, right above the kernel that writes it, in
the same order. Positions, velocities and quaternions are in world axes; force and torque are what
the constraint does *to* the object, at its origin, in its own axes, as a force-torque sensor there
would show. The partner gets the opposite, with the moment of the lever arm:

    f_c = -f_s,    n_c = -n_s - (p_s - p_c) x f_s         the paper, eq. (13), completed
"""

from twincell.sim.contact.signals import write_contacts
from twincell.sim.devices.row import write_devices
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.joints import joint_type
from twincell.sim.mechanics.vector import (
    cross,
    load,
    minus,
    mul_transposed,
    norm,
    plus,
)
from twincell.sim.model import NONE
from twincell.sim.motion.robot_orders import LIMIT_SLACK
from twincell.sim.motion.targets import HOLD
from twincell.sim.network.detect import catches
from twincell.sim.signals import Declared, Kind
from twincell.sim.spec.robot_model import ModelJoint

CLOSED_COMMAND: Declared = ("Closed", Kind.BOOLEAN, "", "Catch what touches it, or let go")


def _vector(quantity: str, unit: str, description: str) -> tuple[Declared, ...]:
    return tuple((f"{quantity}.{axis}", Kind.DOUBLE, unit, description) for axis in "XYZ")


def _angles(quantity: str) -> tuple[Declared, ...]:
    return tuple(
        (f"{quantity}.{name}", Kind.DOUBLE, "rad", f"Angle about {axis}, applied as z-y'-x''")
        for name, axis in (("A", "x"), ("B", "y"), ("C", "z"))
    )


POSE: tuple[Declared, ...] = (
    *_vector("Pose", "m", "Position in the world"),
    *_angles("Pose"),
    *((f"Quaternion.{n}", Kind.DOUBLE, "", "Orientation in the world") for n in "WXYZ"),
)
VELOCITY: tuple[Declared, ...] = (
    *_vector("Velocity", "m/s", "Velocity of the origin, world axes"),
    *_vector("AngularVelocity", "rad/s", "Angular velocity, world axes"),
)
LOAD: tuple[Declared, ...] = (
    *_vector("Force", "N", "Constraint force on it, own axes"),
    *_vector("Torque", "N.m", "Constraint torque on it about its origin, own axes"),
)
N_POSE, N_VELOCITY, N_LOAD = len(POSE), len(VELOCITY), len(LOAD)

BODY_SIGNALS: tuple[Declared, ...] = (*POSE, *VELOCITY)
COLLISION_SIGNALS: tuple[Declared, ...] = (
    *POSE,
    *VELOCITY,
    *LOAD,
    ("IsClosed", Kind.BOOLEAN, "", "Whether it catches in this tick"),
    ("Holding", Kind.INT32, "", "How many constrained objects it holds"),
)
CONSTRAINED_SIGNALS: tuple[Declared, ...] = (
    *POSE,
    *VELOCITY,
    *LOAD,
    ("Partner", Kind.STRING, "", "Collision object that holds it, empty when free"),
    ("Constrained", Kind.BOOLEAN, "", "Whether it is held"),
    ("Deviation", Kind.DOUBLE, "m", "Distance from where its partner wants it"),
    ("AngularDeviation", Kind.DOUBLE, "rad", "Angle from how its partner wants it turned"),
)


def robot_commands(axes: tuple[ModelJoint, ...]) -> tuple[Declared, ...]:
    """What a controller tells a robot; `motion/robot_orders.py` reads it in this order."""
    return (
        ("Stop", Kind.BOOLEAN, "", "While true: brake on the path, and take nothing new"),
        ("JointSetPoint", Kind.INT32, "", "A new number says: JointTarget is a set point"),
        ("TcpSetPoint", Kind.INT32, "", "A new number says: TcpTarget is a set point"),
        *_each_axis(axes, "JointTarget", "unit", "Where joint {} should be"),
        *_vector("TcpTarget", "m", "Where the tool centre point should be, in the world"),
        *_angles("TcpTarget"),
    )


def robot_signals(axes: tuple[ModelJoint, ...]) -> tuple[Declared, ...]:
    """What a robot shows."""
    return (
        *((f"Tcp{name}", kind, unit, text) for name, kind, unit, text in (*POSE, *VELOCITY)),
        ("Moving", Kind.BOOLEAN, "", "Whether its targets move, or are about to"),
        ("StreamLost", Kind.BOOLEAN, "", "Its set points stopped coming: it holds"),
        ("Refusal", Kind.STRING, "", "Why its last order was refused, empty if it was not"),
        ("RefusalCount", Kind.INT32, "", "How many orders it has refused"),
        ("MoveCount", Kind.INT32, "", "How many moves it has accepted"),
        *_each_axis(axes, "JointPosition", "unit", "Where joint {} is"),
        *_each_axis(axes, "JointVelocity", "speed_unit", "How fast joint {} moves"),
        *_each_axis(axes, "JointTorque", "effort_unit", "What the drive of joint {} does"),
        *_each_axis(axes, "JointReference", "unit", "Where the drive of joint {} aims"),
        *_each_axis(axes, "AtLimit", None, "Whether joint {} is at its limit", Kind.BOOLEAN),
        *_each_axis(
            axes, "Overload", None, "Whether the drive of joint {} is at its end", Kind.BOOLEAN
        ),
    )


def _each_axis(
    axes: tuple[ModelJoint, ...],
    quantity: str,
    unit: str | None,
    description: str,
    kind: Kind = Kind.DOUBLE,
) -> tuple[Declared, ...]:
    """One signal an axis; `unit` says which unit of the axis's coordinate it has."""
    return tuple(
        (
            f"{quantity}.{k + 1}",
            kind,
            getattr(joint_type(axis.type).coordinate, unit) if unit else "",
            description.format(axis.name),
        )
        for k, axis in enumerate(axes)
    )


@kernel
def write(model, commands, state, scratch, row):
    """Write the row of this tick."""
    for latched in range(commands.values.shape[0]):  # commands, then fault levers
        row[latched] = commands.values[latched]
    for k in range(model.columns.body.shape[0]):
        _write_motion(model, scratch, row, model.columns.body[k, 1], model.columns.body[k, 0])
    for k in range(model.columns.joint.shape[0]):
        joint = model.columns.joint[k, 0]
        column = model.columns.joint[k, 1]
        row[column] = scratch.motion.q[joint]
        row[column + 1] = scratch.motion.qd[joint]
        row[column + 2] = scratch.placed.effort[joint]
    for robot in range(model.robots.first.shape[0]):
        _write_robot(model, state, scratch, row, robot)
    _write_network(model, commands, state, scratch, row)
    write_devices(model, commands, state, scratch, row)
    write_contacts(model, scratch, row)


@kernel
def _write_robot(model, state, scratch, row, robot):
    column = model.columns.robot[robot]
    _write_motion(model, scratch, row, column, model.robots.tcp[robot])
    column += N_POSE + N_VELOCITY
    row[column] = 0.0 if state.robots.mode[robot] == HOLD else 1.0
    row[column + 1] = state.robots.lost[robot]
    row[column + 2] = state.robots.refusal[robot]
    row[column + 3] = state.robots.refusals[robot]
    row[column + 4] = state.robots.moves[robot]

    column += 5
    first = model.robots.first[robot]
    n = model.robots.end[robot] - first
    for k in range(n):
        axis = first + k
        joint = model.axes.joint[axis]
        q = scratch.motion.q[joint]
        effort = scratch.targets.effort[axis]
        low = model.axes.lower[axis] + LIMIT_SLACK
        high = model.axes.upper[axis] - LIMIT_SLACK
        row[column + k] = q
        row[column + n + k] = scratch.motion.qd[joint]
        row[column + 2 * n + k] = effort
        row[column + 3 * n + k] = scratch.targets.q[axis]
        row[column + 4 * n + k] = 0.0 if low < q < high else 1.0
        row[column + 5 * n + k] = 1.0 if abs(effort) >= model.axes.effort[axis] else 0.0


@kernel
def _write_network(model, commands, state, scratch, row):
    """Objects of the constraint network: partners first collect what those they hold do to them."""
    for other in range(model.collision.port.shape[0]):
        column = model.columns.collision[other]
        _write_motion(model, scratch, row, column, model.collision.port[other])
        column += N_POSE + N_VELOCITY
        for k in range(N_LOAD):
            row[column + k] = 0.0
        row[column + N_LOAD] = 1.0 if catches(model, commands, state, other) else 0.0
        row[column + N_LOAD + 1] = 0.0
    for this in range(model.constrained.port.shape[0]):
        _write_constrained(model, state, scratch, row, this)
    for other in range(model.collision.port.shape[0]):
        column = model.columns.collision[other] + N_POSE + N_VELOCITY
        if row[column + N_LOAD + 1] > 0.0:
            force = _read_load(row, column)
            _write_load(scratch, row, column, model.collision.port[other], force)


@kernel
def _write_constrained(model, state, scratch, row, this):
    column = model.columns.constrained[this]
    port = model.constrained.port[this]
    _write_motion(model, scratch, row, column, port)
    column += N_POSE + N_VELOCITY
    partner = state.partner[this]
    if partner == NONE:
        for k in range(N_LOAD + 4):
            row[column + k] = 0.0
        return
    force = spatial.load_pair(scratch.pairs.force, this)
    error = spatial.load_pair(scratch.pairs.error, this)
    _write_load(scratch, row, column, port, force)
    row[column + N_LOAD] = partner + 1.0
    row[column + N_LOAD + 1] = 1.0
    row[column + N_LOAD + 2] = norm(error[0])
    row[column + N_LOAD + 3] = norm(error[1])

    # the partner's share, in world axes about its own origin
    column = model.columns.collision[partner] + N_POSE + N_VELOCITY
    p_c = load(scratch.placed.port_p, model.collision.port[partner])
    back = spatial.force_at(force, minus(p_c, load(scratch.pairs.p_W, this)))
    total = _read_load(row, column)
    for k in range(3):
        row[column + k] = total[0][k] - back[0][k]
        row[column + 3 + k] = total[1][k] - back[1][k]
    row[column + N_LOAD + 1] += 1.0


@formula
def _write_motion(model, scratch, row, column, port):
    """Pose and velocity of a port."""
    placed = scratch.placed
    body = model.ports.body[port]
    p = load(placed.port_p, port)
    q = rotation.load(placed.port_q, port)
    angles = load(placed.port_angles, port)
    w = load(placed.w_W, body)
    v = plus(load(placed.v_W, body), cross(w, minus(p, load(placed.c_W, body))))
    velocity = column + N_POSE
    for k in range(3):
        row[column + k] = p[k]
        row[column + 3 + k] = angles[k]
        row[velocity + k] = v[k]
        row[velocity + 3 + k] = w[k]
    for k in range(4):
        row[column + 6 + k] = q[k]


@formula
def _read_load(row, column):
    return (row[column], row[column + 1], row[column + 2]), (
        row[column + 3],
        row[column + 4],
        row[column + 5],
    )


@formula
def _write_load(scratch, row, column, port, load_W):
    """Force and torque of world axes, turned into a port's own."""
    R_WP = rotation.matrix(rotation.load(scratch.placed.port_q, port))
    force = mul_transposed(R_WP, load_W[0])
    torque = mul_transposed(R_WP, load_W[1])
    for k in range(3):
        row[column + k] = force[k]
        row[column + 3 + k] = torque[k]
