"""What carries what: frames, joints and robots lead down to the world, a mover or a free body.

Carriers form trees: a frame stands on one thing, a body hangs on at most one joint, and nobody
carries himself, not even through others. A robot's links are places too; its own name is the place
of its tool centre point.
"""

from twincell.sim.spec.cell import Frame
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.joint import FixedJoint, Joint
from twincell.sim.spec.problems import Problems
from twincell.sim.spec.robot import Robot
from twincell.sim.spec.rules_names import CARRIERS

Place = tuple[str, str]  # section and name; of a robot also Robot1.link_3

WORLD: Place = ("world", "")
UNKNOWN: Place = ("unknown", "")  # missing or not valid, which is a mistake noted elsewhere

PLACED_BY_JOINT = ("position_m", "orientation_deg", "velocity_m_s", "angular_velocity_deg_s")


def check_mounting(draft: Draft, problems: Problems) -> None:
    """Everything is carried by something, and what is to be caught can move."""
    joint_above = _joints_above(draft, problems)
    tree = Tree(draft, joint_above)
    _check_circles(tree, problems)
    _check_constrained(tree, problems)
    _check_ideal_robots(tree, problems)
    for child, name in joint_above.items():
        body = draft.cell.body.get(child)
        given = body.model_fields_set if body else set[str]()
        for key in PLACED_BY_JOINT:
            if key in given:
                problems.add(
                    f"body.{child}.{key}",
                    f"{child} hangs on {problems.source.place(f'joint.{name}')}, which places it",
                    hint=f"remove it, and set the start in joint.{name}",
                )


class Tree:
    """Leads from a place to the one that carries it."""

    def __init__(self, draft: Draft, joint_above: dict[str, str]) -> None:
        self.draft = draft
        self.joint_above = joint_above  # name of a body's joint

    def find(self, name: str) -> Place:
        """The frame, body, mover, robot or link of this name."""
        owner, dot, _ = name.partition(".")
        kinds = ("robot",) if dot else CARRIERS  # only robots have links
        sections = [section for section in kinds if self.draft.has(section, owner)]
        return (sections[0], name) if sections else UNKNOWN

    def joint(self, body: str) -> Joint | None:
        """The joint on which a body hangs."""
        name = self.joint_above.get(body)
        return None if name is None else self.draft.cell.joint[name]

    def below(self, place: Place) -> Place:
        """What carries a frame, a robot with its links, or a body that hangs on a joint."""
        section, name = place
        standing: Frame | Robot | None = None
        if section == "frame":
            standing = self.draft.cell.frame.get(name)
        elif section == "robot":
            standing = self.robot(name)
        if standing:
            return WORLD if standing.on is None else self.find(standing.on)
        if section == "body" and (joint := self.joint(name)):
            return self.find(joint.parent)
        return UNKNOWN

    def robot(self, name: str) -> Robot | None:
        """The robot of this name, or with a link of this name."""
        return self.draft.cell.robot.get(name.partition(".")[0])

    def _moves(self, name: str) -> bool | None:
        """Whether joints of the robot move this link; none if that is not known."""
        owner, _, link = name.partition(".")
        robot, model = self.robot(name), self.draft.cell.robot_models.get(owner)
        if robot is None or model is None:
            return None
        link = link or robot.tip or model.ends[-1]
        return model.moves(link) if link in model.links else None

    def held_by(self, name: str) -> tuple[Place, list[str]]:
        """What a place moves with, through frames and fixed joints; the keys of these joints."""
        place, passed = self.find(name), set[Place]()
        joints: list[str] = []
        while place not in passed:  # a circle is a mistake noted elsewhere
            passed.add(place)
            section, carrier = place
            if section in ("world", "mover", "unknown"):
                return place, joints
            if section == "body":
                if not isinstance(self.joint(carrier), FixedJoint):
                    return place, joints
                joints.append(f"joint.{self.joint_above[carrier]}")
            if section == "robot" and (moves := self._moves(carrier)) is not False:
                return place if moves else UNKNOWN, joints
            place = self.below(place)
        return UNKNOWN, joints

    def is_given(self, place: Place) -> bool:
        """Whether no force changes the motion of a place."""
        section, name = place
        robot = self.robot(name) if section == "robot" else None
        return section in ("world", "mover") or (robot is not None and robot.drive == "ideal")

    def key(self, place: Place) -> str:
        """The key that says what carries a place."""
        section, name = place
        if section == "frame":
            return f"frame.{name}.on"
        if section == "robot":
            return f"robot.{name.partition('.')[0]}.on"
        return f"joint.{self.joint_above[name]}.parent"


def _joints_above(draft: Draft, problems: Problems) -> dict[str, str]:
    """Name of the joint on which each body hangs: the first in the file, if there are several."""
    above: dict[str, str] = {}
    by_line = sorted(
        draft.cell.joint.items(), key=lambda item: problems.source.line_of(f"joint.{item[0]}") or 0
    )
    for name, joint in by_line:
        first = above.get(joint.child)
        if joint.parent == joint.child:
            problems.add(
                f"joint.{name}.parent",
                f"{joint.child} cannot carry itself",
                hint="choose another body, a frame or a mover",
            )
        elif first is not None:
            problems.add(
                f"joint.{name}.child",
                f"{joint.child} hangs already on {problems.source.place(f'joint.{first}')}",
                hint="a body hangs on one joint: remove one of them, or exchange parent and child",
            )
        else:
            above[joint.child] = name
    return above


def _check_circles(tree: Tree, problems: Problems) -> None:
    starts: list[Place] = [("frame", name) for name in tree.draft.cell.frame]
    starts += [("body", name) for name in tree.joint_above]
    starts += [("robot", name) for name in tree.draft.cell.robot]
    done: set[Place] = {WORLD, UNKNOWN}
    for start in starts:
        path: list[Place] = []
        place = start
        while place not in done:
            done.add(place)
            path.append(place)
            place = tree.below(place)
        if place in path:
            _report_circle(tree, path[path.index(place) :], problems)


def _report_circle(tree: Tree, circle: list[Place], problems: Problems) -> None:
    # the key that closes the circle is the last of them, reading downwards
    key = max(map(tree.key, circle), key=lambda key: problems.source.line_of(key) or 0)
    names = [name for _, name in circle]
    if len(names) == 1:
        text = f"{names[0]} cannot carry itself"
    else:
        text = "this goes round in a circle: " + " on ".join([*names, names[0]])
    problems.add(key, text, hint="one of them must stand on something else, or in the world")


def _check_constrained(tree: Tree, problems: Problems) -> None:
    """What is caught must be able to move, or its constraint force has no answer."""
    for name, constrained in tree.draft.cell.constrained_object.items():
        end, joints = tree.held_by(constrained.on)
        if tree.is_given(end):
            hint = "put it on a body that is free, or that hangs on a joint that moves"
            if end[0] == "robot":
                hint += ', or write drive = "servo"'
            problems.add(
                f"constrained_object.{name}.on",
                f"{_why_fixed(constrained.on, end, joints)}: nothing could move",
                hint,
            )


def _check_ideal_robots(tree: Tree, problems: Problems) -> None:
    """A robot that follows its targets exactly stands on what no force can move."""
    for name, robot in tree.draft.cell.robot.items():
        if robot.drive != "ideal" or robot.on is None:
            continue
        end, _ = tree.held_by(robot.on)
        if end != UNKNOWN and not tree.is_given(end):
            reason = "gives way under load" if end[0] == "robot" else "is moved by forces"
            problems.add(
                f"robot.{name}.on",
                f"an ideal robot cannot stand on {robot.on}: {end[1]} {reason}, "
                "and the motion of an ideal robot must be known beforehand",
                hint='write drive = "servo", or put it in the world, on a mover or an ideal robot',
            )


def _why_fixed(name: str, end: Place, joints: list[str]) -> str:
    section, carrier = end
    if joints:
        return f"{name} is fixed to {carrier or 'the world'} by {' and '.join(joints)}"
    if section == "world":
        return f"{name} is fixed in the world"
    if name == carrier:
        return f"the motion of {name} is prescribed"
    return f"{name} is on {carrier}, whose motion is prescribed"
