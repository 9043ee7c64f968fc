"""The shipped pairings of materials, and what their laws say in closed form.

    rest      m g = k c pⁿ                    depth to which k points press
    hit       E = c pⁿ⁺¹/(n + 1)              depth at which one point has taken all energy; with
                                              its weight no deeper than p + ((n + 1) m g/c)^(1/n)
    creep     μ(v) = tan α, v below v₁        static friction is very slow sliding

c and n are those of the normal force, μ is the friction curve, k counts points.
"""

import math
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from bench.proof.part import Part
from twincell.sim.build.contact import friction_curve
from twincell.sim.spec.contact import Material
from twincell.sim.spec.contact_presets import PAIRINGS, known_law

G = 9.81
ROCKS_1_S = 0.7  # after 20 s a millionth of a swing is left
ON = {"rubber": "concrete"}  # what lies on what; the other parts lie on the pairing's second


class Pair(NamedTuple):
    """Two materials: of the part, and of what it touches."""

    part: str
    ground: str
    law: Material

    @property
    def name(self) -> str:
        return f"{self.part}-{self.ground}"

    def rest_m(self, weight_n: float, points: int) -> float:
        """Depth at which so many points bear a weight."""
        return float((weight_n / (points * self.law.stiffness)) ** (1 / self.law.exponent))

    def rocks_long(self, part: Part) -> bool:
        """Whether the law alone lets a part rock for more than some twenty seconds.

        The damper takes (d/c) g/2 · b²/k² of a swing each second. Swings that are too quick for
        the tick, √(n g/p) h > 1, are damped by the time stepping as well.
        """
        law = self.law
        rate = law.damping / law.stiffness * G / 2 * part.slender
        swing = math.sqrt(law.exponent * G / self.rest_m(part.mass_kg * G, part.points))
        return rate < ROCKS_1_S and swing * 1e-3 < 1

    def stored_j(self, depth_m: float, points: int) -> float:
        """Energy in the springs of so many points."""
        k = self.law.exponent + 1
        return float(points * self.law.stiffness * max(depth_m, 0.0) ** k / k)

    def hit_m(self, energy_j: float, weight_n: float) -> float:
        """Depth that one point which takes all the energy, and bears the weight, stays above."""
        k = self.law.exponent + 1
        alone = (max(energy_j, 0.0) * k / self.law.stiffness) ** (1 / k)
        return float(alone) + self.rest_m(k * weight_n, 1)

    def friction(self, speed_m_s: float) -> float:
        """μ(v), the paper's eq. (9)."""
        g = friction_curve(self.law)
        t = np.tanh(g[[1, 2, 4]] * speed_m_s)
        return float(g[0] * (t[0] - t[1]) + g[3] * t[2] + g[5] * speed_m_s)

    @property
    def peak(self) -> tuple[float, float]:
        """The speed at which friction is greatest, below v₂, and its coefficient there."""
        law = self.law
        slide = law.slide_speed_m_s or law.stick_speed_m_s
        if slide == law.stick_speed_m_s:  # it never falls
            return 5 * slide, self.friction(5 * slide)
        found = minimize_scalar(
            lambda v: -self.friction(v), bounds=(0.0, slide), method="bounded",
            options={"xatol": 1e-9 * slide},
        )  # fmt: skip
        return float(found.x), -float(found.fun)

    def creep_m_s(self, slope: float) -> float | None:
        """Speed of what sticks under a sideways share of its weight; none if it cannot stick."""
        speed, most = self.peak
        if slope >= 0.95 * most:  # nearer to the peak a small push is enough to let it go
            return None
        return float(brentq(lambda v: self.friction(v) - slope, 0.0, speed, xtol=1e-16))

    @property
    def kinetic(self) -> float:
        law = self.law
        return law.static_friction if law.kinetic_friction is None else law.kinetic_friction


def shipped_pairs() -> list[Pair]:
    """All of them, as somebody puts one on the other."""
    pairs = []
    for first, second in PAIRINGS:
        swap = first == ON.get(second)
        part, ground = (second, first) if swap else (first, second)
        law = known_law(part, ground)
        assert law is not None
        pairs.append(Pair(part, ground, law))
    return pairs


STRIBECK = Material(
    stiffness=1e9,
    damping=5e8,
    static_friction=0.4,
    kinetic_friction=0.2,
    stick_speed_m_s=1e-4,
    slide_speed_m_s=1e-3,
)
