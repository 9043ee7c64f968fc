"""Heaps: many parts fall 5 cm into a bin, layer over layer, each turned and a little off."""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from bench.proof.pairing import Pair, shipped_pairs
from bench.proof.part import Part, make_part
from bench.proof.pose import angles_deg, any_angle, random_of
from twincell.sim.spec.cell import CellSpec, Frame
from twincell.sim.spec.contact import HalfSpaceSurface, Surface

COUNTS = (3, 10, 30, 100, 300, 1500)
SEEDS = 10
MATERIALS = ("steel", "wood", "rubber", "glass")
MIXES = {"ball": ("ball",), "box": ("box",), "mixed": ("box", "ball", "cylinder", "capsule")}
MASSES_KG = (0.02, 0.1, 0.5)
DROP_M = 0.05
SECONDS = {3: 2.0, 10: 2.0, 30: 1.5, 100: 1.0, 300: 0.6, 1500: 0.4}
TURNED_DEG = {  # walls look inwards
    "Left": (0.0, 90.0, 0.0),
    "Right": (0.0, -90.0, 0.0),
    "Front": (-90.0, 0.0, 0.0),
    "Back": (90.0, 0.0, 0.0),
}


class Heap(NamedTuple):
    """One heap."""

    name: str
    pair: Pair
    mix: str
    n: int
    mass_kg: float
    seed: int

    @property
    def family(self) -> str:
        return "heap"

    @property
    def seconds(self) -> float:
        return SECONDS[self.n]

    @property
    def side(self) -> int:
        """Parts abreast."""
        return max(2, round((self.n / 2) ** (1 / 3)))

    def parts(self) -> list[Part]:
        shapes = MIXES[self.mix]
        material = self.pair.part
        return [
            make_part(shapes[k % len(shapes)], self.mass_kg, material, 1.0, k // len(shapes))
            for k in range(self.n)
        ]

    def pitch_m(self, parts: list[Part]) -> float:
        """From part to part at the start: they do not touch."""
        return 2.1 * max(part.reach_m for part in parts)

    def spec(self) -> CellSpec:
        """Layers of the parts over the floor of a bin that four walls bound."""
        random = random_of(self.name)
        parts = self.parts()
        pitch = self.pitch_m(parts)
        side = self.side
        wall = side * pitch / 2
        at = {
            "Left": (-wall, 0.0),
            "Right": (wall, 0.0),
            "Front": (0.0, -wall),
            "Back": (0.0, wall),
        }
        bodies, skins = {}, {}
        for k, part in enumerate(parts):
            column, row, layer = k % side, k // side % side, k // side**2
            off = random.uniform(-0.02, 0.02, 2) * pitch
            bodies[f"B{k}"] = part.body(
                position_m=(
                    float((column + 0.5) * pitch - wall + off[0]),
                    float((row + 0.5) * pitch - wall + off[1]),
                    DROP_M + (layer + 0.5) * pitch,
                ),
                orientation_deg=angles_deg(any_angle(random)),
            )
            skins[f"S{k}"] = Surface(on=f"B{k}", material=self.pair.part, **part.skin())
        frames = {"Floor": Frame()} | {
            name: Frame(position_m=(x, y, 0.0), orientation_deg=TURNED_DEG[name])
            for name, (x, y) in at.items()
        }
        sides = {
            f"{name}Side": Surface(
                on=name, material=self.pair.ground, half_space=HalfSpaceSurface()
            )
            for name in frames
        }
        return CellSpec(name=self.name, frame=frames, body=bodies, surface={**sides, **skins})


def heaps() -> Iterator[Heap]:
    """Ten seeds of each number; of many parts a seed has one mix, of 1500 one material too."""
    of = {pair.part: pair for pair in shipped_pairs() if pair.part == pair.ground}
    of["rubber"] = next(pair for pair in shipped_pairs() if pair.name == "rubber-steel")
    for n, seed in product(COUNTS, range(SEEDS)):
        materials = MATERIALS if n < 1500 else MATERIALS[seed % 4 :][:1]
        for number, (material, mix) in enumerate(product(materials, MIXES)):
            if n >= 300 and number % 3 != seed % 3:
                continue
            mass = MASSES_KG[(seed + number) % 3]
            name = f"heap/{material}/{n}/{mix}/{mass:g}kg/{seed}"
            yield Heap(name, of[material], mix, n, mass, seed)
