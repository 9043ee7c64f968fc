"""What one tick derives, and room for it."""

import math
from typing import TYPE_CHECKING, Annotated, NamedTuple

from twincell.sim.arrays import Floats, Ints, allocate, nest
from twincell.sim.devices import modules
from twincell.sim.model import Model
from twincell.sim.sizes import MOST_POINTS, sizes_of


class Motion(NamedTuple):
    """State of the current stage, and the weighted sum of its rates over the stages."""

    p_WB: Annotated[Floats, "n_free", 3]
    q_WB: Annotated[Floats, "n_free", 4]
    v_WB: Annotated[Floats, "n_free", 3]
    w_WB: Annotated[Floats, "n_free", 3]
    q: Annotated[Floats, "n_joint"]
    qd: Annotated[Floats, "n_joint"]
    sum_v: Annotated[Floats, "n_free", 3]
    sum_q: Annotated[Floats, "n_free", 4]  # quaternion rates
    sum_a: Annotated[Floats, "n_free", 3]
    sum_alpha: Annotated[Floats, "n_free", 3]
    sum_qd: Annotated[Floats, "n_joint"]
    sum_qdd: Annotated[Floats, "n_joint"]


class Placed(NamedTuple):
    """Where everything is at this stage."""

    c_W: Annotated[Floats, "n_body", 3]  # centres of mass
    q_W: Annotated[Floats, "n_body", 4]
    R_W: Annotated[Floats, "n_body", 9]
    v_W: Annotated[Floats, "n_body", 3]
    w_W: Annotated[Floats, "n_body", 3]
    a_W: Annotated[Floats, "n_body", 3]  # accelerations: driven, free, borne bodies only
    alpha_W: Annotated[Floats, "n_body", 3]
    axis_W: Annotated[Floats, "n_joint", 3]  # joint axes
    p_WJ: Annotated[Floats, "n_joint", 3]  # joint origins
    drag: Annotated[Floats, "n_joint", 6]  # ζ of the joints, at their origins
    effort: Annotated[Floats, "n_joint"]  # what acts in the joint [N, Nm]
    qdd: Annotated[Floats, "n_joint"]  # joint accelerations
    port_p: Annotated[Floats, "n_port", 3]  # ports, at t_n only
    port_q: Annotated[Floats, "n_port", 4]
    port_angles: Annotated[Floats, "n_port", 3]  # A, B, C [rad]


class Targets(NamedTuple):
    """Where the axes should be at this stage, and what their drives do about it."""

    q: Annotated[Floats, "n_axis"]  # [m, rad]
    qd: Annotated[Floats, "n_axis"]
    qdd: Annotated[Floats, "n_axis"]
    forward: Annotated[Floats, "n_axis"]  # feed-forward, once a tick [N, Nm]
    effort: Annotated[Floats, "n_axis"]  # of the drive, at its joint [N, Nm]
    integral: Annotated[Floats, "n_axis"]  # integral part of the next tick


class Chain(NamedTuple):
    """A robot's links where its joints are said to be, wherever they really are."""

    q: Annotated[Floats, "n_axis"]  # joint positions tried
    c_W: Annotated[Floats, "n_axis", 3]
    q_W: Annotated[Floats, "n_axis", 4]
    R_W: Annotated[Floats, "n_axis", 9]
    axis_W: Annotated[Floats, "n_axis", 3]
    p_WJ: Annotated[Floats, "n_axis", 3]
    w_W: Annotated[Floats, "n_axis", 3]
    alpha_W: Annotated[Floats, "n_axis", 3]
    a_W: Annotated[Floats, "n_axis", 3]
    force: Annotated[Floats, "n_axis", 6]  # force and moment about the centre of mass
    jacobian: Annotated[Floats, "n_axis", 6]  # linear, angular
    free: Annotated[Ints, "n_axis"]  # 1 if it is not at a limit
    step: Annotated[Floats, "n_axis"]  # of the inverse kinematics
    matrix: Annotated[Floats, "most_axes", "most_axes"]  # of the robot with most axes


class Near(NamedTuple):
    """Who may meet whom in this tick."""

    chosen: Annotated[Ints, "n_constrained"]  # partner for this tick, or NONE
    seeks: Annotated[Ints, "n_constrained"]  # what it looks for
    delay: Annotated[Floats, "n_constrained"]  # until it touches whom it has chosen, > 0: fast [s]
    gap: Annotated[Floats, "n_constrained"]  # to whom it has chosen, while it looks [m]
    bucket: Annotated[Ints, "n_collision"]  # of each collision object
    start: Annotated[Ints, "n_bucket + 1"]  # first entry of each bucket, and the end
    entry: Annotated[Ints, "n_collision"]  # collision objects, bucket by bucket


class Islands(NamedTuple):
    """The bodies as trees for this tick: each hangs on one joint, one pair, or floats."""

    order: Annotated[Ints, "n_body"]  # bodies with mass, from the roots outwards
    root: Annotated[Ints, "n_body"]  # body at the root of its island
    up: Annotated[Ints, "n_body"]  # FREE, JOINT, PAIR: what it hangs on
    link: Annotated[Ints, "n_body"]  # number of that joint or constrained object
    carrier: Annotated[Ints, "n_body"]  # body it hangs on, or NONE
    sign: Annotated[Floats, "n_body"]  # -1 if the joint or pair is walked backwards
    first: Annotated[Ints, "n_body"]  # by root: where its island begins in the order
    end: Annotated[Ints, "n_body"]  # by root: and where it ends
    pair_head: Annotated[Ints, "n_body"]  # first active pair at a body
    pair_next: Annotated[Ints, "n_constrained", 2]  # next one, at its object's and partner's side
    closing: Annotated[Ints, "n_constrained"]  # pairs that close a loop
    n_closing: Annotated[Ints, 1]
    group: Annotated[Ints, "n_body"]  # by root: towards the leader of those loops join
    chain: Annotated[Ints, "n_body"]  # by root: next root of the group, in a ring
    first_closing: Annotated[Ints, "n_body"]  # by leader: its first in `closing`
    next_closing: Annotated[Ints, "n_constrained"]  # next one of the same group


class Pairs(NamedTuple):
    """Active pairs at this stage, about the object's origin p, in world axes."""

    p_W: Annotated[Floats, "n_constrained", 3]
    demand: Annotated[Floats, "n_constrained", 6]  # of the object's field minus the partner's
    soft: Annotated[Ints, "n_constrained"]  # RIGID, or if `softness` counts STIFF, SOFT
    softness: Annotated[Floats, "n_constrained", 21]  # R
    force: Annotated[Floats, "n_constrained", 6]  # on the object: force and moment about p
    error: Annotated[Floats, "n_constrained", 6]  # ξ: position and rotation vector


class Articulated(NamedTuple):
    """The leaf-to-root elimination; body by body, about its island's root."""

    inertia: Annotated[Floats, "n_body", 21]  # with all that hangs on it
    bias: Annotated[Floats, "n_body", 6]  # force it needs to follow its reference
    passed: Annotated[Floats, "n_body", 21]  # inertia that a soft pair passes on
    axis: Annotated[Floats, "n_body", 6]  # S: joint axis
    reference: Annotated[Floats, "n_body", 6]  # acceleration if no edge gave way
    push: Annotated[Floats, "n_body", 6]  # U = I S of a joint; what a soft pair passes on
    inverse: Annotated[Floats, "n_body"]  # 1 / (Sᵀ U + gear)
    rest: Annotated[Floats, "n_body"]  # joint force left for q̈ at a carrier at rest
    change: Annotated[Floats, "n_body", 6]  # what the edges add to the reference
    field: Annotated[Floats, "n_body", 6]  # the acceleration found: their sum


class Loops(NamedTuple):
    """Grips that close a loop, solved densely."""

    member: Annotated[Ints, "n_constrained"]  # closing pairs of the group at hand
    bias: Annotated[Floats, "n_body", 6]  # change of `Articulated.bias`
    field: Annotated[Floats, "n_body", 6]  # change of `Articulated.field`
    matrix: Annotated[Floats, "6 * n_loop", "6 * n_loop"]  # response plus softness
    right: Annotated[Floats, "6 * n_loop"]  # demanded minus left alone, then the forces


class ContactPoints(NamedTuple):
    """Where surfaces touch; the normal points from the second surface into the first.

    Behind the n_point rows for what is kept, others take what is just found.
    """

    p_W: Annotated[Floats, "n_point_row", 3]  # halfway between the two surfaces [m]
    n_W: Annotated[Floats, "n_point_row", 3]  # unit normal: where the first surface is pushed
    depth: Annotated[Floats, "n_point_row"]  # how far they overlap, < 0: not yet [m]
    share: Annotated[Floats, "n_point_row"]  # of stiffness and damping: see collide/polygon_clip.py
    left_out: Annotated[Ints, 1]  # points, for which there was no room
    importance: Annotated[Floats, "n_point_row"]  # once there is no more room
    heap: Annotated[Ints, "n_point"]  # the points, the least important first
    outline: Annotated[Floats, 4, MOST_POINTS + 2, 3]  # room for the outlines that are clipped


class BroadPhase(NamedTuple):
    """Which surfaces may touch within this tick."""

    p_W: Annotated[Floats, "n_surface", 3]
    q_W: Annotated[Floats, "n_surface", 4]
    R_W: Annotated[Floats, "n_surface", 9]  # the same as a matrix
    v_W: Annotated[Floats, "n_surface", 3]  # velocity of its origin
    turning: Annotated[Floats, "n_surface"]  # speed of its farthest point about the origin [m/s]
    sweep: Annotated[Floats, "n_surface"]  # how far any of its points can go in the tick [m]
    margin: Annotated[Floats, "n_surface"]  # the same and a bit, for neighbours to be found [m]
    radius: Annotated[Floats, "n_surface"]  # of the sphere that it stays within [m]
    hit_speed: Annotated[Floats, "n_body"]  # that hits of this tick may give [m/s]
    pair: Annotated[Ints, "n_pair", 2]  # the pairs found
    overlap: Annotated[Floats, "n_pair"]  # importance, once there is no more room [m]
    heap: Annotated[Ints, "n_pair"]  # the pairs, the least important first
    cell: Annotated[Ints, "n_surface", 3]  # of the grid, where each surface stands
    bucket: Annotated[Ints, "n_surface"]  # of each surface
    start: Annotated[Ints, "n_surface_bucket + 1"]  # first entry of each bucket, and the end
    entry: Annotated[Ints, "n_surface"]  # surfaces, bucket by bucket


class Contacts(NamedTuple):
    """Contact points of this tick, and how they settle; rates and forces are (linear, angular).

    Points and islands that act on each other are a group. Motions of a body are about the centre
    of mass of its island's root, but for `push`, which is about its own.
    """

    # points: of the first surface relative to the second, forces on the first, about the point
    n: Annotated[Ints, 1]  # how many
    surface: Annotated[Ints, "n_point", 2]  # the two surfaces
    body: Annotated[Ints, "n_point", 2]  # the bodies they are on
    law: Annotated[Ints, "n_point"]
    next: Annotated[Ints, "n_point"]  # next one of the same group
    lever: Annotated[Floats, "n_point", 6]  # from the roots of both bodies' islands to it
    depth: Annotated[Floats, "n_point"]  # at the start of the sub-step [m]
    rate: Annotated[Floats, "n_point", 6]  # at the start of the sub-step [m/s, rad/s]
    drift: Annotated[Floats, "n_point", 6]  # free acceleration
    bound: Annotated[Floats, "n_point", 3]  # of friction, s F; of rolling, F; s
    release: Annotated[Floats, "n_point"]  # greatest speed at which it may let surfaces part [m/s]
    lacking: Annotated[Floats, "n_point"]  # what the first lacks of the bound wanted
    rate_next: Annotated[Floats, "n_point", 6]  # at the end of the sub-step, as tried
    force: Annotated[Floats, "n_point", 6]  # that `acceleration` answers to
    defect: Annotated[Floats, "n_point", 6]  # force by the law, less `force`
    rate_change: Annotated[Floats, "n_point", 6]  # along the Newton step
    slope: Annotated[Floats, "n_point", 7]  # -d force/d rate: linear, symmetric; angular
    told: Annotated[Floats, "n_point", 7]  # by the laws: F, dF/du; H/v, H', s; rolling; p₊
    impulse: Annotated[Floats, "n_point", 6]  # over the sub-steps [N s, N m s]
    follow: Annotated[Floats, "n_point", 6]  # moments on both bodies as they move on [N m s]
    # bodies
    alone: Annotated[Floats, "n_touching", 21]  # inertia without its contacts
    factors: Annotated[Floats, "n_touching", 21]  # of the inertia with its contacts
    eliminated: Annotated[Floats, "n_touching", 21]  # of it: what earlier bodies give way
    free: Annotated[Floats, "n_touching", 6]  # acceleration without contacts
    acceleration: Annotated[Floats, "n_touching", 6]  # that contacts make in the sub-step
    imbalance: Annotated[Floats, "n_touching", 6]  # of `force` that it does not answer to
    newton_step: Annotated[Floats, "n_touching", 6]  # change of the acceleration
    step_imbalance: Annotated[Floats, "n_touching", 6]  # force that it does not answer to
    velocity_gain: Annotated[Floats, "n_touching", 6]  # since t_n
    way_gain: Annotated[Floats, "n_touching", 6]  # since t_n
    push: Annotated[Floats, "n_touching", 6]  # mean force of the tick, about c
    # bodies, conjugate gradients: see solve/contact_system.py
    r: Annotated[Floats, "n_touching", 6]  # residual force
    z: Annotated[Floats, "n_touching", 6]  # preconditioned residual
    p: Annotated[Floats, "n_touching", 6]  # direction
    t: Annotated[Floats, "n_touching", 6]  # acceleration that it leads to
    Pt: Annotated[Floats, "n_touching", 6]  # force which that takes of each island by itself
    passed: Annotated[Floats, "n_touching", 6]  # what later islands pass on to it
    w: Annotated[Floats, "n_touching", 6]  # what it asks of others, then what answers that
    # joints: the same
    joint_free: Annotated[Floats, "n_jointed"]
    joint_acceleration: Annotated[Floats, "n_jointed"]
    joint_step: Annotated[Floats, "n_jointed"]
    joint_velocity: Annotated[Floats, "n_jointed"]
    joint_way: Annotated[Floats, "n_jointed"]
    joint_t: Annotated[Floats, "n_jointed"]
    # groups
    leader: Annotated[Ints, "n_touching"]  # by root: towards the leader of the group
    chain: Annotated[Ints, "n_touching"]  # by root: next root of the group, in a ring
    first: Annotated[Ints, "n_touching"]  # by leader: first point of the group, or NONE
    member: Annotated[Ints, "n_touching"]  # bodies of the group at hand, carriers first
    block: Annotated[Ints, "n_touching"]  # by body: block of the group at hand
    roots: Annotated[Ints, "n_touching"]  # of a group's islands, upwards
    block_start: Annotated[Ints, "n_touching + 1"]  # by block: its first member
    lone: Annotated[Ints, "n_touching"]  # by block: 1 if it is a body by itself
    carried: Annotated[Ints, "n_touching"]  # by body: 1 if it moves with something driven
    joined: Annotated[
        Ints, "n_touching"
    ]  # by body: first point that joins it to what moves, or NONE
    next_joined: Annotated[Ints, "n_point", 2]  # the next one, of each of the two bodies

    # passes: a point, the side of it on which a body is, and the body on the other side
    later_start: Annotated[Ints, "n_touching + 1"]  # by member: its first pass to a later block
    later: Annotated[Ints, "n_point", 3]  # all of them
    earlier_start: Annotated[Ints, "n_touching + 1"]  # the same, to an earlier block or its own
    earlier: Annotated[Ints, "2 * n_point", 3]  # all of them


if TYPE_CHECKING:
    from typing import Any as DeviceScratch
else:
    DeviceScratch = nest(
        "DeviceScratch",
        {d: m.SCRATCH for d, m in modules("state").items() if hasattr(m, "SCRATCH")},
    )


class Scratch(NamedTuple):
    """What one tick derives; it may be filled with NaN between ticks."""

    time: Annotated[Floats, 1]  # of this stage [s]
    motion: Motion
    placed: Placed
    targets: Targets
    chain: Chain
    brake: Annotated[Floats, "n_axis", 4, 5]  # laws of joints that stop out of a stream
    reaction: Annotated[Floats, "n_body", 6]  # force and moment that a body takes, about c
    devices: DeviceScratch
    near: Near
    islands: Islands
    pairs: Pairs
    articulated: Articulated
    loops: Loops
    broad_phase: BroadPhase
    points: ContactPoints
    contacts: Contacts


def new_scratch(model: Model) -> Scratch:
    """Room for one tick, filled so that a read before a write shows."""
    return allocate(Scratch, sizes_of(model), floats=math.nan, ints=-9)
