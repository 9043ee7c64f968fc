"""Put down, put down too deep, and dropped on a floor: every pairing, mass and shape, 75 poses.

    put_down   40 poses: 0 to 1 mm above, 25 of them tilted up to 2°, 15 at any angle
    too_deep   10 poses: 1 µm to 1 mm in the floor
    fall       25 poses: from 0.05 to 0.5 m, at any angle, half of them thrown sideways a little

Nearly everything comes to rest: round parts have a rolling resistance of a twentieth of their
radius. Slender boxes on soft ground are not waited for, as their law lets them rock for minutes.
"""

from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

from bench.proof.batch import Batch, Case, Expected, divided, ground_surface
from bench.proof.pairing import G, Pair, shipped_pairs
from bench.proof.part import FILLS, MASSES_KG, SHAPES, Part, make_part
from bench.proof.pose import angles_deg, any_angle, on_a_face, random_of
from twincell.sim.spec.cell import Frame
from twincell.sim.spec.contact import HalfSpaceSurface

ROLLING = 0.05  # of the radius; chosen: steel on soil, so that a roll ends within seconds
LEAP_M = 0.1  # what stands so deep that it leaps higher is not waited for
POSES = {"put_down": 40, "too_deep": 10, "fall": 25}
MOST_S = 20.0
WEIGHT = 1e-6
CREEP_M_S = 1e-6  # the law of level ground says 0


def floor_batches(family: str) -> Iterator[Batch]:
    """All batches of one of the three families."""
    for pair in shipped_pairs():
        cases = [
            floor_case(family, pair, mass, shape, pose)
            for pose in range(POSES[family])
            for mass in MASSES_KG
            for shape in SHAPES
        ]
        batch = Batch(
            family, f"{family}/{pair.name}", pair, (), seconds=1.0, most_seconds=MOST_S,
            frames={"Floor": Frame()},
            surfaces={"Top": ground_surface(pair.ground, half_space=HalfSpaceSurface())},
        )  # fmt: skip
        yield from divided(batch, cases)


def floor_case(family: str, pair: Pair, mass_kg: float, shape: str, pose: int) -> Case:
    """One part over, on or in a floor."""
    name = f"{family}/{pair.name}/{mass_kg:g}kg/{shape}/{pose}"
    random = random_of(name)
    part = make_part(shape, mass_kg, pair.part, FILLS[pose % 2], pose // 2)
    motion = {}
    tilt_deg = 2.0
    if family == "put_down":
        gap = float(random.uniform(0, 1e-3)) if pose % 5 else 0.0
        tilt_deg = (2.0 if pose % 3 else 0.0) if pose < 25 else 180.0
    elif family == "too_deep":
        gap = -float(10 ** random.uniform(-6, -3))
        tilt_deg = 2.0 if pose % 2 else 180.0
    else:
        gap = float(random.uniform(0.05, 0.5))
        tilt_deg = 180.0
        sideways = random.uniform(-0.3, 0.3, 2) * (pose % 2)
        motion["velocity_m_s"] = (float(sideways[0]), float(sideways[1]), 0.0)
    turned = any_angle(random) if tilt_deg > 2 else on_a_face(random, part, tilt_deg)
    return standing(
        family, name, pair, part, turned, gap,
        note={"gap_mm": gap * 1e3, "tilt_deg": tilt_deg, "pose": pose}, motion=motion,
    )  # fmt: skip


def standing(
    family: str,
    name: str,
    pair: Pair,
    part: Part,
    turned: Rotation,
    gap_m: float,
    note: dict[str, float | str],
    motion: dict[str, tuple[float, float, float]] | None = None,
    at_m: tuple[float, float] = (0.0, 0.0),
    rolling: float = ROLLING,
) -> Case:
    """A part whose lowest point is so high over a level ground; it comes to rest there."""
    motion = motion or {}
    above = part.below_m(turned.as_matrix()) + gap_m
    stored = pair.stored_j(-gap_m, part.points)
    speed = np.linalg.norm(motion.get("velocity_m_s", (0.0, 0.0, 0.0)))
    height = max(0.0, above - part.thinnest_m)
    energy = part.mass_kg * (G * height + float(speed) ** 2 / 2) + stored
    weight = part.mass_kg * G
    depth = pair.hit_m(energy, weight)
    lands = stored < LEAP_M * weight and not pair.rocks_long(part)
    return Case(
        name, family, pair.name, part,
        part.body(
            position_m=(at_m[0], at_m[1], above), orientation_deg=angles_deg(turned), **motion
        ),
        Expected(lowest_m=part.thinnest_m - depth, rest=lands,
            drift_m_s=CREEP_M_S if lands else np.inf, weight=WEIGHT if lands else None),
        note, height_m=height, stored_j=stored, rolling_m=rolling * part.radius_m,
    )  # fmt: skip
