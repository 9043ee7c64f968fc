"""The XML of a URDF file, checked: the library that reads it knows no lines, and trusts numbers.

What the simulation does not need (shapes, materials, other programs' tags) is removed before the
library sees it, so that a mistake there does no harm.
"""

import math
from typing import Any

from lxml import etree

from twincell.sim.spec.inertia import check_inertia
from twincell.sim.spec.problems import (
    BARE_KEY,
    Problem,
    Problems,
    Source,
    SpecError,
    key_of,
    number,
)
from twincell.sim.spec.robot_model import Inertial, Link, ModelJoint, Three
from twincell.sim.spec.robot_rules import check_structure
from twincell.sim.spec.robot_urdf_gears import read_gears
from twincell.sim.spec.rules_sizes import LARGEST, LEAST, LONGEST_M
from twincell.sim.spec.wording import LINK_NAME_RULE, shown

Element = Any  # lxml comes without types

TYPES = {  # of joints, and what they are here
    "fixed": "fixed",
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
}
PARTS = {  # tags that are read, each of which stands once
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic"),
}
MOMENTS_HINT = "check ixx, iyy, izz, ixy, ixz, iyz: kg m² about the centre of mass"
ROUNDED = 0.01  # share of a sum of moments: many files print no more than two digits
RUN_XACRO = "run xacro first: xacro robot.urdf.xacro > robot.urdf"
DEFAULT_AXIS = "1 0 0"  # of URDF
SOME_MASS = Inertial(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))  # figures come later


def checked_xml(data: bytes, file: str) -> tuple[bytes, dict[str, float]]:
    """The links and joints of a URDF file, and the inertia of the gears at its joints.

    A SpecError says everything that is wrong with it.
    """
    robot = _parse(data, file)
    checker = _Checker(robot, file)
    checker.check()
    checker.problems.raise_if_any()
    for element in list(robot):
        if element.tag not in ("link", "joint"):
            robot.remove(element)
            continue
        for part in list(element):
            if part.tag not in PARTS[element.tag]:
                element.remove(part)
    return bytes(etree.tostring(robot)), checker.gears


# ---------------------------------------------------------------- is it a robot at all


def _parse(data: bytes, file: str) -> Element:
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        robot = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        message = str(error.msg).partition(", line ")[0]
        hint = RUN_XACRO if "xacro" in message else "compare with a robot that loads"
        problem = Problem(error.lineno or None, "", f"not valid XML: {message}", hint)
        raise SpecError(file, [problem]) from None
    if robot.getroottree().docinfo.internalDTD is not None:
        text = "has a DOCTYPE, which a robot does not need"
        problem = Problem(None, "", text, "remove it, and write values instead of its entities")
    elif robot.tag != "robot":
        hint = 'a URDF file begins with <robot name="...">'
        text = f"begins with <{robot.tag}>, not with <robot>"
        problem = Problem(robot.sourceline, "", text, hint)
    elif (element := _first_of_xacro(robot)) is not None:
        text = "this is xacro, from which URDF is made"
        problem = Problem(element.sourceline, "", text, RUN_XACRO)
    else:
        return robot
    raise SpecError(file, [problem])


def _first_of_xacro(robot: Element) -> Element | None:
    """The first tag of xacro; its name space alone remains in files that xacro has written."""
    names = (
        element
        for element in robot.iter("{*}*")
        if "xacro" in (etree.QName(element).namespace or "")
    )
    return next(names, None)


# ---------------------------------------------------------------- what is wrong with it


class _Checker:
    """Goes through the links and joints, and notes their lines and what is wrong with them."""

    def __init__(self, robot: Element, file: str) -> None:
        self.robot = robot
        self.lines: dict[str, int] = {}
        self.problems = Problems(Source(file, self.lines))
        self.links: dict[str, Link] = {}
        self.joints: dict[str, ModelJoint] = {}
        self.gears: dict[str, float] = {}
        self.complete = True  # whether the tree of links can be judged

    def check(self) -> None:
        """Note every mistake of the file."""
        if not self.robot.get("name"):
            line = self.robot.sourceline
            self.problems.add("robot", "has no name", 'write <robot name="...">', line)
        for link in self.robot.findall("link"):
            if key := self._name(link, self.links):
                self._note_lines(key, link)
                inertial = link.find("inertial")
                name = link.get("name")
                self.links[name] = Link(name, None if inertial is None else SOME_MASS)
                if inertial is not None:
                    self._note_lines(f"{key}.inertial", inertial)
                    self._inertial(f"{key}.inertial", inertial)
        for joint in self.robot.findall("joint"):
            if key := self._name(joint, self.joints):
                self._note_lines(key, joint)
                self._joint(key, joint)
        self.gears = read_gears(self.robot, self.joints, self.problems)
        if self.complete:
            check_structure(self.links, self.joints, self.problems)

    def _name(self, element: Element, taken: dict[str, Any]) -> str:
        """The key of a link or joint; empty if its name is wrong."""
        tag, name, line = element.tag, element.get("name"), element.sourceline
        key = key_of([tag, name or ""])
        if not name:
            self.problems.add(tag, "has no name", f'write <{tag} name="...">', line)
        elif not BARE_KEY.fullmatch(name):
            self.problems.add(key, "this cannot be a name", LINK_NAME_RULE, line)
        elif name in taken:
            text = f"the name {name} is taken by {self.problems.source.place(key)}"
            self.problems.add(key, text, "choose another name", line)
        else:
            return key
        self.complete = False
        return ""

    def _note_lines(self, key: str, element: Element) -> None:
        self.lines[key] = element.sourceline
        for part in element:
            if part.tag not in PARTS[element.tag]:
                continue
            inner = f"{key}.{part.tag}"
            if inner in self.lines:
                text = f"<{part.tag}> stands twice"
                self.problems.add(inner, text, "keep one of them", part.sourceline)
            else:
                self.lines[inner] = part.sourceline

    # ------------------------------------------------------------ links

    def _inertial(self, key: str, inertial: Element) -> None:
        self._origin(key, inertial)
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None:
            self.problems.add(f"{key}.mass", "is missing", hint='give <mass value="..."/> in kg')
        else:
            hint = "in kg; a link that is only a frame needs no <inertial>"
            self._number(f"{key}.mass", mass, "value", hint, above=LEAST["mass_kg"])
        if inertia is None:
            self.problems.add(
                f"{key}.inertia", "is missing", hint='give <inertia ixx="..." .../>, in kg m²'
            )
            return
        moments = [
            self._number(f"{key}.inertia", inertia, name, "in kg m² about the centre of mass")
            for name in ("ixx", "iyy", "izz")
        ]
        products = [
            self._number(f"{key}.inertia", inertia, name, "in kg m²", default="0")
            for name in ("ixy", "ixz", "iyz")
        ]
        given = [value for value in (*moments, *products) if value is not None]
        if len(given) == 6:
            check_inertia(f"{key}.inertia", given, self.problems, ROUNDED, MOMENTS_HINT)

    # ------------------------------------------------------------ joints

    def _joint(self, key: str, joint: Element) -> None:
        ends = [self._end(key, joint, tag) for tag in ("parent", "child")]
        self._origin(key, joint)
        kind = joint.get("type")
        if kind not in TYPES:
            text = "is missing" if kind is None else f"{kind} joints are not supported"
            self.problems.add(f"{key}.type", text, hint=f"use {', '.join(TYPES)}")
        elif kind != "fixed":
            self._limit(f"{key}.limit", kind, joint.find("limit"))
        if joint.find("mimic") is not None:
            text = "mimic joints are not supported"
            hint = "make the joint fixed, or remove <mimic> to give it a drive of its own"
            self.problems.add(f"{key}.mimic", text, hint)
        dynamics = joint.find("dynamics")
        for name in ("damping", "friction"):
            if dynamics is not None:
                self._number(f"{key}.dynamics", dynamics, name, "", default="0", above=0.0)
        axis = self._vector(f"{key}.axis", joint.find("axis"), "xyz", DEFAULT_AXIS)
        parent, child = ends
        if parent is None or child is None:
            self.complete = False
        else:
            name = joint.get("name")
            self.joints[name] = ModelJoint(
                name,
                TYPES.get(kind, "revolute"),  # a wrong one is told already
                parent,
                child,
                axis=axis or (0.0, 0.0, 1.0),  # a wrong one is told already
            )

    def _end(self, key: str, joint: Element, tag: str) -> str | None:
        element = joint.find(tag)
        link: str | None = None if element is None else element.get("link")
        if link is None:
            self.problems.add(f"{key}.{tag}", "is missing", hint=f'give <{tag} link="..."/>')
        return link

    def _limit(self, key: str, kind: str | None, limit: Element | None) -> None:
        if limit is None:
            hint = 'give <limit effort="..." velocity="..."/>'
            if kind != "continuous":
                hint = 'give <limit lower="..." upper="..." effort="..." velocity="..."/>'
            self.problems.add(key, "is missing: drives need limits", hint)
            return
        force, length = ("N", "m") if kind == "prismatic" else ("Nm", "rad")
        self._number(
            key, limit, "effort", f"greatest of its drive, in {force}", above=LEAST["force_n"]
        )
        self._number(key, limit, "velocity", f"greatest, in {length}/s", above=LEAST["speed_m_s"])
        if kind != "continuous" and limit.get("lower") is None and limit.get("upper") is None:
            hint = f"give both, in {length}; a hinge without stops is continuous"
            self.problems.add(key, "lower and upper are missing", hint)
            return
        lower = self._number(key, limit, "lower", f"in {length}", default="0")
        upper = self._number(key, limit, "upper", f"in {length}", default="0")
        if kind != "continuous" and lower is not None and upper is not None and lower >= upper:
            self.problems.add(
                key,
                f"lower, {number(lower)}, is not below upper, {number(upper)}",
                hint="give both, the smaller number first; a hinge without stops is continuous",
            )

    # ------------------------------------------------------------ numbers

    def _origin(self, key: str, element: Element) -> None:
        for name in ("xyz", "rpy"):
            self._vector(f"{key}.origin", element.find("origin"), name, "0 0 0")

    def _vector(self, key: str, element: Element | None, name: str, default: str) -> Three | None:
        text = default if element is None else element.get(name, default)
        values = [_finite(word) for word in text.split()]
        match values:
            case [float(x), float(y), float(z)]:
                if max(abs(x), abs(y), abs(z)) > LONGEST_M:
                    hint = f"stay within {number(LONGEST_M)}"
                    self.problems.add(f"{key}.{name}", f"{text} is too large", hint)
                    return None
                return x, y, z
        hint = RUN_XACRO if "${" in text else "write spaces between them: 0 0 0.5"
        self.problems.add(f"{key}.{name}", f"must be three numbers, not {shown(text)}", hint)
        return None

    def _number(
        self,
        key: str,
        element: Element,
        name: str,
        hint: str,
        default: str | None = None,
        above: float = -math.inf,
    ) -> float | None:
        text = element.get(name, default)
        if text is None:
            self.problems.add(f"{key}.{name}", "is missing", hint)
            return None
        value = _finite(text)
        if value is None or value < above:
            bound = {0.0: " of at least 0", -math.inf: ""}.get(above, " greater than 0")
            hint = RUN_XACRO if "${" in text else hint
            told = shown(text) if value is None else number(value)
            self.problems.add(f"{key}.{name}", f"must be a number{bound}, not {told}", hint)
            return None
        if abs(value) > LARGEST:
            hint = f"stay within {number(LARGEST)}"
            self.problems.add(f"{key}.{name}", f"{number(value)} is too large", hint)
            return None
        return value


def _finite(text: str) -> float | None:
    """The number of a text; none if it is nan, infinite or none at all."""
    try:
        value = float(text)
    except ValueError:
        return None
    # Python reads 1_000 as a number, other programs do not
    return value if math.isfinite(value) and "_" not in text else None
