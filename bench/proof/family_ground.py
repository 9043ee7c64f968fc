"""Other grounds: a table, its edge, a ground that moves, and slopes.

    table     a rectangle or a slab of 0.1 m; what its material does not bear is not put on it
    edge      half over the edge of a slab, which stands 0.3 m over a floor
    moving    a ground that goes to and fro (4 m/s²) or up and down (2 m/s²); its work is counted
    slope     5° to 40°, gravity that leans or a frame that is turned; boxes stick or slide, and
              balls roll, as their law says
    stribeck  a slope with a friction that falls steeply: .4 at 0.1 mm/s, .2 at 1 mm/s

Parts on a slope start as deep as their weight presses them: nothing but the slope moves them. Boxes
that surely stick also start with their skin on the ground, and shoved: they must find their hold.
"""

import math
from collections.abc import Iterator

import numpy as np
from scipy.spatial.transform import Rotation

from bench.proof.batch import Batch, Case, Expected, divided, ground_surface
from bench.proof.family_floor import ROLLING, standing
from bench.proof.pairing import STRIBECK, G, Pair, shipped_pairs
from bench.proof.part import FILLS, MASSES_KG, SHAPES, make_part
from bench.proof.pose import angles_deg, any_angle, on_a_face, random_of, vector
from twincell.sim.spec.cell import Frame, Mover, Sine
from twincell.sim.spec.contact import BoxSurface, HalfSpaceSurface, RectangleSurface

TABLE_M = 3.0
SLAB_M = 0.1
OVER_FLOOR_M = 0.3
POSES = 8
SWINGS = (
    Sine(direction=(1.0, 0.0, 0.0), amplitude_m=0.1, frequency_hz=1.0),
    Sine(direction=(0.0, 0.0, 1.0), amplitude_m=0.05, frequency_hz=1.0, phase_deg=-90.0),
)
STARTS = ("lying", "touching", "shoved")
SHOVE_M_S = 0.05
SURELY_STICKS = 0.8  # of the friction of sliding: whoever slides is braked, and stops within 1 s
ANGLES_DEG = (5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0)


def _ordinary(family: str, pair: Pair, mass: float, shape: str, pose: int) -> Case:
    """A part put down within a millimetre, or dropped, in the middle of something level."""
    name = f"{family}/{pair.name}/{mass:g}kg/{shape}/{pose}"
    random = random_of(name)
    part = make_part(shape, mass, pair.part, FILLS[pose % 2], pose // 2)
    falls = pose % 4 == 3
    gap = float(random.uniform(0.05, 0.3) if falls else random.uniform(0, 1e-3))
    turned = any_angle(random) if pose % 4 > 1 else on_a_face(random, part, 2.0)
    note: dict[str, float | str] = {"gap_mm": gap * 1e3, "pose": pose}
    # where nobody waits for rest, half of the parts roll freely, as the shipped materials let them
    rolling = ROLLING if family == "table" or pose % 2 else 0.0
    return standing(family, name, pair, part, turned, gap, note, rolling=rolling)


def _grid(family: str, pair: Pair, poses: int = POSES) -> Iterator[Case]:
    for pose in range(poses):
        for mass in MASSES_KG:
            for shape in SHAPES:
                yield _ordinary(family, pair, mass, shape, pose)


# ---------------------------------------------------------------- tables


def table_batches() -> Iterator[Batch]:
    """A large table of both kinds."""
    frames = {"Floor": Frame(), "Slab": Frame(position_m=(0.0, 0.0, -SLAB_M / 2))}
    face = RectangleSurface(length_m=TABLE_M, width_m=TABLE_M)
    slab = BoxSurface(size_m=(TABLE_M, TABLE_M, SLAB_M))
    for pair in shipped_pairs():
        for kind, thick in (("rectangle", pair.law.layer_m), ("slab", SLAB_M / 4)):
            top = (
                ground_surface(pair.ground, rectangle=face)
                if kind == "rectangle"
                else ground_surface(pair.ground, "Slab", box=slab)
            )
            cases = [
                case._replace(name=f"{case.name}/{kind}", note={**case.note, "table": kind})
                for case in _grid("table", pair)
                if _depth(case) < 0.8 * min(thick, case.part.thinnest_m)
            ]
            batch = Batch(
                "table", f"table/{pair.name}/{kind}", pair, (), seconds=1.0, most_seconds=20.0,
                frames=frames, surfaces={"Top": top},
            )  # fmt: skip
            yield from divided(batch, cases)


def _depth(case: Case) -> float:
    assert case.expected.lowest_m is not None
    return case.part.thinnest_m - case.expected.lowest_m


def edge_batches() -> Iterator[Batch]:
    """Half over the edge: some stay, some tip and fall on the floor."""
    frames = {
        "Floor": Frame(position_m=(0.0, 0.0, -OVER_FLOOR_M)),
        "Slab": Frame(position_m=(-TABLE_M / 2, 0.0, -SLAB_M / 2)),
    }
    slab = BoxSurface(size_m=(TABLE_M, TABLE_M, SLAB_M))
    for pair in shipped_pairs():
        surfaces = {
            "Top": ground_surface(pair.ground, "Slab", box=slab),
            "Below": ground_surface(pair.ground, half_space=HalfSpaceSurface()),
        }
        cases = []
        for case in _grid("edge", pair):
            depth = pair.hit_m(
                case.part.mass_kg * G * (case.height_m + OVER_FLOOR_M), case.part.mass_kg * G
            )
            if depth > 0.8 * min(SLAB_M / 4, case.part.thinnest_m):
                continue
            over = float(random_of(case.name).uniform(-0.6, 0.6)) * case.part.thinnest_m
            x, y, z = case.body.position_m
            lowest = case.part.thinnest_m - depth - OVER_FLOOR_M
            cases.append(
                case._replace(
                    body=case.body.model_copy(update={"position_m": (x + over, y, z)}),
                    expected=Expected(lowest_m=lowest),
                    height_m=case.height_m + OVER_FLOOR_M,
                    note={**case.note, "over_mm": over * 1e3},
                )
            )
        batch = Batch(
            "edge", f"edge/{pair.name}", pair, (), seconds=1.5, most_seconds=1.5,
            frames=frames, surfaces=surfaces,
        )  # fmt: skip
        yield from divided(batch, cases)


# ---------------------------------------------------------------- a ground that moves


def moving_batches() -> Iterator[Batch]:
    """A shuttle and a lift: nothing comes to rest, so rest is not judged."""
    for pair in shipped_pairs():
        for kind, swing in zip(("shuttle", "lift"), SWINGS, strict=True):
            start = vector(swing.amplitude_m * math.sin(math.radians(swing.phase_deg))
                           * np.array(swing.direction))  # fmt: skip
            cases = []
            for case in _grid("moving", pair):
                body = case.body.model_copy(
                    update={"position_m": vector(np.array(case.body.position_m) + start)}
                )
                # the ground hits it with up to 0.63 m/s, as a fall of 20 mm does
                depth = pair.hit_m(
                    case.part.mass_kg * G * (case.height_m + 0.1) + case.stored_j,
                    2 * case.part.mass_kg * G,
                )
                heaviest = 1.25 * case.part.mass_kg * G
                held = pair.stored_j(pair.rest_m(heaviest, case.part.points), case.part.points)
                cases.append(
                    case._replace(
                        name=f"{case.name}/{kind}", body=body, held_j=held,
                        expected=Expected(lowest_m=case.part.thinnest_m - depth),
                        note={**case.note, "ground": kind}, height_m=case.height_m + 0.1,
                    )
                )  # fmt: skip
            batch = Batch(
                "moving", f"moving/{pair.name}/{kind}", pair, (), seconds=2.0, most_seconds=2.0,
                movers={"Floor": Mover(sine=swing)}, swing=swing,
                surfaces={"Top": ground_surface(pair.ground, half_space=HalfSpaceSurface())},
            )  # fmt: skip
            yield from divided(batch, cases)


# ---------------------------------------------------------------- slopes


def slope_batches() -> Iterator[Batch]:
    """Every pairing at every angle."""
    for pair in shipped_pairs():
        for angle_deg in ANGLES_DEG:
            for kind in ("gravity", "frame"):
                cases = [
                    case
                    for start in STARTS
                    for mass in MASSES_KG
                    for shape in SHAPES
                    if (case := _on_slope("slope", pair, mass, shape, angle_deg, kind, start))
                ]
                yield _slope("slope", pair, angle_deg, kind, cases)


def stribeck_batches() -> Iterator[Batch]:
    """Friction that falls from .4 to .2 between 0.1 and 1 mm/s, on springs of three kinds."""
    for stiffness in (1e7, 1e9, 1e11):
        law = STRIBECK.model_copy(update={"stiffness": stiffness, "damping": stiffness / 2})
        pair = Pair("Steep", "Steep", law)
        kind = f"{stiffness:g}"
        for angle_deg in (1.0, 2.0, 5.0, 8.0, 10.0, 12.0, 15.0, 18.0, 20.0, 24.0, 30.0, 40.0):
            cases = [
                case
                for start in STARTS
                for mass in MASSES_KG
                if (case := _on_slope("stribeck", pair, mass, "box", angle_deg, kind, start))
            ]
            yield _slope("stribeck", pair, angle_deg, kind, cases)


def _turned(angle_deg: float, kind: str) -> Rotation:
    """How the ground is turned: downhill is +x."""
    return Rotation.from_euler("y", angle_deg if kind == "frame" else 0.0, degrees=True)


def _slope(family: str, pair: Pair, angle_deg: float, kind: str, cases: list[Case]) -> Batch:
    a = math.radians(angle_deg)
    ground = _turned(angle_deg, kind)
    leaning = (0.0, 0.0, -G) if kind == "frame" else (G * math.sin(a), 0.0, -G * math.cos(a))
    return Batch(
        family, f"{family}/{pair.name}/{angle_deg:g}deg/{kind}", pair, tuple(cases),
        seconds=3.0, most_seconds=3.0, gravity_m_s2=leaning,
        normal=vector(ground.apply([0, 0, 1])), along=vector(ground.apply([1, 0, 0])),
        frames={"Floor": Frame(orientation_deg=angles_deg(ground))},
        surfaces={"Top": ground_surface(pair.ground, half_space=HalfSpaceSurface())},
    )  # fmt: skip


def _on_slope(
    family: str, pair: Pair, mass: float, shape: str, angle_deg: float, kind: str, start: str
) -> Case | None:
    """A part on a slope; none if nothing is known about how this start ends."""
    name = f"{family}/{pair.name}/{mass:g}kg/{shape}/{angle_deg:g}deg/{kind}/{start}"
    a = math.radians(angle_deg)
    if start != "lying" and (shape != "box" or math.tan(a) > SURELY_STICKS * pair.kinetic):
        return None
    material = pair.part if pair.part != "Steep" else "steel"
    fill = FILLS[round(angle_deg) % 2]
    part = make_part(shape, mass, material, fill, 2 if shape == "box" else 1)  # a flat one
    depth = pair.rest_m(mass * G * math.cos(a), part.points)
    ground = _turned(angle_deg, kind)
    lying = Rotation.from_euler("x", 0 if shape in ("box", "ball") else 90, degrees=True)
    if start == "touching":
        depth = 0.0
    above = part.below_m(lying.as_matrix()) - depth
    shove = SHOVE_M_S if start == "shoved" else 0.0
    creep = pair.creep_m_s(math.tan(a))
    velocity = acceleration = None
    downhill = G * math.sin(a)
    if shape == "box" and creep is not None:
        velocity = creep
    elif shape == "box" and math.tan(a) > 1.05 * pair.peak[1]:
        acceleration = downhill - pair.kinetic * G * math.cos(a)
    elif shape == "ball" and math.tan(a) < 3.5 * 0.9 * pair.kinetic:
        # rolls on the point halfway between the surfaces, which is a little nearer to its centre
        acceleration = downhill / (1 + 0.4 * part.radius_m**2 / (part.radius_m - depth / 2) ** 2)
    body = part.body(
        position_m=vector(ground.apply([0, 0, above])), orientation_deg=angles_deg(ground * lying),
        velocity_m_s=vector(ground.apply([shove, 0, 0])),
    )  # fmt: skip
    return Case(
        name, family, pair.name, part, body,
        Expected(velocity_m_s=velocity, acceleration_m_s2=acceleration),
        {"slope_deg": angle_deg, "kind": kind, "start": start},
        stored_j=pair.stored_j(depth, part.points),
    )  # fmt: skip
