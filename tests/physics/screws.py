"""Cells and robots with screws; URDF has none, so the robots are written as TOML."""

from pathlib import Path
from typing import Any

import numpy as np
from robots import write_model
from scenes import Scene, random_body, random_place


def random_pitch(rng: np.random.Generator) -> float:
    """Of either hand; steep enough that sliding and turning matter both."""
    return float(rng.choice([-1, 1]) * rng.uniform(0.1, 3.0))


def with_screws(rng: np.random.Generator, scene: Scene) -> int:
    """Make screws of about half the hinges of a scene; how many there are now."""
    n_screw = 0
    for joint in scene.tables["joint"].values():
        if joint["type"] == "revolute" and rng.random() < 0.6:
            joint |= {"type": "screw", "pitch_m": random_pitch(rng)}
            n_screw += 1
    return n_screw


def screw_robot(
    rng: np.random.Generator, folder: Path, kinds: str, loss: float = 0.5
) -> dict[str, Any]:
    """The table of a robot, one letter an axis: h, s, t for hinge, slide, screw (a thread)."""
    angle = {"speed_deg_s": 600, "torque_nm": 1e4, "lower_deg": -170, "upper_deg": 170}
    length = {"speed_m_s": 10, "force_n": 1e4, "lower_m": -3, "upper_m": 3}
    links, joints = {"L0": {}}, {}
    for k, kind in enumerate(kinds, start=1):
        parent = k - 1 if rng.random() < 0.8 or k == len(kinds) else int(rng.integers(0, k))
        damping, friction = loss * rng.uniform(0, 1, 2)
        own: dict[str, Any] = {
            "h": {"type": "revolute", **angle},
            "s": {"type": "prismatic", **length},
            "t": {"type": "screw", **angle, "pitch_m": random_pitch(rng)},
        }[kind]
        if kind == "s":
            own |= {"damping_ns_m": damping, "friction_n": friction, "gear_mass_kg": 0.5}
        else:
            own |= {"damping_nms_rad": damping, "friction_nm": friction}
            own["gear_inertia_kg_m2"] = 0.05
        links[f"L{k}"] = random_body(rng)
        joints[f"J{k}"] = {
            **own,
            "parent": f"L{parent}",
            "child": f"L{k}",
            **random_place(rng),
            "axis": rng.normal(size=3),
        }
    return {
        "model": write_model(folder / f"{kinds}.toml", link=links, joint=joints),
        "tip": f"L{len(kinds)}",
        "position_m": rng.uniform(-1, 1, 3),
        "orientation_deg": rng.uniform(-80, 80, 3),
        "tcp_position_m": rng.uniform(-0.3, 0.3, 3),
        "tcp_orientation_deg": rng.uniform(-80, 80, 3),
    }
