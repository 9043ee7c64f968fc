"""The tuples that change: what the controller asks, what the cell remembers, derives and shows."""

from typing import NamedTuple

from twincell.sim.model import Floats, Ints

MOST_LOOPS = 64  # closing grips of one island that are solved together; chosen: 1.2 MB of matrix
LONG_AGO = -(1 << 40)  # tick of a catch that was there before the cell started
MOST_PIECES = 128  # of a move's path; chosen: a straight line of a metre needs about thirty
MOST_LAW = 10  # segments of a move in time: seven of constant jerk, and the rest after them
MOST_WAITING = 4  # set points that wait their turn; chosen: the jitter of a busy network
MOST_POINTS = 16  # of two surfaces that touch: two rims of eight corners, clipped


class Commands(NamedTuple):
    """What the controller asked and what is broken, latched at the start of a tick."""

    values: Floats  # commands, then fault levers, as in a row      (n_latched,)


class State(NamedTuple):
    """Exactly what the next tick needs: copying it is a snapshot."""

    tick: Ints  # number of the next tick                           (1,)
    p_WB: Floats  # centres of mass of free bodies [m]               (n_free, 3)
    q_WB: Floats  #                                                  (n_free, 4)
    v_WB: Floats  # [m/s]                                            (n_free, 3)
    w_WB: Floats  # world axes [rad/s]                               (n_free, 3)
    q: Floats  # joint positions [m, rad]                           (n_joint,)
    qd: Floats  # joint velocities                                  (n_joint,)
    partner: Ints  # collision object that holds it, or NONE        (n_constrained,)
    caught: Ints  # tick of the catch                               (n_constrained,)
    p_BT: Floats  # target, from the partner's centre of mass        (n_constrained, 3)
    q_BT: Floats  # target, in the axes of the partner's body        (n_constrained, 4)

    # robots: what they are about
    mode: Ints  # HOLD, MOVE, STREAM, BRAKE                         (n_robot,)
    refusal: Ints  # why the last order was refused, 0: it was not  (n_robot,)
    refusals: Ints  # how many orders were refused                  (n_robot,)
    moves: Ints  # how many were accepted                           (n_robot,)
    hold: Floats  # target while nothing else is asked              (n_axis,)
    integral: Floats  # integral part of the servo [N, Nm]          (n_axis,)
    # a move: a path in s, and s in time
    knots: Floats  # s where the path's pieces begin, and its end   (n_robot, MOST_PIECES + 1)
    pieces: Floats  # cubics in s - knot                            (n_axis, MOST_PIECES, 4)
    n_piece: Ints  # (n_robot,)
    law: Floats  # begin [s], s, ṡ, s̈, jerk of s                    (n_robot, MOST_LAW, 5)
    n_law: Ints  # (n_robot,)
    brakes: Floats  # greatest s̈ and jerk of s                      (n_robot, 2)
    began: Ints  # tick of the move, or of the stream's segment     (n_robot,)
    # a stream of set points: joined by a spline
    spline: Floats  # the last four set points                      (n_axis, 4)
    waiting: Floats  # set points that wait their turn              (n_axis, MOST_WAITING)
    n_waiting: Ints  # (n_robot,)
    counts: Ints  # set points seen: joints, tool centre point      (n_robot, 2)
    heard: Ints  # tick of the last one                             (n_robot,)
    lost: Ints  # 1 once a stream went silent, until the next order  (n_robot,)
    # stands
    stand_shift: Floats  # where they are instead, holder's axes [m]  (n_stand, 3)
    # tool changers: air and piston
    pressure: Floats  # supply at the changer [Pa]                  (n_changer,)
    valve: Ints  # VALVE_UNLOCK, VALVE_LOCK                         (n_changer,)
    pulled: Ints  # ticks that one solenoid pulled against the valve  (n_changer,)
    filled: Floats  # ticks of its filling done                     (n_changer,)
    piston: Floats  # ticks of its stroke done: 0 is unlocked       (n_changer,)
    ordered: Ints  # tick of the last order                         (n_changer,)
    under_way: Ints  # 1 until its end is seen                      (n_changer,)
    # coupling and tool side
    coupled: Ints  # tool that it holds, or NONE                    (n_changer,)
    load: Floats  # axial, shear [N], moment [Nm] of the last tick  (n_changer, 3)
    unlatching: Ints  # ticks since an unlock order                 (n_changer,)
    powered: Ints  # ticks that the tool has been switched on       (n_changer,)
    bus_up: Ints  # ticks that its bus has had power                (n_changer,)
    # digital signals
    level: Ints  # fact after its delays                            (n_changer, N_DIGITAL)
    waited: Ints  # ticks that the fact has differed from it        (n_changer, N_DIGITAL)
    wire: Ints  # what the controller sees                          (n_changer, N_DIGITAL)
    bad: Ints  # broken wires, a bit each                           (n_changer,)
    # what it makes of them
    shown: Ints  # its state                                        (n_changer,)
    trouble: Ints  # its fault, 0 for none                          (n_changer,)
    wrong_for: Ints  # ticks: stand channels, power, bus, air       (n_changer, N_WATCH)
    reset: Ints  # FaultReset of the last tick                      (n_changer,)
    cycles: Ints  # how often it has locked                         (n_changer,)
    stroke_time: Ints  # of the last unlock and lock [ticks]        (n_changer, 2)


class Motion(NamedTuple):
    """State of the current stage, and the weighted sum of its rates over the stages."""

    p_WB: Floats
    q_WB: Floats
    v_WB: Floats
    w_WB: Floats
    q: Floats
    qd: Floats
    sum_v: Floats  # (n_free, 3)
    sum_q: Floats  # quaternion rates                               (n_free, 4)
    sum_a: Floats  # (n_free, 3)
    sum_alpha: Floats  # (n_free, 3)
    sum_qd: Floats  # (n_joint,)
    sum_qdd: Floats  # (n_joint,)


class Placed(NamedTuple):
    """Where everything is at this stage."""

    c_W: Floats  # centres of mass                                  (n_body, 3)
    q_W: Floats  # (n_body, 4)
    R_W: Floats  # (n_body, 9)
    v_W: Floats  # (n_body, 3)
    w_W: Floats  # (n_body, 3)
    a_W: Floats  # accelerations: driven, free, borne bodies only   (n_body, 3)
    alpha_W: Floats  # (n_body, 3)
    axis_W: Floats  # joint axes                                    (n_joint, 3)
    p_WJ: Floats  # joint origins                                    (n_joint, 3)
    drag: Floats  # ζ of the joints, at their origins               (n_joint, 6)
    effort: Floats  # what acts in the joint [N, Nm]                (n_joint,)
    qdd: Floats  # joint accelerations                              (n_joint,)
    port_p: Floats  # ports, at t_n only                            (n_port, 3)
    port_q: Floats  # (n_port, 4)
    port_angles: Floats  # A, B, C [rad]                            (n_port, 3)


class Targets(NamedTuple):
    """Where the axes should be at this stage, and what their drives do about it."""

    q: Floats  # [m, rad]                                           (n_axis,)
    qd: Floats  # (n_axis,)
    qdd: Floats  # (n_axis,)
    forward: Floats  # feed-forward, once a tick [N, Nm]            (n_axis,)
    effort: Floats  # of the drive, at its joint [N, Nm]            (n_axis,)
    integral: Floats  # integral part of the next tick              (n_axis,)


class Chain(NamedTuple):
    """A robot's links where its joints are said to be, wherever they really are."""

    q: Floats  # joint positions tried                              (n_axis,)
    c_W: Floats  # (n_axis, 3)
    q_W: Floats  # (n_axis, 4)
    R_W: Floats  # (n_axis, 9)
    axis_W: Floats  # (n_axis, 3)
    p_WJ: Floats  # (n_axis, 3)
    w_W: Floats  # (n_axis, 3)
    alpha_W: Floats  # (n_axis, 3)
    a_W: Floats  # (n_axis, 3)
    force: Floats  # force and moment about the centre of mass      (n_axis, 6)
    jacobian: Floats  # linear, angular                             (n_axis, 6)
    free: Ints  # 1 if it is not at a limit                         (n_axis,)
    step: Floats  # of the inverse kinematics                       (n_axis,)
    matrix: Floats  # of the robot with most axes                   (n, n)


class Near(NamedTuple):
    """Who may meet whom in this tick."""

    chosen: Ints  # partner for this tick, or NONE                  (n_constrained,)
    seeks: Ints  # what it looks for                                (n_constrained,)
    delay: Floats  # until it touches whom it has chosen, > 0: fast [s]  (n_constrained,)
    gap: Floats  # to whom it has chosen, while it looks [m]        (n_constrained,)
    bucket: Ints  # of each collision object                        (n_collision,)
    start: Ints  # first entry of each bucket, and the end           (n_bucket + 1,)
    entry: Ints  # collision objects, bucket by bucket              (n_collision,)


class Islands(NamedTuple):
    """The bodies as trees for this tick: each hangs on one joint, one pair, or floats."""

    order: Ints  # bodies with mass, from the roots outwards        (n_body,)
    root: Ints  # body at the root of its island                    (n_body,)
    up: Ints  # FREE, JOINT, PAIR: what it hangs on                 (n_body,)
    link: Ints  # number of that joint or constrained object        (n_body,)
    carrier: Ints  # body it hangs on, or NONE                      (n_body,)
    sign: Floats  # -1 if the joint or pair is walked backwards     (n_body,)
    first: Ints  # by root: where its island begins in the order    (n_body,)
    end: Ints  # by root: and where it ends                         (n_body,)
    pair_head: Ints  # first active pair at a body                  (n_body,)
    pair_next: Ints  # next one, at its object's and partner's side  (n_constrained, 2)
    closing: Ints  # pairs that close a loop                        (n_constrained,)
    n_closing: Ints  # (1,)
    group: Ints  # by root: towards the leader of those loops join  (n_body,)
    chain: Ints  # by root: next root of the group, in a ring       (n_body,)
    first_closing: Ints  # by leader: its first in `closing`        (n_body,)
    next_closing: Ints  # next one of the same group                (n_constrained,)


class Pairs(NamedTuple):
    """Active pairs at this stage, about the object's origin p, in world axes."""

    p_W: Floats  # (n_constrained, 3)
    demand: Floats  # of the object's field minus the partner's     (n_constrained, 6)
    soft: Ints  # RIGID, or if `softness` counts STIFF, SOFT        (n_constrained,)
    softness: Floats  # R                                           (n_constrained, 21)
    force: Floats  # on the object: force and moment about p        (n_constrained, 6)
    error: Floats  # ξ: position and rotation vector                (n_constrained, 6)


class Articulated(NamedTuple):
    """The leaf-to-root elimination; body by body, about its island's root."""

    inertia: Floats  # with all that hangs on it                    (n_body, 21)
    bias: Floats  # force it needs to follow its reference          (n_body, 6)
    passed: Floats  # inertia that a soft pair passes on            (n_body, 21)
    axis: Floats  # S: joint axis                                   (n_body, 6)
    reference: Floats  # acceleration if no edge gave way           (n_body, 6)
    push: Floats  # U = I S of a joint; what a soft pair passes on  (n_body, 6)
    inverse: Floats  # 1 / (Sᵀ U + gear)                            (n_body,)
    rest: Floats  # joint force left for q̈ at a carrier at rest      (n_body,)
    change: Floats  # what the edges add to the reference           (n_body, 6)
    field: Floats  # the acceleration found: their sum              (n_body, 6)


class Loops(NamedTuple):
    """Grips that close a loop, solved densely."""

    member: Ints  # closing pairs of the group at hand              (n_constrained,)
    bias: Floats  # change of `Articulated.bias`                    (n_body, 6)
    field: Floats  # change of `Articulated.field`                  (n_body, 6)
    matrix: Floats  # response plus softness                        (6 k, 6 k)
    right: Floats  # demanded minus left alone, then the forces     (6 k,)


class ContactPoints(NamedTuple):
    """Where surfaces touch; the normal points from the second surface into the first.

    Behind the n_point rows for which there is room, MOST_POINTS more take what is just found.
    """

    p_W: Floats  # halfway between the two surfaces [m]             (n_point, 3)
    n_W: Floats  # unit normal: where the first surface is pushed   (n_point, 3)
    depth: Floats  # how far they overlap, < 0: not yet [m]         (n_point,)
    share: Floats  # of stiffness and damping: see contact/collide/polygon_clip.py   (n_point,)
    left_out: Ints  # points, for which there was no room           (1,)
    importance: Floats  # once there is no more room                (n_point,)
    heap: Ints  # the points, the least important first             (n_point,)
    outline: Floats  # room for the outlines that are clipped       (4, MOST_POINTS + 2, 3)


class BroadPhase(NamedTuple):
    """Which surfaces may touch within this tick."""

    p_W: Floats  # (n_surface, 3)
    q_W: Floats  # (n_surface, 4)
    R_W: Floats  # the same as a matrix                              (n_surface, 9)
    v_W: Floats  # velocity of its origin                            (n_surface, 3)
    turning: Floats  # speed of its farthest point about the origin [m/s]  (n_surface,)
    sweep: Floats  # how far any of its points can go in the tick [m]  (n_surface,)
    margin: Floats  # the same and a bit, for neighbours to be found [m]   (n_surface,)
    radius: Floats  # of the sphere that it stays within [m]         (n_surface,)
    hit_speed: Floats  # that hits of this tick may give [m/s]       (n_body,)
    pair: Ints  # the pairs found                                   (n_pair, 2)
    overlap: Floats  # importance, once there is no more room [m]   (n_pair,)
    heap: Ints  # the pairs, the least important first              (n_pair,)
    cell: Ints  # of the grid, where each surface stands            (n_surface, 3)
    bucket: Ints  # of each surface                                 (n_surface,)
    start: Ints  # first entry of each bucket, and the end          (n_bucket + 1,)
    entry: Ints  # surfaces, bucket by bucket                       (n_surface,)


class Contacts(NamedTuple):
    """Contact points of this tick, and how they settle; rates and forces are (linear, angular).

    Points and islands that act on each other are a group. Motions of a body are about the centre
    of mass of its island's root, but for `push`, which is about its own.
    """

    # points: of the first surface relative to the second, forces on the first, about the point
    n: Ints  # how many                                             (1,)
    surface: Ints  # the two surfaces                               (n_point, 2)
    body: Ints  # the bodies they are on                            (n_point, 2)
    law: Ints  # (n_point,)
    next: Ints  # next one of the same group                        (n_point,)
    lever: Floats  # from the roots of both bodies' islands to it    (n_point, 6)
    depth: Floats  # at the start of the sub-step [m]               (n_point,)
    rate: Floats  # at the start of the sub-step [m/s, rad/s]       (n_point, 6)
    drift: Floats  # free acceleration                              (n_point, 6)
    bound: Floats  # of friction, s F; of rolling, F; s             (n_point, 3)
    release: Floats  # greatest speed with which it may let surfaces part [m/s]  (n_point,)
    lacking: Floats  # what the first lacks of the bound wanted     (n_point,)
    rate_next: Floats  # at the end of the sub-step, as tried       (n_point, 6)
    force: Floats  # that `acceleration` answers to                 (n_point, 6)
    defect: Floats  # force by the law, less `force`                (n_point, 6)
    rate_change: Floats  # along the Newton step                    (n_point, 6)
    slope: Floats  # -d force/d rate: linear, symmetric; angular    (n_point, 7)
    told: Floats  # by the laws: F, dF/du; H/v, H', s; rolling; p₊  (n_point, 7)
    impulse: Floats  # over the sub-steps [N s, N m s]              (n_point, 6)
    follow: Floats  # moments on both bodies as they move on [N m s]  (n_point, 6)
    # bodies
    alone: Floats  # inertia without its contacts                   (n_body, 21)
    factors: Floats  # of the inertia with its contacts             (n_body, 21)
    eliminated: Floats  # of it: what earlier bodies give way       (n_body, 21)
    free: Floats  # acceleration without contacts                   (n_body, 6)
    acceleration: Floats  # that contacts make in the sub-step      (n_body, 6)
    imbalance: Floats  # of `force` that it does not answer to      (n_body, 6)
    newton_step: Floats  # change of the acceleration               (n_body, 6)
    step_imbalance: Floats  # force that it does not answer to      (n_body, 6)
    velocity_gain: Floats  # since t_n                              (n_body, 6)
    way_gain: Floats  # since t_n                                   (n_body, 6)
    push: Floats  # mean force of the tick, about c                 (n_body, 6)
    # bodies, conjugate gradients: see solve/contact_system.py
    r: Floats  # residual force                                     (n_body, 6)
    z: Floats  # preconditioned residual                            (n_body, 6)
    p: Floats  # direction                                          (n_body, 6)
    t: Floats  # acceleration that it leads to                      (n_body, 6)
    Pt: Floats  # force which that takes of each island by itself   (n_body, 6)
    passed: Floats  # what later islands pass on to it               (n_body, 6)
    w: Floats  # what it asks of others, then what answers that     (n_body, 6)
    # joints: the same
    joint_free: Floats  # (n_joint,)
    joint_acceleration: Floats  # (n_joint,)
    joint_step: Floats  # (n_joint,)
    joint_velocity: Floats  # (n_joint,)
    joint_way: Floats  # (n_joint,)
    joint_t: Floats  # (n_joint,)
    # groups
    leader: Ints  # by root: towards the leader of the group        (n_body,)
    chain: Ints  # by root: next root of the group, in a ring       (n_body,)
    first: Ints  # by leader: first point of the group, or NONE     (n_body,)
    member: Ints  # bodies of the group at hand, carriers first     (n_body,)
    block: Ints  # by body: block of the group at hand              (n_body,)
    roots: Ints  # of a group's islands, upwards                     (n_body,)
    block_start: Ints  # by block: its first member                 (n_body + 1,)
    lone: Ints  # by block: 1 if it is a body by itself              (n_body,)
    carried: Ints  # by body: 1 if it moves with something driven    (n_body,)
    joined: Ints  # by body: first point that joins it to one that moves, or NONE    (n_body,)
    next_joined: Ints  # the next one, of each of the two bodies     (n_point, 2)

    # passes: a point, the side of it on which a body is, and the body on the other side
    later_start: Ints  # by member: its first pass to a later block  (n_body + 1,)
    later: Ints  # all of them                                       (n_point, 3)
    earlier_start: Ints  # by member: its first pass to an earlier or its own block  (n_body + 1,)
    earlier: Ints  # all of them                                     (2 n_point, 3)


class Fit(NamedTuple):
    """How a tool sits in front of each tool changer, or on it."""

    tool: Ints  # coupled or else nearest tool, NONE if there is none  (n_changer,)
    gap: Floats  # between the frames' origins [m]                  (n_changer,)
    tilt: Floats  # angle between the frames [rad]                  (n_changer,)
    ready: Ints  # near enough at each sensor                       (n_changer, 2)
    in_stand: Ints  # 1 if the tool is in a stand                   (n_changer,)


class Scratch(NamedTuple):
    """What one tick derives; it may be filled with NaN between ticks."""

    time: Floats  # of this stage [s]                               (1,)
    motion: Motion
    placed: Placed
    targets: Targets
    chain: Chain
    brake: Floats  # laws of joints that stop out of a stream       (n_axis, 4, 5)
    reaction: Floats  # force and moment that a body takes, about c  (n_body, 6)
    fit: Fit
    near: Near
    islands: Islands
    pairs: Pairs
    articulated: Articulated
    loops: Loops
    broad_phase: BroadPhase
    points: ContactPoints
    contacts: Contacts


class Feedback(NamedTuple):
    """What the controller sees besides the row of a tick."""

    fault: Ints  # kind (0: none), number of the object, tick       (3,)
    unsettled: Ints  # sub-steps whose contact forces did not settle, ever  (1,)
    left_out: Ints  # contact points without room, ever              (1,)
