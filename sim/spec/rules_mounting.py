"""What carries what: frames and joints lead down to the world, a mover or a free body.

Carriers form trees: a frame stands on one thing, a body hangs on at most one joint, and nobody
carries himself, not even through others.
"""

from sim.spec.cell import FixedJoint
from sim.spec.draft import Draft
from sim.spec.problems import Problems
from sim.spec.rules_names import CARRIERS, AnyJoint

Place = tuple[str, str]  # section and name

WORLD: Place = ("world", "")
UNKNOWN: Place = ("unknown", "")  # missing or not valid, which is a mistake noted elsewhere

PLACED_BY_JOINT = ("position_m", "orientation_deg", "velocity_m_s", "angular_velocity_deg_s")


def check_mounting(draft: Draft, problems: Problems) -> None:
    """Everything is carried by something, and what is to be caught can move."""
    joint_above = _joints_above(draft, problems)
    tree = Tree(draft, joint_above)
    _check_circles(tree, problems)
    _check_constrained(tree, problems)
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
        """The frame, body or mover of this name."""
        sections = [section for section in CARRIERS if self.draft.has(section, name)]
        return (sections[0], name) if sections else UNKNOWN

    def joint(self, body: str) -> AnyJoint | None:
        """The joint on which a body hangs."""
        name = self.joint_above.get(body)
        return None if name is None else self.draft.cell.joint[name]

    def below(self, place: Place) -> Place:
        """What carries a frame, or a body that hangs on a joint."""
        section, name = place
        if section == "frame" and (frame := self.draft.cell.frame.get(name)):
            return WORLD if frame.on is None else self.find(frame.on)
        if section == "body" and (joint := self.joint(name)):
            return self.find(joint.parent)
        return UNKNOWN

    def key(self, place: Place) -> str:
        """The key that says what carries a place."""
        section, name = place
        if section == "frame":
            return f"frame.{name}.on"
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
        place, passed = tree.find(constrained.on), set[Place]()
        joints: list[str] = []
        while place not in passed:  # a circle is a mistake noted already
            passed.add(place)
            section, carrier = place
            if section == "body":
                joint = tree.joint(carrier)
                if not isinstance(joint, FixedJoint):
                    break
                joints.append(f"joint.{tree.joint_above[carrier]}")
            elif section in ("world", "mover"):
                problems.add(
                    f"constrained_object.{name}.on",
                    f"{_why_fixed(constrained.on, place, joints)}: nothing could move",
                    hint="put it on a body that is free, or that hangs on a hinge or slide",
                )
            place = tree.below(place)


def _why_fixed(name: str, end: Place, joints: list[str]) -> str:
    section, carrier = end
    if joints:
        return f"{name} is fixed to {carrier or 'the world'} by {' and '.join(joints)}"
    if section == "world":
        return f"{name} is fixed in the world"
    if name == carrier:
        return f"the motion of {name} is prescribed"
    return f"{name} is on {carrier}, whose motion is prescribed"
