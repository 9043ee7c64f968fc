"""Bodies, trees, joints, movers and ports of a cell as arrays."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from twincell.sim.build.assembly import Assembly
from twincell.sim.mechanics.joints import joint_type
from twincell.sim.model import (
    NONE,
    SINE,
    STILL,
    WAYPOINTS,
    Bodies,
    Floats,
    Ints,
    Joints,
    Movers,
    Ports,
    Trees,
    Waypoints,
)
from twincell.sim.pose import Pose, angles, quaternion, rotation_matrix, rotation_vector
from twincell.sim.spec.cell import CellSpec, Mover
from twincell.sim.spec.joint import MovingJoint
from twincell.sim.spec.joint_keys import CELL_KEYS, in_si, motion_sizes


def floats(rows: Sequence[object], *width: int) -> Floats:
    """Rows as an array of float64 with a fixed width, also when there are none."""
    return np.array(rows, dtype=np.float64).reshape((len(rows), *width))


def ints(rows: Sequence[object], *width: int) -> Ints:
    """Rows as an array of indices with a fixed width, also when there are none."""
    return np.array(rows, dtype=np.intp).reshape((len(rows), *width))


def moving_joints(spec: CellSpec, assembly: Assembly) -> dict[str, MovingJoint]:
    """Joints that move, in the order of the bodies that they carry."""
    bodies = (*assembly.driven, *assembly.moving)
    names = [assembly.carried_by[name] for name in bodies if name in assembly.carried_by]
    joints = {name: spec.joint[name] for name in names}
    return {n: j for n, j in joints.items() if isinstance(j, MovingJoint)}


def body_numbers(assembly: Assembly) -> dict[str, int]:
    """Number of each rigid group: the driven ones, then what forces move."""
    return {name: k for k, name in enumerate((*assembly.driven, *assembly.moving))}


def build_bodies(spec: CellSpec, assembly: Assembly) -> tuple[Bodies, Trees]:
    """Masses, and who hangs on what."""
    number = body_numbers(assembly)
    joint_number = {name: k for k, name in enumerate(moving_joints(spec, assembly))}
    n_driven = len(assembly.driven)
    mass, inertia, joint, free = [], [], [], []
    tree: list[int] = []
    grounded: list[int] = []
    first: list[int] = []
    end: list[int] = []
    borne: list[int] = []
    n_free = 0
    for name, body in number.items():
        group = assembly.groups[name]
        matrix = group.inertia
        mass.append(group.mass)
        inertia.append([*np.diag(matrix), matrix[0, 1], matrix[0, 2], matrix[1, 2]])
        own = assembly.carried_by.get(name)
        joint.append(joint_number[own] if own else NONE)
        carrier = number[assembly.mounts[spec.joint[own].parent].group] if own else NONE
        if carrier >= n_driven:  # goes on with its carrier's tree
            tree.append(tree[carrier])
            grounded.append(grounded[carrier])
            end[-1] = body + 1
        else:
            tree.append(len(first))
            grounded.append(int(own is not None))
            first.append(body)
            end.append(body + 1)
        borne.append(int(own is not None and (body < n_driven or borne[carrier] == 1)))
        floats_freely = body >= n_driven and own is None
        free.append(n_free if floats_freely else NONE)
        n_free += floats_freely
    first_joint, _ = _joint_lists(spec, assembly, number)
    return (
        Bodies(
            floats(mass),
            floats(inertia, 6),
            ints(joint),
            ints(free),
            ints(tree),
            ints(grounded),
            ints(first_joint),
            ints(borne),
        ),
        Trees(ints(first), ints(end)),
    )


def _joint_lists(
    spec: CellSpec, assembly: Assembly, number: Mapping[str, int]
) -> tuple[list[int], list[int]]:
    """For each body the first joint that it carries, for each joint the next of the same body."""
    joints = moving_joints(spec, assembly)
    first_joint, next_joint = [NONE] * len(number), [NONE] * len(joints)
    for k, joint in reversed(list(enumerate(joints.values()))):
        parent = number[assembly.mounts[joint.parent].group]
        next_joint[k], first_joint[parent] = first_joint[parent], k
    return first_joint, next_joint


def build_joints(
    spec: CellSpec, assembly: Assembly, gear: Floats, port: Mapping[str, int]
) -> Joints:
    """Joints in SI units; stops that the file leaves open are NaN, and filled in later."""
    number = body_numbers(assembly)
    joints = moving_joints(spec, assembly)
    values = list(joints.values())
    on_parent = [
        assembly.mounts[j.parent].pose @ Pose.of(j.position_m, j.orientation_deg) for j in values
    ]
    parents = [assembly.mounts[j.parent].group for j in values]
    axes = [np.array(j.axis) / np.linalg.norm(j.axis) for j in values]
    rows = [in_si(j, CELL_KEYS) for j in values]
    motion = [joint_type(j.type).motion(*motion_sizes(j)) for j in values]

    def column(key: str) -> Floats:
        return floats([row[key] for row in rows])

    return Joints(
        turn=ints([turn for turn, _ in motion]),
        slide=floats([slide for _, slide in motion]),
        parent=ints([number[name] for name in parents]),
        child=ints([number[j.child] for j in values]),
        port=ints([port.get(j.parent, NONE) for j in values]),
        next=ints(_joint_lists(spec, assembly, number)[1]),
        p_AJ=floats(
            [x.p - assembly.groups[n].center for x, n in zip(on_parent, parents, strict=True)], 3
        ),
        q_AJ=floats([x.q for x in on_parent], 4),
        turn_AJ=floats([_times_axis(x.q, u) for x, u in zip(on_parent, axes, strict=True)], 4),
        p_BJ=floats([-assembly.groups[j.child].center for j in values], 3),
        axis_B=floats(axes, 3),
        stiffness=column("stiffness"),
        rest=column("rest"),
        damping=column("damping"),
        friction=column("friction"),
        friction_speed=column("friction_speed"),
        lower=column("lower"),
        upper=column("upper"),
        stop_stiffness=column("stop_stiffness"),
        stop_damping=column("stop_damping"),
        gear=gear,
    )


def _times_axis(q: Floats, axis: Floats) -> Floats:
    """The quaternion q times a vector."""
    return np.array([-q[1:] @ axis, *(q[0] * axis + np.cross(q[1:], axis))])


def joint_start(spec: CellSpec, assembly: Assembly) -> tuple[Floats, Floats]:
    """Positions and velocities of the joints at the start."""
    rows = [in_si(j, CELL_KEYS) for j in moving_joints(spec, assembly).values()]
    return floats([r["start"] for r in rows]), floats([r["start_velocity"] for r in rows])


def build_movers(spec: CellSpec) -> tuple[Movers, Waypoints]:
    """Prescribed motions and their waypoints."""
    movers = list(spec.mover.values())
    time: list[float] = []
    p_W, R_W, turn, first, end = [], [], [], [], []
    for mover in movers:
        first.append(len(time))
        for point in mover.waypoints or ():
            time.append(point.at_s)
            p_W.append(point.position_m)
            R_W.append(rotation_matrix(point.orientation_deg))
        end.append(len(time))
    for k, R in enumerate(R_W):
        turn.append(np.zeros(3) if k + 1 in end else rotation_vector(R_W[k + 1] @ R.T))
    poses = [Pose.of(m.position_m, m.orientation_deg) for m in movers]
    return (
        Movers(
            kind=ints([_kind(m) for m in movers]),
            p_WM=floats([x.p for x in poses], 3),
            q_WM=floats([x.q for x in poses], 4),
            direction=floats(
                [
                    np.array(m.sine.direction) / np.linalg.norm(m.sine.direction)
                    if m.sine
                    else np.zeros(3)
                    for m in movers
                ],
                3,
            ),
            amplitude=floats(
                [
                    [m.sine.amplitude_m, math.radians(m.sine.amplitude_deg)] if m.sine else [0, 0]
                    for m in movers
                ],
                2,
            ),
            frequency=floats([2 * math.pi * m.sine.frequency_hz if m.sine else 0 for m in movers]),
            phase=floats([math.radians(m.sine.phase_deg) if m.sine else 0 for m in movers]),
            first=ints(first),
            end=ints(end),
        ),
        Waypoints(
            floats(time), floats(p_W, 3), floats(_without_jumps(R_W, first), 4), floats(turn, 3)
        ),
    )


def _without_jumps(R_W: list[Floats], first: list[int]) -> list[Floats]:
    """Quaternions of the waypoints; each has the sign with which the path arrives there.

    q and -q are the same rotation, but a signal must not jump from one to the other. A turn of at
    most half a circle keeps q · q' ≥ 0.
    """
    quaternions: list[Floats] = []
    for k, R in enumerate(R_W):
        q = quaternion(R)
        if k not in first and q @ quaternions[-1] < 0:
            q = -q
        quaternions.append(q)
    return quaternions


def _kind(mover: Mover) -> int:
    if mover.waypoints:
        return WAYPOINTS
    return SINE if mover.sine else STILL


def build_ports(
    assembly: Assembly, number: Mapping[str, int], names: Sequence[str]
) -> tuple[Ports, dict[str, int]]:
    """A port for each of these names, and the port's number by name."""
    mounts = [assembly.mounts[name] for name in names]
    ports = Ports(
        ints([number[m.group] for m in mounts]),
        floats([m.pose.p - assembly.groups[m.group].center for m in mounts], 3),
        floats([m.pose.q for m in mounts], 4),
        floats([angles(m.pose.R) for m in mounts], 3),
    )
    return ports, {name: k for k, name in enumerate(names)}
