"""From a TOML model file to a robot model: degrees become radians here, once."""

import math
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from twincell.sim.spec.file_text import decode, parse_toml, read_bytes
from twincell.sim.spec.inertia import check_inertia
from twincell.sim.spec.joint_keys import MODEL_KEYS, file_unit, in_si, motion_sizes
from twincell.sim.spec.problems import Problems, number
from twincell.sim.spec.robot_model import Inertial, Link, ModelJoint, RobotModel, Three
from twincell.sim.spec.robot_rules import assemble, check_structure
from twincell.sim.spec.robot_toml_tables import AxisTable, FixedTable, LinkTable, ModelTable
from twincell.sim.spec.rules_joints import check_motion
from twincell.sim.spec.rules_sizes import check_sizes
from twincell.sim.spec.wording import report


def load_toml(path: Path) -> RobotModel:
    """Read a TOML model file; a SpecError says everything that is wrong with it."""
    raw, source = parse_toml(decode(read_bytes(path), str(path)), str(path))
    problems = Problems(source)
    check_sizes(raw, problems)
    try:
        file = ModelTable.model_validate(raw)
    except ValidationError as error:
        for mistake in error.errors(include_url=False, include_context=False):
            report(mistake["type"], mistake["loc"], raw, problems, ModelTable)
        problems.raise_if_any()
        raise
    for name, link in file.link.items():
        _check_link(f"link.{name}", link, problems)
    for name, joint in file.joint.items():
        if isinstance(joint, AxisTable):
            _check_limits(f"joint.{name}", joint, problems)
            check_motion(f"joint.{name}", joint, problems)
    links = {name: _link(name, link) for name, link in file.link.items()}
    joints = {name: _joint(name, joint) for name, joint in file.joint.items()}
    check_structure(links, joints, problems)
    problems.raise_if_any()
    return assemble(str(path), links, joints)


# ---------------------------------------------------------------- links


def _check_link(key: str, link: LinkTable, problems: Problems) -> None:
    """Mass and inertia go together, and are those of a body."""
    if link.mass_kg is not None and link.inertia_kg_m2 is None:
        hint = "about the centre of mass: xx, yy, zz, and if needed xy, xz, yz"
        problems.add(f"{key}.inertia_kg_m2", "is missing: the link has a mass", hint)
    if link.mass_kg is None:
        for part in ("inertia_kg_m2", "center_of_mass_m"):
            if part in link.model_fields_set:
                text = "the link has no mass"
                problems.add(f"{key}.{part}", text, hint="give mass_kg too, or remove it")
    if link.inertia_kg_m2 is not None:
        check_inertia(f"{key}.inertia_kg_m2", link.inertia_kg_m2, problems)


def _link(name: str, link: LinkTable) -> Link:
    if link.mass_kg is None and link.inertia_kg_m2 is None:
        return Link(name)
    # one of them without the other is a mistake that is told already
    mass = link.mass_kg or 1.0
    xx, yy, zz, *products = link.inertia_kg_m2 or (1.0, 1.0, 1.0)
    xy, xz, yz = products or (0.0, 0.0, 0.0)
    return Link(name, Inertial(mass, link.center_of_mass_m, (xx, yy, zz, xy, xz, yz)))


# ---------------------------------------------------------------- joints


def _check_limits(key: str, joint: AxisTable, problems: Problems) -> None:
    unit = file_unit(joint.type)
    lower, upper = getattr(joint, f"lower_{unit}"), getattr(joint, f"upper_{unit}")
    if lower is not None and upper is not None and lower >= upper:
        problems.add(
            f"{key}.lower_{unit}",
            f"{number(lower)} is not below upper_{unit}, {number(upper)}",
            hint="the lower limit must be the smaller number",
        )


def _joint(name: str, joint: FixedTable | AxisTable) -> ModelJoint:
    angles = _radians(joint.orientation_deg)
    place = (name, joint.type, joint.parent, joint.child, joint.position_m, angles)
    if isinstance(joint, FixedTable):
        return ModelJoint(*place)
    drive: dict[str, Any] = in_si(joint, MODEL_KEYS)
    return ModelJoint(*place, axis=joint.axis, sizes=motion_sizes(joint), **drive)


def _radians(angles_deg: Three) -> Three:
    a, b, c = map(math.radians, angles_deg)
    return a, b, c
