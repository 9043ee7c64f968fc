"""Cells for the physics tests: from plain dictionaries through the text of a cell file."""

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from twincell.sim.cell import Cell
from twincell.sim.spec import CellSpec, load_text


def toml(value: Any) -> str:
    """A value as TOML writes it; numbers keep all their digits."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple | np.ndarray):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, bool | str):
        return json.dumps(value)
    return str(value) if isinstance(value, int) else repr(float(value))


def spec_of(**tables: Any) -> CellSpec:
    """A checked cell from its tables."""
    tables = {"name": "test", **tables}
    return load_text("\n".join(f"{key} = {toml(value)}" for key, value in tables.items()))


def cell_of(**tables: Any) -> Cell:
    """A compiled cell from its tables."""
    return Cell(spec_of(**tables))


def column(cell: Cell, rows: np.ndarray, name: str) -> np.ndarray:
    """The curve of one signal."""
    return rows[:, cell.signals[name].column]


def vectors(cell: Cell, rows: np.ndarray, name: str) -> np.ndarray:
    """The curves of a signal's X, Y, Z."""
    return np.column_stack([column(cell, rows, f"{name}.{axis}") for axis in "XYZ"])


def ball(mass_kg: float = 1.0, inertia: float = 0.1, **keys: Any) -> dict[str, Any]:
    """A body whose inertia is the same about all axes."""
    return {"mass_kg": mass_kg, "inertia_kg_m2": [inertia] * 3, **keys}


# ---------------------------------------------------------------- random forests


@dataclass
class FreeMotion:
    """Frame of a free body: pose, velocity of its origin and spin, world axes."""

    p: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray


@dataclass
class Pair:
    """An active pair: the target T on the partner's body, in that body's frame."""

    this: str
    partner: str
    age: int | None  # ticks since the catch; None: long ago
    p_BT: np.ndarray = field(default_factory=lambda: np.zeros(3))
    R_BT: np.ndarray = field(default_factory=lambda: np.eye(3))


@dataclass
class Scene:
    """The tables of a cell, and a state that it did not start in."""

    tables: dict[str, Any]
    free: dict[str, FreeMotion]
    q: dict[str, float]
    qd: dict[str, float]
    pairs: list[Pair]
    tick: int = 2000


def random_body(rng: np.random.Generator) -> dict[str, Any]:
    """Mass, offset centre of mass and full inertia of a body made of eight points."""
    points = rng.uniform(-0.4, 0.4, (8, 3))
    masses = rng.uniform(0.05, 1.0, 8)
    center = masses @ points / masses.sum()
    r = points - center
    second = (masses[:, None] * r).T @ r
    J = np.trace(second) * np.eye(3) - second
    return {
        "mass_kg": masses.sum(),
        "center_of_mass_m": center,
        "inertia_kg_m2": [J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]],
    }


def random_place(rng: np.random.Generator, size: float = 0.5) -> dict[str, Any]:
    return {
        "position_m": rng.uniform(-size, size, 3),
        "orientation_deg": rng.uniform(-170, 170, 3) * [1, 0.5, 1],
    }


def random_mover(rng: np.random.Generator) -> dict[str, Any]:
    swing = {
        "direction": rng.normal(size=3),
        "amplitude_m": rng.uniform(0.1, 0.5),
        "amplitude_deg": rng.uniform(10, 60),
        "frequency_hz": rng.uniform(0.2, 1.0),
        "phase_deg": rng.uniform(0, 360),
    }
    return {**random_place(rng, 2.0), "sine": swing}


def random_joint(rng: np.random.Generator, parent: str, child: str) -> dict[str, Any]:
    base = {"parent": parent, "child": child, **random_place(rng), "axis": rng.normal(size=3)}
    kind = rng.choice(["revolute", "prismatic", "fixed"], p=[0.5, 0.35, 0.15])
    if kind == "fixed":
        base.pop("axis")
        return {"type": "fixed", **base}
    if kind == "revolute":
        spring = {"stiffness_nm_rad": rng.uniform(0, 5), "rest_deg": rng.uniform(-30, 30)}
        loss = {"damping_nms_rad": rng.uniform(0, 0.1), "friction_nm": rng.uniform(0, 0.1)}
        return {"type": "revolute", **base, **spring, **loss, "friction_speed_deg_s": 30.0}
    spring = {"stiffness_n_m": rng.uniform(0, 50), "rest_m": rng.uniform(-0.2, 0.2)}
    loss = {"damping_ns_m": rng.uniform(0, 1.0), "friction_n": rng.uniform(0, 1.0)}
    return {"type": "prismatic", **base, **spring, **loss, "friction_speed_m_s": 0.5}


def random_forest(rng: np.random.Generator, n_body: int, n_mover: int = 2) -> Scene:
    """Free bodies and trees on free bodies, on the world and on movers, all in motion."""
    mover = {f"M{k}": random_mover(rng) for k in range(n_mover)}
    body = {f"B{k}": random_body(rng) for k in range(n_body)}
    frame = {"Ground": random_place(rng, 2.0)}
    joint, carriers = {}, ["Ground", *mover]
    for k, name in enumerate(body):
        if k == 0 or rng.random() < 0.4:
            carriers.append(name)
            continue
        parent = str(rng.choice(carriers))
        if parent not in ("Ground", *mover) and rng.random() < 0.5:
            frame[f"On{k}"] = {"on": parent, **random_place(rng)}
            parent = f"On{k}"
        joint[f"J{k}"] = random_joint(rng, parent, name)
        carriers.append(name)
    for j in joint.values():  # what is fixed to the ground or to a mover cannot be caught
        if j["type"] == "fixed" and j["parent"] in ("Ground", *mover):
            j.pop("type")
            j.update({"type": "revolute", "axis": rng.normal(size=3)})
    tables = {
        "gravity_m_s2": rng.uniform(-10, 10, 3),
        "integrator": "semi_implicit",  # one stage: scratch holds the evaluation at t_n
        "frame": frame,
        "body": body,
        "mover": mover,
        "joint": joint,
        "collision_object": {},
        "constrained_object": {},
    }
    return with_random_motion(rng, tables)


def with_random_motion(rng: np.random.Generator, tables: dict[str, Any]) -> Scene:
    """The same cell in some other state than it starts in."""
    children = {j["child"] for j in tables.get("joint", {}).values()}
    free = {
        name: FreeMotion(
            rng.uniform(-2, 2, 3),
            Rotation.random(random_state=rng).as_matrix(),
            rng.uniform(-2, 2, 3),
            rng.uniform(-4, 4, 3),
        )
        for name in tables["body"]
        if name not in children
    }
    moving = [n for n, j in tables.get("joint", {}).items() if j["type"] != "fixed"]
    q = {name: float(rng.uniform(-1, 1)) for name in moving}
    qd = {name: float(rng.uniform(-3, 3)) for name in moving}
    return Scene(tables, free, q, qd, [])


def add_pair(
    rng: np.random.Generator, scene: Scene, body: str, holder: str, age: int | None, **keys: Any
) -> None:
    """Let a body be held by another body, a mover or the ground, off its target and moving."""
    k = len(scene.pairs)
    scene.tables["frame"][f"At{k}"] = {"on": body, **random_place(rng)}
    scene.tables["frame"][f"By{k}"] = {"on": holder, **random_place(rng)}
    scene.tables["constrained_object"][f"S{k}"] = {
        "on": f"At{k}",
        "radius_m": rng.uniform(0.02, 0.2),
        "eta": rng.uniform(5, 60),
        "transition": age is not None,
        "transition_s": 0.2,
        "release_factor": 1e6,
        **keys,
    }
    scene.tables["collision_object"][f"C{k}"] = {
        "on": f"By{k}",
        "mode": "control",
        "closed": True,
        "sphere": {"radius_m": 0.001},
    }
    scene.pairs.append(Pair(f"S{k}", f"C{k}", age))
