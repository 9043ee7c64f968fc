"""Things that touch, for the physics tests: something on a floor, or on a slope."""

import math
from typing import Any

import numpy as np
from scenes import cell_of

from twincell.sim.cell import Cell

G = 9.81


def on_floor(
    shape: dict[str, Any],
    body: dict[str, Any],
    law: dict[str, Any],
    slope_deg: float = 0.0,
    **tables: Any,
) -> Cell:
    """A body B with the surface S over the floor F; on a slope it is gravity that leans, to x."""
    a = math.radians(slope_deg)
    tables.setdefault("gravity_m_s2", [G * math.sin(a), 0.0, -G * math.cos(a)])
    return cell_of(
        frame={"Floor": {}},
        body={"B": body},
        material={"M": law},
        surface={
            "F": {"on": "Floor", "material": "M", "half_space": {}},
            "S": {"on": "B", "material": "M", **shape},
        },
        **tables,
    )


def sphere(radius_m: float) -> dict[str, Any]:
    return {"sphere": {"radius_m": radius_m}}


def box(*size_m: float) -> dict[str, Any]:
    return {"box": {"size_m": list(size_m)}}


def solid_ball(mass_kg: float, radius_m: float, **keys: Any) -> dict[str, Any]:
    return {"mass_kg": mass_kg, "inertia_kg_m2": [0.4 * mass_kg * radius_m**2] * 3, **keys}


def solid_box(mass_kg: float, size_m: tuple[float, float, float], **keys: Any) -> dict[str, Any]:
    x, y, z = (edge**2 for edge in size_m)
    inertia = [mass_kg / 12 * k for k in (y + z, x + z, x + y)]
    return {"mass_kg": mass_kg, "inertia_kg_m2": inertia, **keys}


def solid_cylinder(mass_kg: float, radius_m: float, length_m: float, **keys: Any) -> dict[str, Any]:
    """Along its z axis."""
    across = mass_kg * (3 * radius_m**2 + length_m**2) / 12
    inertia = [across, across, mass_kg * radius_m**2 / 2]
    return {"mass_kg": mass_kg, "inertia_kg_m2": inertia, **keys}


def curve(law: dict[str, Any], v: float) -> float:
    """μ(v) of the paper's eq. (9), with its library's mapping of the parameters."""
    mu_s = law["static_friction"]
    mu_k = law.get("kinetic_friction", mu_s)
    v_1 = law["stick_speed_m_s"]
    v_2 = law.get("slide_speed_m_s", v_1)
    k_v = law.get("viscous_friction_s_m", 0.0)
    g_4 = mu_k - k_v * v_2
    g_1 = 0.0
    if v_1 < v_2:
        low, high = np.tanh(2 * v_1 / v_2), np.tanh(2 * v_2 / v_1)
        g_1 = (mu_s - low * g_4 - 2 * k_v * v_1) / (high - low) - g_4
    return float(
        g_1 * (np.tanh(2 * v / v_1) - np.tanh(3 * v / v_2)) + g_4 * np.tanh(2 * v / v_1) + k_v * v
    )
