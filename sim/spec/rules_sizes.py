"""Numbers that no cell has: a slip of the keyboard, and beyond what can be computed with.

Read from the data as written, so that every number of the file is looked at, whatever it is for.
"""

import sys
from collections.abc import Iterator
from typing import Any

from twincell.sim.spec.problems import Problems, key_of, number

# Chosen: squares, ratios and products of three such numbers still fit a double with room to spare,
# and no length, mass, stiffness or time of a robot cell comes near.
LARGEST = 1e12
LONGEST_M = 1e9  # well below where the simulation calls a motion unbounded
LEAST = {
    **dict.fromkeys(("mass_kg", "radius_m", "length_m", "width_m", "size_m"), 1e-9),
    **dict.fromkeys(("step_s", "eta"), 1e-9),
    **dict.fromkeys(("friction_speed_deg_s", "friction_speed_m_s", "frequency_hz"), 1e-9),
    **dict.fromkeys(("transition_s", "grip_stiffness_n_m"), 1e-9),
    **dict.fromkeys(("speed_deg_s", "speed_m_s", "speed", "acceleration", "jerk"), 1e-9),
    **dict.fromkeys(("ramp_s", "jerk_ramp_s", "set_point_period_s", "watchdog_s"), 1e-9),
    **dict.fromkeys(("bandwidth_hz", "damping_ratio", "integral_s"), 1e-9),
    **dict.fromkeys(("torque_nm", "force_n"), 1e-9),
    **dict.fromkeys(("gap_tolerance_m", "tilt_tolerance_deg", "sensor_radius_m"), 1e-9),
    **dict.fromkeys(("present_m", "tolerance_m", "air_s", "supply_bar", "ok_bar"), 1e-9),
    **dict.fromkeys(("axial_limit_n", "shear_limit_n", "moment_limit_nm"), 1e-9),
    **dict.fromkeys(("stiffness", "layer_m", "stick_speed_m_s", "slide_speed_m_s"), 1e-9),
    "rolling_speed_deg_s": 1e-9,
    "inertia_kg_m2": 1e-15,  # a grain of 1e-9 kg and a millimetre
}
SHORTEST_DIRECTION = 1e-9  # chosen: below, dividing by the length says nothing

PRODUCTS_OF_INERTIA = (3, 4, 5)  # places of xy, xz, yz: these may be as small as they like

Part = str | int


def check_sizes(raw: dict[str, Any], problems: Problems) -> None:
    """Note every number that is far too large, and every size that is far too small."""
    for parts, value in _numbers([], raw):
        key = next((part for part in reversed(parts) if isinstance(part, str)), "")
        least = LEAST.get(key, 0.0)
        is_length = key.endswith(("_m", "_m_s")) and not key.endswith("_n_m")
        largest = LONGEST_M if is_length else LARGEST
        if abs(value) > largest:
            hint = f"stay within {number(largest)}; units are in the key's name"
            problems.add(key_of(parts), f"{number(value)} is too large", hint)
        elif 0 < value < least and parts[-1] not in PRODUCTS_OF_INERTIA:
            hint = f"give at least {number(least)}; units are in the key's name"
            problems.add(key_of(parts), f"{number(value)} is too small", hint)


def _numbers(parts: list[Part], value: Any) -> Iterator[tuple[list[Part], float]]:
    """Every finite number below a value, with the way that leads there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers([*parts, key], inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _numbers([*parts, place], inner)
    elif (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        # NaN, and what a double cannot hold, are mistakes of their own
        and abs(value) <= sys.float_info.max
    ):
        yield parts, float(value)
