"""Held: pinched between two ideal hands and lifted, and on servo arms.

    pinched  two plates close on a part that lies on a floor, a little deeper than its skin, and
             lift it by 20 mm. It is pressed so that friction can bear 1.5 to 5 times its weight:
             μ(v) = m g/2N says how fast it creeps down
    arm      hold: lies on a tray that an arm holds; carry: the arm goes on with it;
             press: an arm's plate presses it on a floor, 3 mm deeper than it is high

Hands and drives do work, so energy is not judged here.
"""

from collections.abc import Iterator
from pathlib import Path

from scipy.spatial.transform import Rotation

from bench.proof.batch import Batch, Case, Expected, divided, ground_surface
from bench.proof.pairing import G, Pair, shipped_pairs
from bench.proof.part import FILLS, MASSES_KG, SHAPES, make_part
from bench.proof.pose import angles_deg, random_of
from twincell.sim.spec.cell import Frame, Mover, Waypoint
from twincell.sim.spec.contact import BoxSurface, HalfSpaceSurface
from twincell.sim.spec.robot import MoveLinear, Robot

APART_M = 3.0  # from case to case: twice the reach of an arm
PLATE_M = 0.02  # thickness of hands and trays
LIFT_M = 0.02
SQUEEZES = (1.5, 2.0, 5.0)  # what friction could bear, in weights
MODEL = Path(__file__).parents[2] / "config" / "robots" / "arm6.urdf"
START_DEG = [0.0, -20.0, 40.0, 0.0, 70.0, 0.0]  # the flange looks down
TCP_M = (0.5855, 0.0, 0.8154)  # at the start, from the arm's base
GEAR_KG_M2 = [12.0, 12.0, 6.0, 0.6, 0.5, 0.3]
PAYLOAD_KG = 10.0
BELOW_M = 0.5  # from the flange down to the top of the tray
PRESS_M = 0.003


# ---------------------------------------------------------------- two hands


def pinched_batches() -> Iterator[Batch]:
    """Every pairing, mass and shape, pressed more and less."""
    for pair in shipped_pairs():
        cases = [
            _pinched(pair, mass, shape, pose)
            for pose in range(2 * len(SQUEEZES))
            for mass in MASSES_KG
            for shape in SHAPES
        ]
        yield from divided(_floor("pinched", pair, 1.2), cases, 24)


def _floor(family: str, pair: Pair, seconds: float) -> Batch:
    return Batch(
        family, f"{family}/{pair.name}", pair, (), seconds, seconds, along=(0.0, 0.0, -1.0),
        frames={"Floor": Frame()},
        surfaces={"Top": ground_surface(pair.ground, half_space=HalfSpaceSurface())},
    )  # fmt: skip


def _pinched(pair: Pair, mass: float, shape: str, pose: int) -> Case:
    name = f"pinched/{pair.name}/{mass:g}kg/{shape}/{pose}"
    random = random_of(name)
    squeeze = SQUEEZES[pose % 3]
    part = make_part(shape, mass, pair.part, FILLS[pose // 3], pose)
    weight = mass * G
    lying = Rotation.from_euler("x", 90 if shape == "capsule" else 0, degrees=True)
    half, points = (part.half_m[0], 4) if shape == "box" else (part.radius_m, 2)
    points = 1 if shape == "ball" else points
    slope = pair.peak[1] / squeeze
    deep = pair.rest_m(weight / (2 * slope), points)
    above = part.below_m(lying.as_matrix()) - pair.rest_m(weight, part.points)
    y = APART_M * (MASSES_KG.index(mass) * len(SHAPES) + SHAPES.index(shape))
    wide = 2 * part.reach_m + 0.02  # a plate reaches into the floor: neither moves by force
    plate = BoxSurface(size_m=(PLATE_M, wide, wide))
    off = float(random.uniform(-2e-4, 2e-4))  # the part is not quite in the middle
    movers, surfaces = {}, {}
    for hand, side in (("Left", -1.0), ("Right", 1.0)):
        open_m = side * (half + PLATE_M / 2 + 1e-3)
        closed_m = side * (half + PLATE_M / 2 - deep)
        way = [(0.0, open_m, above), (0.3, closed_m, above), (0.7, closed_m, above + LIFT_M)]
        movers[hand] = Mover(
            waypoints=[Waypoint(at_s=at, position_m=(to, y, z)) for at, to, z in way]
        )
        surfaces[f"{hand}Face"] = ground_surface(pair.ground, hand, box=plate)
    return Case(
        name, "pinched", pair.name, part,
        part.body(position_m=(off, y, above), orientation_deg=angles_deg(lying)),
        Expected(energy=False, velocity_m_s=pair.creep_m_s(slope), law_tolerance=0.02),
        {"squeeze": squeeze, "deep_mm": deep * 1e3}, movers=movers, surfaces=surfaces,
    )  # fmt: skip


# ---------------------------------------------------------------- servo arms


def arm_batches() -> Iterator[Batch]:
    """Every pairing and shape, up to what the arm can carry."""
    masses = [mass for mass in MASSES_KG if mass <= PAYLOAD_KG]
    for pair in shipped_pairs():
        cases = [
            _on_arm(pair, mass, shape, kind, APART_M * k)
            for kind in ("hold", "carry", "press")
            for k, (mass, shape) in enumerate((m, s) for m in masses for s in SHAPES)
        ]
        batch = _floor("arm", pair, 2.0)._replace(most_seconds=4.0)
        yield from divided(batch, cases, len(masses) * len(SHAPES))


def _on_arm(pair: Pair, mass: float, shape: str, kind: str, y: float) -> Case:
    name = f"arm/{pair.name}/{mass:g}kg/{shape}/{kind}"
    random = random_of(name)
    part = make_part(shape, mass, pair.part, FILLS[0], int(random.integers(4)))
    lying = Rotation.from_euler("x", 90 if shape in ("cylinder", "capsule") else 0, degrees=True)
    below = part.below_m(lying.as_matrix())
    robot = Robot(
        model=str(MODEL), position_m=(0.0, y, 0.0), start_deg=START_DEG,
        gear_inertia_kg_m2=GEAR_KG_M2, tcp_orientation_deg=(0.0, 180.0, 0.0),
    )  # fmt: skip
    tray = BoxSurface(size_m=(1.0, 1.0, PLATE_M))
    x, _, z = TCP_M
    gap = float(random.uniform(0, 1e-3))
    top, press = z - BELOW_M, kind == "press"
    plate_m = -z + 2 * below + 0.01 if press else -BELOW_M
    here = (x, y, (0.0 if press else top) + below + gap)
    there = {
        "hold": None,
        "carry": (x, y + 0.1, z + 0.05),
        "press": (x, y, z - 0.01 - PRESS_M),
    }[kind]
    move = MoveLinear(position_m=there) if there else None
    face = -PLATE_M / 2 if not press else PLATE_M / 2
    return Case(
        name, "arm", pair.name, part,
        part.body(position_m=here, orientation_deg=angles_deg(lying)),
        Expected(
            energy=False, rest=shape == "box", weight=1e-3 if shape == "box" else None,
        ),
        {"kind": kind}, robots={"Arm": robot},
        frames={"Tray": Frame(on="Arm", position_m=(0.0, 0.0, plate_m + face))},
        surfaces={"Plate": ground_surface(pair.ground, "Tray", box=tray)},
        moves={"Arm": move} if move else {},
    )  # fmt: skip
