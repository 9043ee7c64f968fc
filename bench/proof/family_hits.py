"""Hits: balls beside the line of centres of a fixed ball, and what is thrown hard at something.

    ball_on_ball   60 places at 0.3, 10 and 20 m/s
    thrown         1 to 3000 m/s at a half-space and at a block of 10 x 10 x 0.5 m, any way round

They arrive after some ticks, anywhere within a tick.
"""

from collections.abc import Iterator

import numpy as np

from bench.proof.batch import Batch, Case, Expected, divided, ground_surface
from bench.proof.pairing import G, Pair, shipped_pairs
from bench.proof.part import FILLS, MASSES_KG, SHAPES, make_part
from bench.proof.pose import angles_deg, any_angle, random_of, vector
from twincell.sim.spec.cell import Frame
from twincell.sim.spec.contact import BoxSurface, HalfSpaceSurface, SphereSurface

PLACES = 60
FIXED_M = 0.02  # radius of the fixed ball
SPEEDS_M_S = (0.3, 10.0, 20.0)
THROWS_M_S = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
BLOCK_M = (10.0, 10.0, 0.5)


def ball_batches() -> Iterator[Batch]:
    """A ball comes down on a fixed one, from the line of centres to a touch at its side."""
    for pair in shipped_pairs():
        for speed in SPEEDS_M_S:
            cases = [
                _beside(pair, mass, speed, place) for mass in MASSES_KG for place in range(PLACES)
            ]
            batch = Batch(
                "ball_on_ball", f"ball_on_ball/{pair.name}/{speed:g}m_s", pair, (),
                seconds=0.1, most_seconds=0.1, frames={"Floor": Frame()},
                surfaces={
                    "Top": ground_surface(pair.ground, sphere=SphereSurface(radius_m=FIXED_M))
                },
            )  # fmt: skip
            yield from divided(batch, cases, PLACES)


def _beside(pair: Pair, mass: float, speed: float, place: int) -> Case:
    name = f"ball_on_ball/{pair.name}/{mass:g}kg/{speed:g}m_s/{place}"
    part = make_part("ball", mass, pair.part, FILLS[place % 2], 0)
    apart = FIXED_M + part.radius_m
    beside = (place + 0.5) / PLACES * apart
    # it arrives after some ticks, anywhere within a tick
    above = float(np.sqrt(apart**2 - beside**2)) + speed * (2 + place / PLACES) * 1e-3
    body = part.body(position_m=(beside, 0.0, above), velocity_m_s=(0.0, 0.0, -speed))
    return Case(
        name, "ball_on_ball", pair.name, part, body, Expected(),
        {"speed_m_s": speed, "beside": beside / apart}, height_m=above,
    )  # fmt: skip


def thrown_batches() -> Iterator[Batch]:
    """At a half-space and at a block."""
    block = BoxSurface(size_m=BLOCK_M)
    block_at = (0.0, 0.0, -BLOCK_M[2] / 2)
    tops = {
        "half_space": (Frame(), ground_surface("steel", half_space=HalfSpaceSurface())),
        "block": (
            Frame(position_m=block_at),
            ground_surface("steel", box=block),
        ),
    }
    for pair in shipped_pairs():
        for kind, (frame, top) in tops.items():
            cases = [
                case
                for pose in range(2)
                for speed in THROWS_M_S
                for mass in MASSES_KG
                for shape in SHAPES
                if (case := _thrown(pair, mass, shape, speed, kind, pose))
            ]
            batch = Batch(
                "thrown", f"thrown/{pair.name}/{kind}", pair, (), seconds=0.2, most_seconds=0.2,
                frames={"Floor": frame},
                within_m=np.inf if kind == "half_space" else BLOCK_M[0] / 2,
                surfaces={"Top": top.model_copy(update={"material": pair.ground})},
            )  # fmt: skip
            yield from divided(batch, cases)


def _thrown(pair: Pair, mass: float, shape: str, speed: float, kind: str, pose: int) -> Case | None:
    """A part that flies at the middle of the top; none if the block is too thin for the hit."""
    name = f"thrown/{pair.name}/{mass:g}kg/{shape}/{speed:g}m_s/{kind}/{pose}"
    random = random_of(name)
    part = make_part(shape, mass, pair.part, FILLS[pose % 2], int(random.integers(4)))
    depth = pair.hit_m(mass * speed**2 / 2, mass * G)
    if kind == "block" and depth > 0.8 * min(BLOCK_M[2] / 4, part.thinnest_m):
        return None
    down = np.array([*random.uniform(-0.7, 0.7, 2), -1.0])
    down /= np.linalg.norm(down)
    turned = any_angle(random)
    # its lowest point meets the top after one to three ticks
    way = speed * float(random.uniform(1, 3)) * 1e-3
    above = np.array([0.0, 0.0, part.below_m(turned.as_matrix())]) - way * down
    body = part.body(
        position_m=vector(above), orientation_deg=angles_deg(turned),
        velocity_m_s=vector(speed * down),
    )  # fmt: skip
    lowest = part.thinnest_m - depth
    if kind == "block" and speed >= 10:
        # within the tick of the hit points and normals stay, and a part that turns overlaps by
        # more than the law's depth; one that passes is below the middle in the next tick or two
        lowest = -BLOCK_M[2] / 2
    return Case(
        name, "thrown", pair.name, part, body, Expected(lowest_m=lowest),
        {"speed_m_s": speed, "at": kind}, height_m=float(above[2]),
    )  # fmt: skip
