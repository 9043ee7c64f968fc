"""Motors and gears in a URDF file, as the Drake toolbox writes them.

    <transmission name="drive_1">
      <joint name="joint_1"/>
      <actuator name="motor_1">
        <drake:gear_ratio value="100"/>
        <drake:rotor_inertia value="0.0012"/>
      </actuator>
    </transmission>

At the joint the rotor weighs ratio² times as much. URDF itself has no tag for it, and a wrist
without its rotors would be far too lively. Other transmissions are of no interest.
"""

import math
from collections.abc import Container
from typing import Any

from twincell.sim.spec.problems import Problems, key_of
from twincell.sim.spec.wording import shown

Element = Any  # lxml comes without types

DRAKE = "{http://drake.mit.edu}"
INERTIA, RATIO = f"{DRAKE}rotor_inertia", f"{DRAKE}gear_ratio"


def read_gears(robot: Element, joints: Container[str], problems: Problems) -> dict[str, float]:
    """Inertia of motor and gear at each joint that has one in the file [kg m², kg]."""
    gears: dict[str, float] = {}
    for transmission in robot.findall("transmission"):
        for inertia in transmission.iter(INERTIA):
            joint = transmission.find("joint")
            name = "" if joint is None else joint.get("name", "")
            key = key_of(["transmission", transmission.get("name", "")])
            if name not in joints:
                text = f"there is no joint called {name}" if name else "has no joint"
                hint = 'name one: <joint name="...">'
                problems.add(f"{key}.joint", text, hint, transmission.sourceline)
                continue
            if name in gears:
                text = f"{name} has a rotor already"
                hint = "give one rotor a joint: their sum, seen at the joint"
                problems.add(f"{key}.joint", text, hint, transmission.sourceline)
                continue
            ratio = inertia.getparent().find(RATIO)
            gears[name] = _value(inertia, f"{key}.rotor_inertia", problems)
            if ratio is not None:
                gears[name] *= _value(ratio, f"{key}.gear_ratio", problems) ** 2
    return gears


def _value(element: Element, key: str, problems: Problems) -> float:
    given = element.get("value", "")
    try:
        value = float(given)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        hint = "give a number greater than 0"
        problems.add(
            key, f"must be a number greater than 0, not {shown(given)}", hint, element.sourceline
        )
        return 0.0
    return value
