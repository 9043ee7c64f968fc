"""What compilation decided: read-only arrays, one tuple a subject. Nobody writes here afterwards.

Bodies are numbered so that body 0 is the world, then come the movers and the links of ideal robots
(their motion is given, so these are the *driven* bodies), then the bodies that forces move. Each
comes after the one that carries it.
A body's frame in here has its origin in the centre of mass; the frames that the user named are
ports.
"""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from twincell.sim.arrays import Floats as Floats
from twincell.sim.arrays import Ints as Ints
from twincell.sim.arrays import nest
from twincell.sim.devices import modules

NONE = -1  # no body, no joint, no partner

STILL, WAYPOINTS, SINE = 0, 1, 2
PASSIVE, CONTROL = 0, 1
SPHERE, RECTANGLE, DISC, CYLINDER, CAPSULE, BOX, HALF_SPACE = 0, 1, 2, 3, 4, 5, 6
SHAPES = (SPHERE, RECTANGLE, DISC, CYLINDER, CAPSULE, BOX, HALF_SPACE)


class Bodies(NamedTuple):
    """Everything that moves or is moved, and the world."""

    mass: Annotated[Floats, "n_body"]  # [kg], 0 for the world and for movers
    inertia: Annotated[Floats, "n_body", 6]  # about the centre of mass, body axes, symmetric
    joint: Annotated[Ints, "n_body"]  # joint that carries it, or NONE
    free: Annotated[Ints, "n_body"]  # row of its state if it floats freely, or NONE
    tree: Annotated[Ints, "n_body"]  # kinematic tree it belongs to
    grounded: Annotated[Ints, "n_body"]  # 1 if its tree stands on a driven body
    first_joint: Annotated[Ints, "n_body"]  # first joint that it carries, or NONE
    borne: Annotated[Ints, "n_body"]  # 1 if an ideal robot bears it or it is one of its links


class Trees(NamedTuple):
    """Bodies connected by joints; a driven body is in no tree but its own."""

    first: Annotated[Ints, "n_tree"]  # first body of the tree
    end: Annotated[Ints, "n_tree"]  # one past its last body


class Joints(NamedTuple):
    """What moves on what, with what acts in it; of its type only turn and slide are left."""

    turn: Annotated[Ints, "n_joint"]  # 1 if q is the angle of a turn about its axis, 0: no turn
    slide: Annotated[Floats, "n_joint"]  # how far it goes along its axis for a unit of q [m]
    parent: Annotated[Ints, "n_joint"]  # body A that carries it
    child: Annotated[Ints, "n_joint"]  # body B that is carried
    port: Annotated[Ints, "n_joint"]  # port on A that carries it, NONE if nothing else is there
    next: Annotated[Ints, "n_joint"]  # next joint that A carries, or NONE
    p_AJ: Annotated[Floats, "n_joint", 3]  # joint at 0, from A's centre of mass, A axes [m]
    q_AJ: Annotated[Floats, "n_joint", 4]  # B's axes at 0, in A axes
    turn_AJ: Annotated[Floats, "n_joint", 4]  # q_AJ times the axis: what a turn adds to q_AJ
    p_BJ: Annotated[Floats, "n_joint", 3]  # joint, from B's centre of mass, B axes [m]
    axis_B: Annotated[Floats, "n_joint", 3]  # unit axis, B axes
    stiffness: Annotated[Floats, "n_joint"]  # spring [N/m, Nm/rad]
    rest: Annotated[Floats, "n_joint"]  # where the spring is at ease
    damping: Annotated[Floats, "n_joint"]  # viscous damper [Ns/m, Nms/rad]
    friction: Annotated[Floats, "n_joint"]  # dry friction [N, Nm]
    friction_speed: Annotated[Floats, "n_joint"]  # at which it has reached tanh 1
    lower: Annotated[Floats, "n_joint"]  # stop, -inf for none
    upper: Annotated[Floats, "n_joint"]  # stop, inf for none
    stop_stiffness: Annotated[Floats, "n_joint"]  # of both stops
    stop_damping: Annotated[Floats, "n_joint"]  # of both stops
    gear: Annotated[Floats, "n_joint"]  # inertia of motor and gear at the joint [kg, kg m²]


class Movers(NamedTuple):
    """Prescribed motions; mover k drives body k + 1."""

    kind: Annotated[Ints, "n_mover"]  # STILL, WAYPOINTS, SINE
    p_WM: Annotated[Floats, "n_mover", 3]  # pose, or middle of the swing [m]
    q_WM: Annotated[Floats, "n_mover", 4]
    direction: Annotated[Floats, "n_mover", 3]  # of the swing, unit
    amplitude: Annotated[Floats, "n_mover", 2]  # along and about the direction [m, rad]
    frequency: Annotated[Floats, "n_mover"]  # [rad/s]
    phase: Annotated[Floats, "n_mover"]  # [rad]
    first: Annotated[Ints, "n_mover"]  # its first waypoint
    end: Annotated[Ints, "n_mover"]  # one past its last waypoint


class Waypoints(NamedTuple):
    """Poses in time, those of one mover after those of another."""

    time: Annotated[Floats, "n_waypoint"]  # [s]
    p_W: Annotated[Floats, "n_waypoint", 3]  # [m]
    q_W: Annotated[Floats, "n_waypoint", 4]
    turn_W: Annotated[Floats, "n_waypoint", 3]  # rotation vector to the next waypoint


class Robots(NamedTuple):
    """Joints with drives that one controller moves together."""

    first: Annotated[Ints, "n_robot"]  # its first axis
    end: Annotated[Ints, "n_robot"]  # one past its last axis
    tcp: Annotated[Ints, "n_robot"]  # port of its tool centre point
    last: Annotated[Ints, "n_robot"]  # axis that carries the tool centre point
    still: Annotated[Ints, "n_robot"]  # 1 if it stands on the ground: then it takes TCP targets
    command: Annotated[Ints, "n_robot"]  # first of its commands: see `motion/robot_orders.py`
    period: Annotated[Ints, "n_robot"]  # ticks from one set point to the next
    watchdog: Annotated[Ints, "n_robot"]  # ticks until a silent stream is lost


class Axes(NamedTuple):
    """Joints of robots, those of one robot after those of another, each after its carrier."""

    joint: Annotated[Ints, "n_axis"]  # the joint that it drives
    before: Annotated[Ints, "n_axis"]  # axis that carries it, NONE for the first
    to_tcp: Annotated[Ints, "n_axis"]  # 1 if it moves the tool centre point
    ideal: Annotated[Ints, "n_axis"]  # 1 follows its target exactly, 0 is a servo
    lower: Annotated[Floats, "n_axis"]  # least target [m, rad]
    upper: Annotated[Floats, "n_axis"]  # greatest target
    velocity: Annotated[Floats, "n_axis"]  # greatest [m/s, rad/s]
    acceleration: Annotated[Floats, "n_axis"]  # greatest of a planned motion
    jerk: Annotated[Floats, "n_axis"]  # greatest of a planned motion
    effort: Annotated[Floats, "n_axis"]  # greatest of the drive [N, Nm]
    stiffness: Annotated[Floats, "n_axis"]  # of the servo [N/m, Nm/rad]
    damping: Annotated[Floats, "n_axis"]  # of the servo [Ns/m, Nms/rad]
    integral: Annotated[Floats, "n_axis"]  # of the servo [N/(m s), Nm/(rad s)]
    forward: Annotated[Ints, "n_axis"]  # 1 adds what the robot's own model says


class Ports(NamedTuple):
    """Frames that were given a name: objects sit on them."""

    body: Annotated[Ints, "n_port"]  # body that carries it
    p_BP: Annotated[Floats, "n_port", 3]  # from the body's centre of mass, body axes [m]
    q_BP: Annotated[Floats, "n_port", 4]
    angles: Annotated[Floats, "n_port", 3]  # q_BP as A, B, C, for ports on the world [rad]


class CollisionObjects(NamedTuple):
    """What a tool can be caught by: flanges, holders, jaws, tables."""

    port: Annotated[Ints, "n_collision"]  # port that carries it
    mode: Annotated[Ints, "n_collision"]  # PASSIVE catches always, CONTROL while closed
    command: Annotated[Ints, "n_collision"]  # its Closed among the commands, or NONE
    device: Annotated[Ints, "n_collision"]  # kind of device that says when it catches, or NONE
    item: Annotated[Ints, "n_collision"]  # by which that device knows it
    shape: Annotated[Ints, "n_collision"]  # SPHERE, RECTANGLE, ... BOX
    radius: Annotated[Floats, "n_collision"]  # of a round shape [m]
    half: Annotated[Floats, "n_collision", 3]  # half extents [m]
    large: Annotated[Ints, "n_collision"]  # 1 if too large for the grid


class ConstrainedObjects(NamedTuple):
    """What can be caught: tools, parts."""

    port: Annotated[Ints, "n_constrained"]  # port that carries it
    radius: Annotated[Floats, "n_constrained"]  # [m]
    eta: Annotated[Floats, "n_constrained"]  # decay rate of its error [1/s]
    transition: Annotated[Floats, "n_constrained"]  # duration of the smooth catch, 0: none [s]
    offset: Annotated[Ints, "n_constrained"]  # 1 keeps the pose at which it was caught
    release_factor: Annotated[Floats, "n_constrained"]  # catch distances until it is lost
    grip: Annotated[Floats, "n_constrained", 2]  # η²/k of the grip: linear, angular


class Surfaces(NamedTuple):
    """What can touch: a shape on a port, seen in the port's frame.

    A rectangle, a disc and a half-space look along z; a cylinder and a capsule lie along z.
    """

    port: Annotated[Ints, "n_surface"]  # port that carries it
    body: Annotated[Ints, "n_surface"]  # body that carries the port
    shape: Annotated[Ints, "n_surface"]  # SPHERE, RECTANGLE, DISC, ...
    half: Annotated[Floats, "n_surface", 3]  # half extents; half length along z [m]
    radius: Annotated[Floats, "n_surface"]  # of what is round [m]
    size: Annotated[Floats, "n_surface"]  # of the ball around its origin, inf: no end [m]
    large: Annotated[Ints, "n_surface"]  # 1 if too large for the grid
    moves: Annotated[Ints, "n_surface"]  # 1 if forces move it, or an ideal robot feels them
    material: Annotated[Ints, "n_surface"]
    group: Annotated[Ints, "n_surface"]  # one bit
    meets: Annotated[Ints, "n_surface"]  # bits of the groups that it can touch


class Laws(NamedTuple):
    """How two materials push each other: see `contact/solve/force_law.py`."""

    of: Annotated[Ints, "n_material", "n_material"]  # law of two materials
    stiffness: Annotated[Floats, "n_law"]  # c [N/mⁿ]
    exponent: Annotated[Floats, "n_law"]  # n
    damping: Annotated[Floats, "n_law"]  # d [N s/mᵐ⁺¹]
    damping_exponent: Annotated[Floats, "n_law"]  # m
    layer: Annotated[Floats, "n_law"]  # how deep a thin surface can be entered [m]
    friction: Annotated[Floats, "n_law", 6]  # γ₁ ... γ₆
    peak_speed: Annotated[Floats, "n_law"]  # where μ is greatest before it falls, inf: never [m/s]
    peak: Annotated[Floats, "n_law"]  # μ there
    slow: Annotated[Floats, "n_law"]  # at lower speeds static friction is tried first [m/s]
    rolling: Annotated[Floats, "n_law"]  # lever arm of the rolling resistance [m]
    rolling_speed: Annotated[Floats, "n_law"]  # at which it has reached tanh 1 [rad/s]


if TYPE_CHECKING:
    from typing import Any as DeviceModels
else:
    DeviceModels = nest("DeviceModels", {d: m.MODEL for d, m in modules("model").items()})


class Columns(NamedTuple):
    """First column of each object's block of signals in a row."""

    body: Annotated[Ints, "n_named_body", 2]  # port and first column of each named body
    joint: Annotated[Ints, "n_passive_joint", 2]  # joint and first column of each passive joint
    robot: Annotated[Ints, "n_robot"]
    collision: Annotated[Ints, "n_collision"]
    constrained: Annotated[Ints, "n_constrained"]
    surface: Annotated[Ints, "n_surface"]
    watched: Annotated[Ints, "n_watched", 3]  # the two surfaces and first column of a pair


class Model(NamedTuple):
    """A compiled cell."""

    bodies: Bodies
    trees: Trees
    joints: Joints
    movers: Movers
    waypoints: Waypoints
    robots: Robots
    axes: Axes
    ports: Ports
    collision: CollisionObjects
    constrained: ConstrainedObjects
    surfaces: Surfaces
    laws: Laws
    devices: DeviceModels
    columns: Columns
    addresses: Annotated[Ints, "n_line"]  # of what is compiled apart, 0: the cell has it not
    gravity: tuple[float, float, float]  # [m/s²]
    step: float  # simulated time of a tick [s]
    contact_tolerance: float  # share of a crowd's contact forces that may be left over
    n_stage: int  # 4 for rk4, 1 for semi_implicit
    n_driven: int  # the world, the movers and the links of ideal robots
    grid_cell: float  # edge of a cell of the broad phase [m]
    grid_mask: int  # number of its buckets less one; a power of two less one
