"""From a URDF file to a robot model; every mistake of the file is noted on the way.

The inertia of a link is given in axes of its own; in those of the link it is R I Rᵀ. What decides
no motion (collision shapes, calibrations, other programs' tags) is not looked at, so that a
mistake there does no harm.
"""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from twincell.sim.spec.file_text import read_bytes
from twincell.sim.spec.inertia import check_inertia
from twincell.sim.spec.problems import BARE_KEY, Problems, Source, key_of, number
from twincell.sim.spec.robot_model import Inertial, Link, ModelJoint, Moments, RobotModel
from twincell.sim.spec.robot_rules import assemble, check_structure
from twincell.sim.spec.robot_urdf_gears import read_gears
from twincell.sim.spec.robot_urdf_numbers import Matrix, NumberReader, angles_of
from twincell.sim.spec.robot_urdf_visuals import Visuals
from twincell.sim.spec.robot_urdf_xml import parse_urdf
from twincell.sim.spec.rules_sizes import LEAST
from twincell.sim.spec.wording import LINK_NAME_RULE

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
DEFAULT_AXIS = "1 0 0"  # of URDF
DIAGONAL, PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")
# for wrong ones, so that the rest of the robot can be judged
SOME_MASS = Inertial(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
SOME_AXIS = (0.0, 0.0, 1.0)


def load_urdf(path: Path) -> RobotModel:
    """Read a URDF file; a SpecError says everything that is wrong with it."""
    reader = _Reader(parse_urdf(read_bytes(path), str(path)), str(path))
    reader.read()
    reader.problems.raise_if_any()
    return assemble(str(path), reader.links, reader.joints)


class _Limits(NamedTuple):
    """How far, how fast and how strongly a joint moves."""

    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf


class _Reader:
    """Goes through the links and joints, and notes their lines and what is wrong with them."""

    def __init__(self, robot: Element, file: str) -> None:
        self.robot = robot
        self.lines: dict[str, int] = {}
        self.problems = Problems(Source(file, self.lines))
        self.numbers = NumberReader(self.problems)
        self.visuals = Visuals(robot)
        self.links: dict[str, Link] = {}
        self.joints: dict[str, ModelJoint] = {}
        self.complete = True  # whether the tree of links can be judged

    def read(self) -> None:
        """Read all links and joints, and note every mistake of the file."""
        if not self.robot.get("name"):
            line = self.robot.sourceline
            self.problems.add("robot", "has no name", 'write <robot name="...">', line)
        for link in self.robot.findall("link"):
            if key := self._name(link, self.links):
                self._note_lines(key, link)
                self.links[link.get("name")] = self._link(key, link)
        for joint in self.robot.findall("joint"):
            if key := self._name(joint, self.joints):
                self._note_lines(key, joint)
                self._joint(key, joint)
        for name, gear in read_gears(self.robot, self.joints, self.problems).items():
            self.joints[name] = replace(self.joints[name], gear=gear)
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

    def _link(self, key: str, link: Element) -> Link:
        inertial = link.find("inertial")
        mass = None
        if inertial is not None:
            self._note_lines(f"{key}.inertial", inertial)
            mass = self._inertial(f"{key}.inertial", inertial) or SOME_MASS
        shapes, meshes = self.visuals.of(link)
        return Link(link.get("name"), mass, shapes, meshes)

    def _inertial(self, key: str, inertial: Element) -> Inertial | None:
        center, R = self.numbers.origin(key, inertial)
        mass, inertia = inertial.find("mass"), inertial.find("inertia")
        if mass is None:
            self.problems.add(f"{key}.mass", "is missing", hint='give <mass value="..."/> in kg')
        else:
            hint = "in kg; a link that is only a frame needs no <inertial>"
            kg = self.numbers.number(f"{key}.mass", mass, "value", hint, above=LEAST["mass_kg"])
        if inertia is None:
            self.problems.add(
                f"{key}.inertia", "is missing", hint='give <inertia ixx="..." .../>, in kg m²'
            )
        if mass is None or inertia is None:
            return None
        return Inertial(kg, center, self._moments(f"{key}.inertia", inertia, R))

    def _moments(self, key: str, inertia: Element, R: Matrix) -> Moments:
        """Moments and products of inertia, about the axes of the link."""
        hint = "in kg m² about the centre of mass"
        xx, yy, zz = (self.numbers.number(key, inertia, name, hint) for name in DIAGONAL)
        xy, xz, yz = (
            self.numbers.number(key, inertia, name, "in kg m²", default="0") for name in PRODUCTS
        )
        given = (xx, yy, zz, xy, xz, yz)
        if not any(map(math.isnan, given)):
            check_inertia(key, given, self.problems, ROUNDED, MOMENTS_HINT)
        I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T  # noqa: E741
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = I.tolist()
        return xx, yy, zz, xy, xz, yz

    # ------------------------------------------------------------ joints

    def _joint(self, key: str, joint: Element) -> None:
        parent, child = (self._end(key, joint, tag) for tag in ("parent", "child"))
        position, R = self.numbers.origin(key, joint)
        kind = joint.get("type")
        limits = _Limits()
        if kind not in TYPES:
            text = "is missing" if kind is None else f"{kind} joints are not supported"
            self.problems.add(f"{key}.type", text, hint=f"use {', '.join(TYPES)}")
        elif kind != "fixed":
            limits = self._limits(f"{key}.limit", kind, joint.find("limit"))
        if joint.find("mimic") is not None:
            text = "mimic joints are not supported"
            hint = "make the joint fixed, or remove <mimic> to give it a drive of its own"
            self.problems.add(f"{key}.mimic", text, hint)
        damping, friction = self._losses(f"{key}.dynamics", joint.find("dynamics"))
        axis = self.numbers.vector(f"{key}.axis", joint.find("axis"), "xyz", DEFAULT_AXIS)
        if parent is None or child is None:
            self.complete = False
            return
        name, place = joint.get("name"), (position, angles_of(R))
        if kind == "fixed":
            self.joints[name] = ModelJoint(name, "fixed", parent, child, *place)
            return
        self.joints[name] = ModelJoint(
            name,
            TYPES.get(kind, "revolute"),  # a wrong one is told already
            parent,
            child,
            *place,
            axis=axis or SOME_AXIS,
            lower=limits.lower,
            upper=limits.upper,
            velocity=limits.velocity,
            effort=limits.effort,
            damping=damping,
            friction=friction,
        )

    def _end(self, key: str, joint: Element, tag: str) -> str | None:
        element = joint.find(tag)
        link: str | None = None if element is None else element.get("link")
        if link is None:
            self.problems.add(f"{key}.{tag}", "is missing", hint=f'give <{tag} link="..."/>')
        return link

    def _limits(self, key: str, kind: str, limit: Element | None) -> _Limits:
        if limit is None:
            hint = 'give <limit effort="..." velocity="..."/>'
            if kind != "continuous":
                hint = 'give <limit lower="..." upper="..." effort="..." velocity="..."/>'
            self.problems.add(key, "is missing: drives need limits", hint)
            return _Limits()
        read = self.numbers.number
        force, length = ("N", "m") if kind == "prismatic" else ("Nm", "rad")
        hint = f"greatest of its drive, in {force}"
        effort = read(key, limit, "effort", hint, above=LEAST["force_n"])
        hint = f"greatest, in {length}/s"
        velocity = read(key, limit, "velocity", hint, above=LEAST["speed_m_s"])
        if kind != "continuous" and limit.get("lower") is None and limit.get("upper") is None:
            hint = f"give both, in {length}; a hinge without stops is continuous"
            self.problems.add(key, "lower and upper are missing", hint)
            return _Limits()
        lower, upper = (
            read(key, limit, name, f"in {length}", default="0") for name in ("lower", "upper")
        )
        if kind == "continuous":  # its stops must be numbers, but mean nothing
            return _Limits(velocity=velocity, effort=effort)
        if lower >= upper:
            self.problems.add(
                key,
                f"lower, {number(lower)}, is not below upper, {number(upper)}",
                hint="give both, the smaller number first; a hinge without stops is continuous",
            )
        return _Limits(lower, upper, velocity, effort)

    def _losses(self, key: str, dynamics: Element | None) -> tuple[float, float]:
        """Damping and friction."""
        if dynamics is None:
            return 0.0, 0.0
        damping, friction = (
            self.numbers.number(key, dynamics, name, "", default="0", above=0.0)
            for name in ("damping", "friction")
        )
        return damping, friction
