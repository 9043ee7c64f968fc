"""Pairings of materials that need no description: friction, stiffness and damping of common ones.

    stiffness   Hertz: c = 4/3 E* √R, n = 1.5, R = 10 mm (our choice), 1/E* = Σ (1 - ν²)/E
                E and ν: W. D. Callister, Materials Science and Engineering, appendix B
    friction    clean and dry, the middle where a range is given: The Engineering ToolBox,
                "Friction - Friction Coefficients and Calculator"; from v₁ = 1 mm/s to v₂ = 10 mm/s
                (our choice)
    damping     m = n; d so that a hit at 1 m/s comes back with e (our choice, in its order)

They are a beginning: a part's roundness, a table's legs and a drop of oil change them. Measure, and
write a pairing of your own.
"""

import math
from functools import cache

from twincell.sim.spec.contact import Material

RADIUS_M = 0.01
HIT_M_S = 1.0

# Young's modulus [Pa] and Poisson's ratio
ELASTIC = {
    "steel": (207e9, 0.30),
    "aluminium": (69e9, 0.33),
    "brass": (97e9, 0.34),
    "copper": (110e9, 0.34),
    "glass": (69e9, 0.23),
    "ptfe": (0.475e9, 0.46),
    "polythene": (1.08e9, 0.45),
    "polystyrene": (2.78e9, 0.33),
    "concrete": (31e9, 0.20),
    "rubber": (0.0034e9, 0.49),
    "wood": (12.5e9, 0.35),
}
# static and kinetic friction, restitution at 1 m/s
PAIRINGS = {
    ("steel", "steel"): (0.74, 0.57, 0.6),
    ("aluminium", "steel"): (0.61, 0.47, 0.5),
    ("brass", "steel"): (0.51, 0.44, 0.5),
    ("copper", "steel"): (0.53, 0.36, 0.4),
    ("glass", "glass"): (0.94, 0.40, 0.7),
    ("ptfe", "steel"): (0.04, 0.04, 0.4),
    ("ptfe", "ptfe"): (0.04, 0.04, 0.4),
    ("polythene", "steel"): (0.20, 0.20, 0.4),
    ("polystyrene", "steel"): (0.33, 0.33, 0.5),
    ("concrete", "rubber"): (1.00, 0.73, 0.7),
    ("rubber", "steel"): (0.75, 0.75, 0.7),
    ("wood", "wood"): (0.38, 0.20, 0.4),
    ("steel", "wood"): (0.40, 0.20, 0.4),
}


@cache
def known_law(a: str, b: str) -> Material | None:
    """How two known materials feel to each other, if that is known."""
    first, second = sorted((a, b))
    if (first, second) not in PAIRINGS:
        return None
    static, kinetic, restitution = PAIRINGS[first, second]
    yielding = sum((1 - nu**2) / E for E, nu in (ELASTIC[first], ELASTIC[second]))
    stiffness = 4 / 3 / yielding * math.sqrt(RADIUS_M)
    return Material(
        stiffness=stiffness,
        exponent=1.5,
        damping=loss_of(restitution) * stiffness / HIT_M_S,
        static_friction=static,
        kinetic_friction=kinetic,
        stick_speed_m_s=0.001,
        slide_speed_m_s=0.01 if kinetic < static else 0.001,
    )


def loss_of(restitution: float) -> float:
    """V = d v/c with which a hit comes back with e: V - ln(1 + V) = -eV - ln(1 - eV)."""
    low, high = 0.0, 1 / restitution

    for _ in range(200):  # halving: the left side grows faster until both meet
        middle = (low + high) / 2
        E = restitution * middle
        if middle - math.log1p(middle) > -E - math.log1p(-E):
            low = middle
        else:
            high = middle
    return low
