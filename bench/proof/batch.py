"""A case, and batches: many cases that share a ground and never touch each other.

All parts are of one group that ignores itself, so the cases of a batch are independent even where
they overlap; only the ground is common. A batch of one case is that case alone.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from bench.proof.pairing import G, Pair
from bench.proof.part import Part, Vector3
from twincell.sim.model import Floats
from twincell.sim.spec.cell import Body, CellSpec, Frame, Mover, Sine, TimelineEntry
from twincell.sim.spec.contact import Material, Pairing, Surface
from twincell.sim.spec.contact_presets import ELASTIC
from twincell.sim.spec.problems import Problems
from twincell.sim.spec.robot import MoveLinear, Robot
from twincell.sim.spec.robot_files import read_models

PARTS, GROUND = "Parts", "Ground"
MOVES_AT_S = 0.2


class Expected(NamedTuple):
    """What is judged, beyond that the cell does not stop."""

    energy: bool = True  # never more than at the start
    lowest_m: float | None = None  # its centre never comes lower over the ground
    rest: bool = False  # in the end it lies still
    drift_m_s: float = np.inf  # and creeps no faster than this
    weight: float | None = None  # and the ground bears it, to this share of it
    velocity_m_s: float | None = None  # in the end, along the batch's direction
    acceleration_m_s2: float | None = None  # in the end, along the batch's direction
    law_tolerance: float = 1e-3  # of these two


class Case(NamedTuple):
    """One part in one place."""

    name: str
    family: str
    material: str
    part: Part
    body: Body
    expected: Expected
    note: Mapping[str, float | str] = {}  # what else it is made from
    height_m: float = 0.0  # of its centre over the lowest that it can lie
    stored_j: float = 0.0  # most that the springs of its contacts hold at the start
    held_j: float = 0.0  # that springs hold while it rests, and give back when it gets lighter
    rolling_m: float = 0.0
    frames: Mapping[str, Frame] = {}  # of its own
    movers: Mapping[str, Mover] = {}
    surfaces: Mapping[str, Surface] = {}
    robots: Mapping[str, Robot] = {}
    moves: Mapping[str, MoveLinear] = {}  # of its robots, as soon as the part lies there


class Batch(NamedTuple):
    """Cases on one ground."""

    family: str
    name: str
    pair: Pair
    cases: tuple[Case, ...]
    seconds: float  # at least
    most_seconds: float  # until what should rest does
    gravity_m_s2: Vector3 = (0.0, 0.0, -G)
    normal: Vector3 = (0.0, 0.0, 1.0)  # of the ground
    along: Vector3 = (1.0, 0.0, 0.0)  # downhill
    frames: Mapping[str, Frame] = {}
    movers: Mapping[str, Mover] = {}
    surfaces: Mapping[str, Surface] = {}  # of the ground
    swing: Sine | None = None  # of the ground, about the origin
    within_m: float = np.inf  # the ground ends there: who has left it may fall
    step_s: float = 0.001

    def spec(self) -> CellSpec:
        """The cell of all its cases; part k is B<k> with the skin S<k>."""
        ground = dict(self.surfaces)
        frames, movers = dict(self.frames), dict(self.movers)
        materials: dict[str, Material] = {}
        pairings: dict[str, Pairing] = {}
        bodies: dict[str, Body] = {}
        skins: dict[str, Surface] = {}
        known = self.pair.law.model_dump()
        if self.pair.part not in ELASTIC:
            materials[self.pair.part] = self.pair.law
        for k, case in enumerate(self.cases):
            material = self.pair.part
            if case.rolling_m:
                material = f"Rolling{k}"
                law = known | {"rolling_m": case.rolling_m}
                materials[material] = Material(**law)
                pairings[f"On{k}"] = Pairing(between=(material, self.pair.ground), **law)
            bodies[f"B{k}"] = case.body
            skins[f"S{k}"] = Surface(
                on=f"B{k}", material=material, group=PARTS, ignores=[PARTS], **case.part.skin()
            )
            for name, place in case.frames.items():
                on = place.on and f"{place.on}{k}"
                frames[f"{name}{k}"] = place.model_copy(update={"on": on})
            movers |= {f"{name}{k}": own for name, own in case.movers.items()}
            for name, own in case.surfaces.items():
                ground[f"{name}{k}"] = own.model_copy(update={"on": f"{own.on}{k}"})
        robots = {
            f"{name}{k}": own
            for k, case in enumerate(self.cases)
            for name, own in case.robots.items()
        }
        moves = {
            f"{name}{k}": own
            for k, case in enumerate(self.cases)
            for name, own in case.moves.items()
        }
        spec = CellSpec(
            name=self.name,
            step_s=self.step_s,
            gravity_m_s2=self.gravity_m_s2,
            frame=frames,
            mover=movers,
            body=bodies,
            material=materials,
            pairing=pairings,
            surface={**ground, **skins},
            robot=robots,
            timeline=[TimelineEntry(at_s=MOVES_AT_S, move_linear=moves)] if moves else [],
        )
        spec._robot_models = read_models(robots, Path(), Problems(spec.source))
        return spec

    def alone(self, case: Case) -> "Batch":
        return self._replace(name=case.name, cases=(case,))

    def ground_at(self, time_s: Floats) -> Floats:
        """Where the ground is, from where it stands."""
        if self.swing is None:
            return np.zeros((len(time_s), 3))
        direction = np.array(self.swing.direction) / np.linalg.norm(self.swing.direction)
        angle = 2 * np.pi * self.swing.frequency_hz * time_s + np.radians(self.swing.phase_deg)
        return self.swing.amplitude_m * np.sin(angle)[:, None] * direction


def ground_surface(material: str, on: str = "Floor", **shape: Any) -> Surface:
    """Something that the parts touch."""
    return Surface(on=on, material=material, group=GROUND, **shape)


def divided(batch: Batch, cases: Sequence[Case], most: int = 48) -> list[Batch]:
    """Batches of at most so many cases."""
    parts = [tuple(cases[k : k + most]) for k in range(0, len(cases), most)]
    return [batch._replace(name=f"{batch.name}/{k}", cases=part) for k, part in enumerate(parts)]
