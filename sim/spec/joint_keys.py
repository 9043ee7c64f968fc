"""Which key of a file gives which number of a joint, by the unit of its position: deg or m.

Degrees become radians here. A joint's type says which of the two it has (`mechanics/joints.py`).
"""

import math
from typing import Any

from twincell.sim.mechanics.joint_type import FileUnit
from twincell.sim.mechanics.joints import joint_type

# of a joint in a cell file
CELL_KEYS: dict[FileUnit, dict[str, str]] = {
    "deg": {
        "stiffness": "stiffness_nm_rad",
        "rest": "rest_deg",
        "damping": "damping_nms_rad",
        "friction": "friction_nm",
        "friction_speed": "friction_speed_deg_s",
        "lower": "lower_deg",
        "upper": "upper_deg",
        "stop_stiffness": "stop_stiffness_nm_rad",
        "stop_damping": "stop_damping_nms_rad",
        "start": "start_deg",
        "start_velocity": "start_velocity_deg_s",
    },
    "m": {
        "stiffness": "stiffness_n_m",
        "rest": "rest_m",
        "damping": "damping_ns_m",
        "friction": "friction_n",
        "friction_speed": "friction_speed_m_s",
        "lower": "lower_m",
        "upper": "upper_m",
        "stop_stiffness": "stop_stiffness_n_m",
        "stop_damping": "stop_damping_ns_m",
        "start": "start_m",
        "start_velocity": "start_velocity_m_s",
    },
}
# of a joint with its drive in a robot's model file
MODEL_KEYS: dict[FileUnit, dict[str, str]] = {
    "deg": {
        "lower": "lower_deg",
        "upper": "upper_deg",
        "velocity": "speed_deg_s",
        "effort": "torque_nm",
        "damping": "damping_nms_rad",
        "friction": "friction_nm",
        "gear": "gear_inertia_kg_m2",
    },
    "m": {
        "lower": "lower_m",
        "upper": "upper_m",
        "velocity": "speed_m_s",
        "effort": "force_n",
        "damping": "damping_ns_m",
        "friction": "friction_n",
        "gear": "gear_mass_kg",
    },
}
# of a robot in a cell file: lists with one number a joint
ROBOT_KEYS: dict[FileUnit, dict[str, str]] = {
    "deg": {"start": "start_deg", "gear": "gear_inertia_kg_m2"},
    "m": {"start": "start_m", "gear": "gear_mass_kg"},
}
SERVO_KEYS: dict[FileUnit, dict[str, str]] = {
    "deg": {"stiffness": "stiffness_nm_rad", "damping": "damping_nms_rad"},
    "m": {"stiffness": "stiffness_n_m", "damping": "damping_ns_m"},
}
# what a key that may be left out means then; NaN: the choice is ours
LEFT_OUT = {
    "lower": -math.inf,
    "upper": math.inf,
    "stop_stiffness": math.nan,
    "stop_damping": math.nan,
}


def file_unit(name: str) -> FileUnit:
    """In which unit files give the position of a joint of this type."""
    return joint_type(name).coordinate.file_unit


def in_si(table: Any, keys: dict[FileUnit, dict[str, str]]) -> dict[str, float]:
    """The numbers of a joint's table, in SI units."""
    found = {}
    for quantity, key in keys[file_unit(table.type)].items():
        value = getattr(table, key)
        found[quantity] = LEFT_OUT[quantity] if value is None else to_si(key, value)
    return found


def to_si(key: str, value: float) -> float:
    """A key's value, in radians if it is in degrees."""
    return math.radians(value) if key.endswith(("_deg", "_deg_s")) else value


def from_si(key: str, value: float) -> float:
    """What a key would say, in degrees if it wants degrees."""
    return math.degrees(value) if key.endswith(("_deg", "_deg_s")) else value


def motion_sizes(table: Any) -> tuple[float, ...]:
    """What the motion of a joint depends on, beside its axis: see `JointType.sizes`."""
    return tuple(getattr(table, key) for key in joint_type(table.type).sizes)
