"""Which named things move as one: fixed joints disappear, every name gets a body and a pose on it.

A *rigid group* is the world, a mover, or a body with everything fixed to it. The group of a body is
named after its topmost body, whose frame gives the axes. A group is *driven* if its motion is
given: the world, a mover, or what hangs on an ideal joint.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from twincell.sim.model import Floats
from twincell.sim.pose import Pose
from twincell.sim.spec.cell import WORLD, Body, CellSpec
from twincell.sim.spec.joint import FixedJoint, MovingJoint


@dataclass
class Group:
    """Bodies that move as one, with their common mass; the world and movers have none."""

    name: str
    mass: float = 0.0
    center: Floats = field(default_factory=lambda: np.zeros(3))  # of mass, group axes
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))  # about the centre of mass


@dataclass(frozen=True)
class Mount:
    """Where a named frame sits: on which group, and where there."""

    group: str
    pose: Pose


@dataclass(frozen=True)
class Assembly:
    """The rigid groups of a cell and where every name sits on them."""

    driven: tuple[str, ...]  # the world, the movers, then what hangs on ideal joints
    moving: tuple[str, ...]  # what forces move, each after its carrier, tree by tree
    groups: Mapping[str, Group]
    mounts: Mapping[str, Mount]
    carried_by: Mapping[str, str]  # moving group -> its joint, if it has one


def assemble(spec: CellSpec, ideal: frozenset[str] = frozenset()) -> Assembly:
    """Resolve frames and fixed joints of a checked cell; the motion of ideal joints is given."""
    fixed = {j.child: j for j in spec.joint.values() if isinstance(j, FixedJoint)}
    carried_by = {
        joint.child: name for name, joint in spec.joint.items() if isinstance(joint, MovingJoint)
    }
    mounts: dict[str, Mount] = {WORLD: Mount(WORLD, Pose())}

    for name in (*spec.mover, *spec.body, *spec.frame):
        # down to something that is placed already, or moves by itself, and back up again
        path = [name]
        while path[-1] not in mounts and (carrier := _carrier(spec, fixed, path[-1])):
            path.append(carrier[0])
        for step in reversed(path):
            if step not in mounts:
                carrier = _carrier(spec, fixed, step)
                below = mounts[carrier[0]] if carrier else Mount(step, Pose())
                mounts[step] = Mount(below.group, below.pose @ carrier[1]) if carrier else below
    massless = (WORLD, *spec.mover)
    groups = {name: Group(name) for name in massless}
    for name, body in spec.body.items():
        where = mounts[name]
        group = groups.setdefault(where.group, Group(where.group))
        if group.name not in massless and body.mass_kg > 0:
            _add_mass(group, body, where.pose)
    ordered = _order(spec, mounts, carried_by, [n for n in groups if n not in massless])
    given = tuple(name for name in ordered if carried_by.get(name) in ideal)
    moving = tuple(name for name in ordered if name not in given)
    return Assembly((*massless, *given), moving, groups, mounts, carried_by)


def _carrier(spec: CellSpec, fixed: Mapping[str, FixedJoint], name: str) -> tuple[str, Pose] | None:
    """What a frame or a fixed body sits on, and where; nothing for what moves by itself."""
    if name in spec.frame:
        frame = spec.frame[name]
        return frame.on or WORLD, Pose.of(frame.position_m, frame.orientation_deg)
    if name in fixed:
        joint = fixed[name]
        return joint.parent, Pose.of(joint.position_m, joint.orientation_deg)
    return None


def inertia_matrix(body: Body) -> Floats:
    """Inertia of a body about its centre of mass, in its own axes."""
    xx, yy, zz, xy, xz, yz = (*body.inertia_kg_m2, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


def _add_mass(group: Group, body: Body, pose: Pose) -> None:
    """Join a body to a group: masses add, inertias add about the common centre of mass."""
    center = pose.p + pose.R @ np.array(body.center_of_mass_m)
    mass = group.mass + body.mass_kg
    common = (group.mass * group.center + body.mass_kg * center) / mass
    group.inertia = (
        group.inertia
        + _steiner(group.mass, group.center - common)
        + pose.R @ inertia_matrix(body) @ pose.R.T
        + _steiner(body.mass_kg, center - common)
    )
    group.mass, group.center = mass, common


def _steiner(mass: float, r: Floats) -> Floats:
    return np.asarray(mass * (r @ r * np.eye(3) - np.outer(r, r)))


def _order(
    spec: CellSpec,
    mounts: Mapping[str, Mount],
    carried_by: Mapping[str, str],
    names: list[str],
) -> tuple[str, ...]:
    """Moving groups so that each comes after its carrier and a tree's bodies stand together."""
    children: dict[str, list[str]] = {name: [] for name in names}
    roots = []
    for name in names:
        carrier = mounts[spec.joint[carried_by[name]].parent].group if name in carried_by else None
        if carrier in children:
            children[carrier].append(name)
        else:
            roots.append(name)
    ordered: list[str] = []
    for root in roots:
        stack = [root]
        while stack:
            ordered.append(stack.pop())
            stack.extend(reversed(children[ordered[-1]]))
    return tuple(ordered)
