"""Rules of a robot's model, whatever its file's format: one tree of links, and mass where it moves.

Every link but the root hangs on one joint. A moving joint carries a rigid group: its child and all
that is fixed to that. The group as a whole needs a mass, or its acceleration had no answer; a link
without one is only a frame.
"""

import math
from collections.abc import Mapping

from twincell.sim.spec.problems import Problems, did_you_mean
from twincell.sim.spec.robot_model import Link, ModelJoint, RobotModel
from twincell.sim.spec.rules_sizes import SHORTEST_DIRECTION

Links = Mapping[str, Link]
Joints = Mapping[str, ModelJoint]


def check_structure(links: Links, joints: Joints, problems: Problems) -> None:
    """Note every broken rule among the links and joints of a robot."""
    _check_axes(joints, problems)
    if _check_tree(links, joints, problems):
        _check_masses(links, _from_root(_root(links, joints), joints), problems)


def assemble(file: str, links: Links, joints: Joints) -> RobotModel:
    """The robot of these links and joints, which have been checked."""
    root = _root(links, joints)
    return RobotModel(file, links, _from_root(root, joints), root)


def _check_axes(joints: Joints, problems: Problems) -> None:
    for joint in joints.values():
        if joint.moves and math.hypot(*joint.axis) < SHORTEST_DIRECTION:
            hint = "give a direction, such as 0 0 1 for z"
            problems.add(f"joint.{joint.name}.axis", "has no length", hint)
    if not any(joint.moves for joint in joints.values()):
        hint = "give it a revolute or prismatic joint; what does not move is a frame or a visual"
        problems.add("", "the robot has no joint that moves", hint)


# ---------------------------------------------------------------- one tree


def _check_tree(links: Links, joints: Joints, problems: Problems) -> bool:
    """Whether the links are one tree."""
    before = len(problems)
    above: dict[str, ModelJoint] = {}  # joint on which each link hangs
    for joint in joints.values():
        _check_ends(joint, links, problems)
        first = above.setdefault(joint.child, joint)
        if first is not joint:
            problems.add(
                f"joint.{joint.name}.child",
                f"{joint.child} hangs already on {problems.source.place(f'joint.{first.name}')}",
                hint="closed loops are not supported: a link hangs on one joint, remove the other",
            )
    _check_circles(above, problems)

    if not links:
        problems.add("", "the robot has no links", hint="a robot is made of links and joints")
    if len(problems) > before:  # a joint with a mistake may be the one that is missing
        return False
    roots = [name for name in links if name not in above]
    for name in roots[1:]:
        problems.add(
            f"link.{name}",
            f"is not joined to {roots[0]}: the robot has {len(roots)} roots",
            hint=f"add a joint whose child is {name}, or remove the link",
        )
    return len(problems) == before


def _check_ends(joint: ModelJoint, links: Links, problems: Problems) -> None:
    for end, name in (("parent", joint.parent), ("child", joint.child)):
        if name not in links:
            hint = did_you_mean(name, links)
            problems.add(f"joint.{joint.name}.{end}", f"there is no link called {name}", hint)
    if joint.parent == joint.child:
        text = f"{joint.child} cannot carry itself"
        problems.add(f"joint.{joint.name}.parent", text, hint="choose another link")


def _check_circles(above: Mapping[str, ModelJoint], problems: Problems) -> None:
    done: set[str] = set()
    for start in above:
        path: list[str] = []
        link = start
        while link in above and link not in done:
            done.add(link)
            path.append(link)
            link = above[link].parent
        circle = path[path.index(link) :] if link in path else []
        if len(circle) > 1:  # a link on itself is told already
            # the joint that closes the circle is the last of them, reading downwards
            keys = [f"joint.{above[name].name}.parent" for name in circle]
            problems.add(
                max(keys, key=lambda key: problems.source.line_of(key) or 0),
                "this goes round in a circle: " + " on ".join([*circle, circle[0]]),
                hint="one of these links must be the root, which hangs on no joint",
            )


def _root(links: Links, joints: Joints) -> str:
    """The link that hangs on no joint."""
    hanging = {joint.child for joint in joints.values()}
    return next(name for name in links if name not in hanging)


def _from_root(root: str, joints: Joints) -> dict[str, ModelJoint]:
    """The joints, branch by branch from the root outwards; branches in the order of the file."""
    below: dict[str, list[ModelJoint]] = {}
    for joint in joints.values():
        below.setdefault(joint.parent, []).append(joint)
    ordered: dict[str, ModelJoint] = {}
    waiting = below.get(root, [])[::-1]
    while waiting:
        joint = waiting.pop()
        ordered[joint.name] = joint
        waiting += below.get(joint.child, [])[::-1]
    return ordered


# ---------------------------------------------------------------- mass where it moves


def _check_masses(links: Links, ordered: Joints, problems: Problems) -> None:
    carrier: dict[str, str] = {}  # link that stands for the rigid group of each moved link
    masses: dict[str, bool] = {}
    for joint in ordered.values():
        group = joint.child if joint.moves else carrier.get(joint.parent)
        if group is None:  # fixed to the root
            continue
        carrier[joint.child] = group
        has_mass = links[joint.child].inertial is not None
        masses[group] = masses.get(group, False) or has_mass
    for name, has_mass in masses.items():
        if not has_mass:
            problems.add(
                f"link.{name}",
                "moves, but neither it nor a link fixed to it has a mass",
                hint="give it a mass and an inertia",
            )
