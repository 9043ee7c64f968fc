"""Room for one tick: how large the arrays of Scratch must be for a cell."""

import numpy as np

from twincell.sim.model import NONE, Floats, Ints, Model
from twincell.sim.state import (
    MOST_LOOPS,
    MOST_POINTS,
    Articulated,
    BroadPhase,
    Chain,
    ContactPoints,
    Contacts,
    Fit,
    Islands,
    Loops,
    Motion,
    Near,
    Pairs,
    Placed,
    Scratch,
    Targets,
)

# pairs, and contact points, for each surface of a large cell. Measured: spheres packed as densely
# as can be have 5.3 of each, bricks that fall at 5 m/s 10 pairs and 19 points; spheres of any sizes
# touch in less than 7.5 pairs each (Kuperberg and Schramm, 1994). Chosen with that in mind
CROWD = 32


def new_scratch(model: Model) -> Scratch:
    """Room for one tick, filled so that a read before a write shows."""
    n_body = len(model.bodies.mass)
    n_joint = len(model.joints.type)
    n_free = int((model.bodies.free != NONE).sum())
    n_port = len(model.ports.body)
    n_collision = len(model.collision.port)
    n_constrained = len(model.constrained.port)
    n_axis = len(model.axes.joint)
    n_changer = len(model.changers.flange)
    most_axes = int((model.robots.end - model.robots.first).max(initial=0))
    n_unknown = 6 * min(most_loops(model), MOST_LOOPS)
    n_surface = len(model.surfaces.port)
    n_pair = most_pairs(model)
    n_point = most_points(model)
    n_touching = n_body if n_point else 0
    n_jointed = n_joint if n_point else 0

    def floats(*shape: int) -> Floats:
        return np.full(shape, np.nan)

    def ints(*shape: int) -> Ints:
        return np.full(shape, -9, dtype=np.intp)

    return Scratch(
        time=floats(1),
        motion=Motion(
            p_WB=floats(n_free, 3),
            q_WB=floats(n_free, 4),
            v_WB=floats(n_free, 3),
            w_WB=floats(n_free, 3),
            q=floats(n_joint),
            qd=floats(n_joint),
            sum_v=floats(n_free, 3),
            sum_q=floats(n_free, 4),
            sum_a=floats(n_free, 3),
            sum_alpha=floats(n_free, 3),
            sum_qd=floats(n_joint),
            sum_qdd=floats(n_joint),
        ),
        placed=Placed(
            c_W=floats(n_body, 3),
            q_W=floats(n_body, 4),
            R_W=floats(n_body, 9),
            v_W=floats(n_body, 3),
            w_W=floats(n_body, 3),
            a_W=floats(n_body, 3),
            alpha_W=floats(n_body, 3),
            axis_W=floats(n_joint, 3),
            p_WJ=floats(n_joint, 3),
            drag=floats(n_joint, 6),
            effort=floats(n_joint),
            qdd=floats(n_joint),
            port_p=floats(n_port, 3),
            port_q=floats(n_port, 4),
            port_angles=floats(n_port, 3),
        ),
        targets=Targets._make(floats(n_axis) for _ in Targets._fields),
        chain=Chain(
            q=floats(n_axis),
            c_W=floats(n_axis, 3),
            q_W=floats(n_axis, 4),
            R_W=floats(n_axis, 9),
            axis_W=floats(n_axis, 3),
            p_WJ=floats(n_axis, 3),
            w_W=floats(n_axis, 3),
            alpha_W=floats(n_axis, 3),
            a_W=floats(n_axis, 3),
            force=floats(n_axis, 6),
            jacobian=floats(n_axis, 6),
            free=ints(n_axis),
            step=floats(n_axis),
            matrix=floats(most_axes, most_axes),
        ),
        brake=floats(n_axis, 4, 5),
        reaction=floats(n_body, 6),
        fit=Fit(
            tool=ints(n_changer),
            gap=floats(n_changer),
            tilt=floats(n_changer),
            ready=ints(n_changer, 2),
            in_stand=ints(n_changer),
        ),
        near=Near(
            chosen=ints(n_constrained),
            seeks=ints(n_constrained),
            delay=floats(n_constrained),
            gap=floats(n_constrained),
            bucket=ints(n_collision),
            start=ints(model.grid_mask + 3),
            entry=ints(n_collision),
        ),
        islands=Islands(
            order=ints(n_body),
            root=ints(n_body),
            up=ints(n_body),
            link=ints(n_body),
            carrier=ints(n_body),
            sign=floats(n_body),
            first=ints(n_body),
            end=ints(n_body),
            pair_head=ints(n_body),
            pair_next=ints(n_constrained, 2),
            closing=ints(n_constrained),
            n_closing=ints(1),
            group=ints(n_body),
            chain=ints(n_body),
            first_closing=ints(n_body),
            next_closing=ints(n_constrained),
        ),
        pairs=Pairs(
            p_W=floats(n_constrained, 3),
            demand=floats(n_constrained, 6),
            soft=ints(n_constrained),
            softness=floats(n_constrained, 21),
            force=floats(n_constrained, 6),
            error=floats(n_constrained, 6),
        ),
        articulated=Articulated(
            inertia=floats(n_body, 21),
            bias=floats(n_body, 6),
            passed=floats(n_body, 21),
            axis=floats(n_body, 6),
            reference=floats(n_body, 6),
            push=floats(n_body, 6),
            inverse=floats(n_body),
            rest=floats(n_body),
            change=floats(n_body, 6),
            field=floats(n_body, 6),
        ),
        loops=Loops(
            member=ints(n_constrained),
            bias=floats(n_body, 6),
            field=floats(n_body, 6),
            matrix=floats(n_unknown, n_unknown),
            right=floats(n_unknown),
        ),
        broad_phase=BroadPhase(
            p_W=floats(n_surface, 3),
            q_W=floats(n_surface, 4),
            R_W=floats(n_surface, 9),
            v_W=floats(n_surface, 3),
            turning=floats(n_surface),
            sweep=floats(n_surface),
            margin=floats(n_surface),
            radius=floats(n_surface),
            hit_speed=floats(n_body),
            pair=ints(n_pair, 2),
            overlap=floats(n_pair),
            heap=ints(n_pair),
            cell=ints(n_surface, 3),
            bucket=ints(n_surface),
            start=ints((1 << max(1, 2 * n_surface - 1).bit_length()) + 1),
            entry=ints(n_surface),
        ),
        points=new_contact_points(n_point),
        contacts=Contacts(
            n=ints(1),
            surface=ints(n_point, 2),
            body=ints(n_point, 2),
            law=ints(n_point),
            next=ints(n_point),
            lever=floats(n_point, 6),
            depth=floats(n_point),
            rate=floats(n_point, 6),
            drift=floats(n_point, 6),
            bound=floats(n_point, 3),
            lacking=floats(n_point),
            release=floats(n_point),
            rate_next=floats(n_point, 6),
            force=floats(n_point, 6),
            defect=floats(n_point, 6),
            rate_change=floats(n_point, 6),
            slope=floats(n_point, 7),
            told=floats(n_point, 7),
            impulse=floats(n_point, 6),
            follow=floats(n_point, 6),
            alone=floats(n_touching, 21),
            factors=floats(n_touching, 21),
            eliminated=floats(n_touching, 21),
            free=floats(n_touching, 6),
            acceleration=floats(n_touching, 6),
            imbalance=floats(n_touching, 6),
            newton_step=floats(n_touching, 6),
            step_imbalance=floats(n_touching, 6),
            velocity_gain=floats(n_touching, 6),
            way_gain=floats(n_touching, 6),
            push=floats(n_touching, 6),
            r=floats(n_touching, 6),
            z=floats(n_touching, 6),
            p=floats(n_touching, 6),
            t=floats(n_touching, 6),
            Pt=floats(n_touching, 6),
            passed=floats(n_touching, 6),
            w=floats(n_touching, 6),
            joint_free=floats(n_jointed),
            joint_acceleration=floats(n_jointed),
            joint_step=floats(n_jointed),
            joint_velocity=floats(n_jointed),
            joint_way=floats(n_jointed),
            joint_t=floats(n_jointed),
            leader=ints(n_touching),
            chain=ints(n_touching),
            first=ints(n_touching),
            member=ints(n_touching),
            block=ints(n_touching),
            roots=ints(n_touching),
            block_start=ints(n_touching + 1),
            lone=ints(n_touching),
            carried=ints(n_touching),
            joined=ints(n_touching),
            next_joined=ints(n_point, 2),
            later_start=ints(n_touching + 1),
            later=ints(n_point, 3),
            earlier_start=ints(n_touching + 1),
            earlier=ints(2 * n_point, 3),
        ),
    )


def new_contact_points(n_point: int) -> ContactPoints:
    """Room for that many contact points, filled so that a read before a write shows."""
    n_row = n_point + 2 * MOST_POINTS  # what is written before it is known whether it is kept
    return ContactPoints(
        p_W=np.full((n_row, 3), np.nan),
        n_W=np.full((n_row, 3), np.nan),
        depth=np.full(n_row, np.nan),
        share=np.full(n_row, np.nan),
        left_out=np.zeros(1, dtype=np.intp),
        importance=np.full(n_row, np.nan),
        heap=np.full(n_point, -9, dtype=np.intp),
        outline=np.full((4, MOST_POINTS + 2, 3), np.nan),
    )


def most_pairs(model: Model) -> int:
    """How many pairs of surfaces there is room for: all of them, or a crowd."""
    n = len(model.surfaces.port)
    return min(max(n * (n - 1) // 2, 1), CROWD * n)  # one surface alone gets what it never uses


def most_points(model: Model) -> int:
    """How many contact points there is room for: all that there can be, or a crowd of them."""
    return min(MOST_POINTS * most_pairs(model), CROWD * len(model.surfaces.port))


def most_loops(model: Model) -> int:
    """How many grips can at most close a loop at the same time.

    A free tree with one constrained object hangs on it; each further object, and each one on a
    tree that stands on the ground already, can close a loop. So can two trees that hold each
    other: as many as half of those that both hold and are held.
    """
    tree = model.bodies.tree
    held = np.bincount(tree[model.ports.body[model.constrained.port]], minlength=len(tree))
    holding = np.bincount(tree[model.ports.body[model.collision.port]], minlength=len(tree))
    floats_freely = np.zeros(len(tree), dtype=bool)
    floats_freely[tree[model.bodies.free != NONE]] = True
    mutual = int(((held > 0) & (holding > 0) & floats_freely).sum()) // 2
    return int(np.maximum(held - floats_freely, 0).sum()) + mutual
