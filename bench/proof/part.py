"""What is put down, dropped and thrown: solid parts of a shape, a mass and a material's density."""

import math
from typing import Any, NamedTuple

import numpy as np

from twincell.sim.model import Floats
from twincell.sim.spec.cell import Body
from twincell.sim.spec.contact import BoxSurface, CapsuleSurface, CylinderSurface, SphereSurface

MASSES_KG = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)
SHAPES = ("box", "ball", "cylinder", "capsule")
# [kg/m³], rounded
DENSITY = {
    "steel": 7850.0,
    "aluminium": 2700.0,
    "brass": 8500.0,
    "copper": 8900.0,
    "glass": 2500.0,
    "ptfe": 2200.0,
    "polythene": 950.0,
    "polystyrene": 1050.0,
    "concrete": 2400.0,
    "rubber": 1200.0,
    "wood": 600.0,
}
FILLS = (1.0, 0.15)  # share of the volume that is full: solid, or like a housing
BOXES = ((1.0, 1.0, 1.0), (1.0, 0.7, 0.5), (2.0, 1.0, 0.3), (1.0, 0.4, 0.4))  # proportions
SLENDER = (0.5, 1.0, 2.0, 5.0)  # length of a cylinder in radii
Vector3 = tuple[float, float, float]


class Part(NamedTuple):
    """A solid; round ones have the z axis as theirs."""

    shape: str
    mass_kg: float
    half_m: Vector3  # half edges of a box; of a cylinder or capsule z: half its length
    radius_m: float

    @property
    def inertia_kg_m2(self) -> Vector3:
        m, r, length = self.mass_kg, self.radius_m, 2 * self.half_m[2]
        if self.shape == "box":
            x, y, z = ((2 * half) ** 2 for half in self.half_m)
            return m / 12 * (y + z), m / 12 * (x + z), m / 12 * (x + y)
        if self.shape == "ball":
            return 0.4 * m * r**2, 0.4 * m * r**2, 0.4 * m * r**2
        # a capsule as a cylinder that is longer by two thirds of its ends: the same volume
        length += 4 / 3 * r if self.shape == "capsule" else 0.0
        across = m * (3 * r**2 + length**2) / 12
        return across, across, m * r**2 / 2

    @property
    def thinnest_m(self) -> float:
        """The lowest that its centre can lie over the ground."""
        if self.shape == "box":
            return min(self.half_m)
        return min(self.radius_m, self.half_m[2]) if self.shape == "cylinder" else self.radius_m

    @property
    def reach_m(self) -> float:
        """How far its skin is from its centre at most."""
        if self.shape == "cylinder":
            return math.hypot(self.radius_m, self.half_m[2])
        return math.hypot(*self.half_m) if self.shape == "box" else self.half_m[2] + self.radius_m

    @property
    def points(self) -> int:
        """Points' stiffness with which it stands at best."""
        return {"ball": 1, "capsule": 2}.get(self.shape, 4)

    @property
    def slender(self) -> float:
        """b²/k² of a box on its narrowest foot: half its width, by its radius of gyration there."""
        if self.shape != "box":
            return 1.0
        b, h = min(self.half_m), max(self.half_m)
        return b**2 / (h**2 + (b**2 + h**2) / 3)

    def below_m(self, turned: Floats) -> float:
        """How far it reaches below its centre when it is turned."""
        down = np.abs(turned[2])
        if self.shape == "box":
            return float(down @ self.half_m)
        side = math.sqrt(max(0.0, 1 - down[2] ** 2)) if self.shape == "cylinder" else 1.0
        return float(down[2] * self.half_m[2] + side * self.radius_m)

    def skin(self) -> dict[str, Any]:
        """Its shape, as a surface names it."""
        r, length = self.radius_m, 2 * self.half_m[2]
        if self.shape == "box":
            x, y, z = (2 * half for half in self.half_m)
            return {"box": BoxSurface(size_m=(x, y, z))}
        if self.shape == "ball":
            return {"sphere": SphereSurface(radius_m=r)}
        if self.shape == "cylinder":
            return {"cylinder": CylinderSurface(radius_m=r, length_m=length)}
        return {"capsule": CapsuleSurface(radius_m=r, length_m=length)}

    def body(self, **motion: Any) -> Body:
        return Body(mass_kg=self.mass_kg, inertia_kg_m2=self.inertia_kg_m2, **motion)


def make_part(shape: str, mass_kg: float, material: str, fill: float, proportion: int) -> Part:
    """A part whose size follows from its mass, its density and one of the proportions."""
    volume = mass_kg / (DENSITY[material] * fill)
    proportion %= 4
    if shape == "box":
        edges = np.array(BOXES[proportion])
        x, y, z = (float(half) for half in edges * (volume / edges.prod()) ** (1 / 3) / 2)
        return Part(shape, mass_kg, (x, y, z), 0.0)
    if shape == "ball":
        return Part(shape, mass_kg, (0.0, 0.0, 0.0), (volume * 0.75 / math.pi) ** (1 / 3))
    ends = 4 / 3 if shape == "capsule" else 0.0
    radius = (volume / math.pi / (SLENDER[proportion] + ends)) ** (1 / 3)
    return Part(shape, mass_kg, (0.0, 0.0, SLENDER[proportion] * radius / 2), radius)
