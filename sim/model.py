"""What compilation decided: read-only arrays, one tuple a subject. Nobody writes here afterwards.

Bodies are numbered so that body 0 is the world, then come the movers and the links of ideal robots
(their motion is given, so these are the *driven* bodies), then the bodies that forces move. Each
comes after the one that carries it.
A body's frame in here has its origin in the centre of mass; the frames that the user named are
ports.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.intp]

NONE = -1  # no body, no joint, no partner

STILL, WAYPOINTS, SINE = 0, 1, 2
PASSIVE, CONTROL = 0, 1
SPHERE, RECTANGLE, DISC, CYLINDER, CAPSULE, BOX, HALF_SPACE = 0, 1, 2, 3, 4, 5, 6
SHAPES = (SPHERE, RECTANGLE, DISC, CYLINDER, CAPSULE, BOX, HALF_SPACE)


class Bodies(NamedTuple):
    """Everything that moves or is moved, and the world."""

    mass: Floats  # [kg], 0 for the world and for movers             (n_body,)
    inertia: Floats  # about the centre of mass, body axes, symmetric   (n_body, 6)
    joint: Ints  # joint that carries it, or NONE                    (n_body,)
    free: Ints  # row of its state if it floats freely, or NONE      (n_body,)
    tree: Ints  # kinematic tree it belongs to                       (n_body,)
    grounded: Ints  # 1 if its tree stands on a driven body          (n_body,)
    first_joint: Ints  # first joint that it carries, or NONE        (n_body,)
    borne: Ints  # 1 if an ideal robot bears it or it is one of its links (n_body,)


class Trees(NamedTuple):
    """Bodies connected by joints; a driven body is in no tree but its own."""

    first: Ints  # first body of the tree                            (n_tree,)
    end: Ints  # one past its last body                              (n_tree,)


class Joints(NamedTuple):
    """What moves on what, with what acts in it; of its type only turn and slide are left."""

    turn: Ints  # 1 if q is the angle of a turn about its axis, 0 if it does not turn  (n_joint,)
    slide: Floats  # how far it goes along its axis for a unit of q [m]  (n_joint,)
    parent: Ints  # body A that carries it                          (n_joint,)
    child: Ints  # body B that is carried                           (n_joint,)
    port: Ints  # port on A that carries it, NONE if nothing else is there  (n_joint,)
    next: Ints  # next joint that A carries, or NONE                (n_joint,)
    p_AJ: Floats  # joint at 0, from A's centre of mass, A axes [m]  (n_joint, 3)
    q_AJ: Floats  # B's axes at 0, in A axes                         (n_joint, 4)
    turn_AJ: Floats  # q_AJ times the axis: what a turn adds to q_AJ  (n_joint, 4)
    p_BJ: Floats  # joint, from B's centre of mass, B axes [m]       (n_joint, 3)
    axis_B: Floats  # unit axis, B axes                             (n_joint, 3)
    stiffness: Floats  # spring [N/m, Nm/rad]                       (n_joint,)
    rest: Floats  # where the spring is at ease                     (n_joint,)
    damping: Floats  # viscous damper [Ns/m, Nms/rad]               (n_joint,)
    friction: Floats  # dry friction [N, Nm]                        (n_joint,)
    friction_speed: Floats  # at which it has reached tanh 1        (n_joint,)
    lower: Floats  # stop, -inf for none                            (n_joint,)
    upper: Floats  # stop, inf for none                             (n_joint,)
    stop_stiffness: Floats  # of both stops                         (n_joint,)
    stop_damping: Floats  # of both stops                           (n_joint,)
    gear: Floats  # inertia of motor and gear at the joint [kg, kg m²]  (n_joint,)


class Movers(NamedTuple):
    """Prescribed motions; mover k drives body k + 1."""

    kind: Ints  # STILL, WAYPOINTS, SINE                            (n_mover,)
    p_WM: Floats  # pose, or middle of the swing [m]                 (n_mover, 3)
    q_WM: Floats  #                                                  (n_mover, 4)
    direction: Floats  # of the swing, unit                         (n_mover, 3)
    amplitude: Floats  # along and about the direction [m, rad]     (n_mover, 2)
    frequency: Floats  # [rad/s]                                    (n_mover,)
    phase: Floats  # [rad]                                          (n_mover,)
    first: Ints  # its first waypoint                               (n_mover,)
    end: Ints  # one past its last waypoint                         (n_mover,)


class Waypoints(NamedTuple):
    """Poses in time, those of one mover after those of another."""

    time: Floats  # [s]                                             (n_waypoint,)
    p_W: Floats  # [m]                                              (n_waypoint, 3)
    q_W: Floats  #                                                  (n_waypoint, 4)
    turn_W: Floats  # rotation vector to the next waypoint          (n_waypoint, 3)


class Robots(NamedTuple):
    """Joints with drives that one controller moves together."""

    first: Ints  # its first axis                                   (n_robot,)
    end: Ints  # one past its last axis                             (n_robot,)
    tcp: Ints  # port of its tool centre point                      (n_robot,)
    last: Ints  # axis that carries the tool centre point           (n_robot,)
    still: Ints  # 1 if it stands on the ground: then it takes TCP targets (n_robot,)
    command: Ints  # first of its commands: see `motion/orders.py`  (n_robot,)
    period: Ints  # ticks from one set point to the next            (n_robot,)
    watchdog: Ints  # ticks until a silent stream is lost           (n_robot,)


class Axes(NamedTuple):
    """Joints of robots, those of one robot after those of another, each after its carrier."""

    joint: Ints  # the joint that it drives                         (n_axis,)
    before: Ints  # axis that carries it, NONE for the first        (n_axis,)
    to_tcp: Ints  # 1 if it moves the tool centre point             (n_axis,)
    ideal: Ints  # 1 follows its target exactly, 0 is a servo       (n_axis,)
    lower: Floats  # least target [m, rad]                          (n_axis,)
    upper: Floats  # greatest target                                (n_axis,)
    velocity: Floats  # greatest [m/s, rad/s]                       (n_axis,)
    acceleration: Floats  # greatest of a planned motion            (n_axis,)
    jerk: Floats  # greatest of a planned motion                    (n_axis,)
    effort: Floats  # greatest of the drive [N, Nm]                 (n_axis,)
    stiffness: Floats  # of the servo [N/m, Nm/rad]                 (n_axis,)
    damping: Floats  # of the servo [Ns/m, Nms/rad]                 (n_axis,)
    integral: Floats  # of the servo [N/(m s), Nm/(rad s)]          (n_axis,)
    forward: Ints  # 1 adds what the robot's own model says         (n_axis,)


class Ports(NamedTuple):
    """Frames that were given a name: objects sit on them."""

    body: Ints  # body that carries it                              (n_port,)
    p_BP: Floats  # from the body's centre of mass, body axes [m]    (n_port, 3)
    q_BP: Floats  #                                                  (n_port, 4)
    angles: Floats  # q_BP as A, B, C, for ports on the world [rad]   (n_port, 3)


class CollisionObjects(NamedTuple):
    """What a tool can be caught by: flanges, holders, jaws, tables."""

    port: Ints  # port that carries it                              (n_collision,)
    mode: Ints  # PASSIVE catches always, CONTROL while closed      (n_collision,)
    command: Ints  # its Closed among the commands, or NONE         (n_collision,)
    changer: Ints  # tool changer that drives it instead, or NONE   (n_collision,)
    tool: Ints  # tool whose output closes it instead, or NONE      (n_collision,)
    bit: Ints  # of that tool's outputs                             (n_collision,)
    shape: Ints  # SPHERE, RECTANGLE, ... BOX                       (n_collision,)
    radius: Floats  # of a round shape [m]                          (n_collision,)
    half: Floats  # half extents [m]                                (n_collision, 3)
    large: Ints  # 1 if too large for the grid                      (n_collision,)
    stand: Ints  # stand whose holder it is, or NONE                (n_collision,)


class ConstrainedObjects(NamedTuple):
    """What can be caught: tools, parts."""

    port: Ints  # port that carries it                              (n_constrained,)
    radius: Floats  # [m]                                           (n_constrained,)
    eta: Floats  # decay rate of its error [1/s]                    (n_constrained,)
    transition: Floats  # duration of the smooth catch, 0: none [s]  (n_constrained,)
    offset: Ints  # 1 keeps the pose at which it was caught         (n_constrained,)
    release_factor: Floats  # catch distances until it is lost      (n_constrained,)
    grip: Floats  # η²/k of the grip: linear, angular               (n_constrained, 2)


class Surfaces(NamedTuple):
    """What can touch: a shape on a port, seen in the port's frame.

    A rectangle, a disc and a half-space look along z; a cylinder and a capsule lie along z.
    """

    port: Ints  # port that carries it                              (n_surface,)
    body: Ints  # body that carries the port                        (n_surface,)
    shape: Ints  # SPHERE, RECTANGLE, DISC, ...                     (n_surface,)
    half: Floats  # half extents; half length along z [m]           (n_surface, 3)
    radius: Floats  # of what is round [m]                          (n_surface,)
    size: Floats  # of the ball around its origin, inf: no end [m]  (n_surface,)
    large: Ints  # 1 if too large for the grid                      (n_surface,)
    moves: Ints  # 1 if forces move it, or an ideal robot feels them  (n_surface,)
    material: Ints  #                                               (n_surface,)
    group: Ints  # one bit                                          (n_surface,)
    meets: Ints  # bits of the groups that it can touch             (n_surface,)


class Laws(NamedTuple):
    """How two materials push each other: see `contact/solve/force_law.py`."""

    of: Ints  # law of two materials                     (n_material, n_material)
    stiffness: Floats  # c [N/mⁿ]                                   (n_law,)
    exponent: Floats  # n                                           (n_law,)
    damping: Floats  # d [N s/mᵐ⁺¹]                                 (n_law,)
    damping_exponent: Floats  # m                                   (n_law,)
    layer: Floats  # how deep a thin surface can be entered [m]     (n_law,)
    friction: Floats  # γ₁ ... γ₆                                   (n_law, 6)
    peak_speed: Floats  # where μ is greatest before it falls, inf: never [m/s]  (n_law,)
    peak: Floats  # μ there                                         (n_law,)
    slow: Floats  # at lower speeds static friction is tried first [m/s]  (n_law,)
    rolling: Floats  # lever arm of the rolling resistance [m]      (n_law,)
    rolling_speed: Floats  # at which it has reached tanh 1 [rad/s]  (n_law,)


class Stands(NamedTuple):
    """Where tools wait."""

    holder: Ints  # collision object that holds the tool            (n_stand,)
    lever: Ints  # its first fault lever among what is latched      (n_stand,)
    tolerance: Floats  # how near a tool is in the stand [m]        (n_stand,)


class Tools(NamedTuple):
    """What tool changers couple."""

    object: Ints  # its constrained object                          (n_tool,)
    id: Ints  # number that it tells                                (n_tool,)
    inputs: Ints  # bits that it always shows                       (n_tool,)
    echo: Ints  # bits that it gives back                           (n_tool,)


class Changers(NamedTuple):
    """Tool changers; times are in ticks."""

    flange: Ints  # collision object that it drives                 (n_changer,)
    command: Ints  # its first command among what is latched        (n_changer,)
    lever: Ints  # its first fault lever                            (n_changer,)
    valve_delay: Ints  # from a solenoid to the valve's shift       (n_changer,)
    fill: Floats  # to the piston's first motion, full pressure     (n_changer,)
    stroke: Floats  # from end to end, at full pressure             (n_changer,)
    gap: Floats  # tolerance for locking [m]                        (n_changer,)
    tilt: Floats  # tolerance for locking [rad]                     (n_changer,)
    sensor_radius: Floats  # of ReadyToLock1 and 2 [m]              (n_changer,)
    present: Floats  # how near a tool is present [m]               (n_changer,)
    supply: Floats  # pressure [Pa]                                 (n_changer,)
    ok: Floats  # pressure from which AirPressureOk is true [Pa]    (n_changer,)
    stall: Floats  # pressure at which the piston stands [Pa]       (n_changer,)
    air_share: Floats  # of a pressure difference, gone in a tick   (n_changer,)
    limit: Floats  # axial, shear [N], moment [Nm]                  (n_changer, 3)
    power_start: Ints  # (n_changer,)
    power_off: Ints  # from an unlock order                         (n_changer,)
    bus_start: Ints  # from ToolPowerOk                             (n_changer,)
    power_time_out: Ints  # (n_changer,)
    bus_time_out: Ints  # (n_changer,)
    stroke_time_out: Ints  # (n_changer,)
    discrepancy: Ints  # (n_changer,)
    air_time_out: Ints  # (n_changer,)
    inverted: Ints  # 1 if the wire is true when the fact is not    (n_changer, N_DIGITAL)
    on_delay: Ints  # (n_changer, N_DIGITAL)
    off_delay: Ints  # (n_changer, N_DIGITAL)


class Columns(NamedTuple):
    """First column of each object's block of signals in a row."""

    body: Ints  # port and first column of each named body          (n, 2)
    joint: Ints  # joint and first column of each passive joint     (n, 2)
    robot: Ints  #                                                  (n_robot,)
    collision: Ints  #                                              (n_collision,)
    constrained: Ints  #                                            (n_constrained,)
    stand: Ints  #                                                  (n_stand,)
    changer: Ints  #                                                (n_changer,)
    surface: Ints  #                                                (n_surface,)
    watched: Ints  # the two surfaces and first column of a pair     (n_watched, 3)


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
    stands: Stands
    tools: Tools
    changers: Changers
    columns: Columns
    gravity: tuple[float, float, float]  # [m/s²]
    step: float  # simulated time of a tick [s]
    contact_tolerance: float  # share of a crowd's contact forces that may be left over
    n_stage: int  # 4 for rk4, 1 for semi_implicit
    n_driven: int  # the world, the movers and the links of ideal robots
    grid_cell: float  # edge of a cell of the broad phase [m]
    grid_mask: int  # number of its buckets less one; a power of two less one
