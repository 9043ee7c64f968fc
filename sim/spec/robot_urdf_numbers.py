"""The numbers of a URDF file: each is read, or told with its line and what to write instead.

URDF is in SI units already, and its roll, pitch and yaw are our angles: R = R_z R_y R_x.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from twincell.sim.spec.problems import Problems, number
from twincell.sim.spec.robot_model import Three
from twincell.sim.spec.robot_urdf_xml import RUN_XACRO
from twincell.sim.spec.rules_sizes import LARGEST, LONGEST_M
from twincell.sim.spec.wording import shown

Element = Any  # lxml comes without types
Matrix = NDArray[np.float64]

ZERO = "0 0 0"  # of URDF, where an origin is left out


class NumberReader:
    """Reads attributes, and notes those that are no numbers or too large.

    Of a wrong one it gives nan, or no vector: there is nothing more to say about it.
    """

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def number(
        self,
        key: str,
        element: Element,
        name: str,
        hint: str,
        default: str | None = None,
        above: float = -math.inf,
    ) -> float:
        """The number in an attribute."""
        text = element.get(name, default)
        if text is None:
            self.problems.add(f"{key}.{name}", "is missing", hint)
            return math.nan
        value = _finite(text)
        if value is None or value < above:
            bound = {0.0: " of at least 0", -math.inf: ""}.get(above, " greater than 0")
            hint = RUN_XACRO if "${" in text else hint
            told = shown(text) if value is None else number(value)
            self.problems.add(f"{key}.{name}", f"must be a number{bound}, not {told}", hint)
            return math.nan
        if abs(value) > LARGEST:
            hint = f"stay within {number(LARGEST)}"
            self.problems.add(f"{key}.{name}", f"{number(value)} is too large", hint)
            return math.nan
        return value + 0.0  # 0, where the file says -0

    def vector(self, key: str, element: Element | None, name: str, default: str) -> Three | None:
        """The three numbers in an attribute."""
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

    def origin(self, key: str, element: Element) -> tuple[Three, Matrix]:
        """Position and rotation of what may have an <origin>; zeros for wrong ones."""
        given = element.find("origin")
        x, y, z = self.vector(f"{key}.origin", given, "xyz", ZERO) or (0.0, 0.0, 0.0)
        angles = self.vector(f"{key}.origin", given, "rpy", ZERO) or (0.0, 0.0, 0.0)
        return (x + 0.0, y + 0.0, z + 0.0), rotation_of(angles)  # 0, where the file says -0


def _finite(text: str) -> float | None:
    """The number of a text; none if it is nan, infinite or none at all."""
    try:
        value = float(text)
    except ValueError:
        return None
    # Python reads 1_000 as a number, other programs do not
    return value if math.isfinite(value) and "_" not in text else None


# ---------------------------------------------------------------- rotations


def rotation_of(angles: Three) -> Matrix:
    """R_z R_y R_x of angles about x, y, z."""
    (sa, sb, sc), (ca, cb, cc) = np.sin(angles), np.cos(angles)
    R = [
        [cb * cc, sb * (sa * cc) - ca * sc, sb * (ca * cc) + sa * sc],
        [cb * sc, sb * (sa * sc) + ca * cc, sb * (ca * sc) - sa * cc],
        [-sb, cb * sa, cb * ca],
    ]
    return np.array(R) + 0.0  # no -0: its arc tangent may be -180° where 180° is meant


def angles_of(R: Matrix) -> Three:
    """Angles about x, y, z of a rotation.

    C comes first, and A from what is left after it: at B = ±90°, where C is not unique, A fits it.
    """
    c = math.atan2(R[1, 0], R[0, 0])
    b = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    sin, cos = math.sin(c), math.cos(c)
    a = math.atan2(sin * R[0, 2] - cos * R[1, 2], cos * R[1, 1] - sin * R[0, 1])
    return a, b, c
