"""Poses of parts: on a face, tilted a little, or turned in any way; the same for the same name."""

import warnings
import zlib

import numpy as np
from scipy.spatial.transform import Rotation

from bench.proof.part import Part, Vector3


def random_of(name: str) -> np.random.Generator:
    """The random numbers of a case, which depend on its name alone."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def vector(numbers: np.ndarray) -> Vector3:
    """Three numbers as a cell file has them."""
    x, y, z = (float(number) for number in numbers)
    return x, y, z


def angles_deg(turned: Rotation) -> Vector3:
    """As a cell file has them."""
    with warnings.catch_warnings(action="ignore"):  # gimbal lock: one of many answers is enough
        return vector(turned.as_euler("xyz", degrees=True))


def any_angle(random: np.random.Generator) -> Rotation:
    """Turned in any way, all alike."""
    return Rotation.random(random_state=random)


def on_a_face(random: np.random.Generator, part: Part, most_tilt_deg: float) -> Rotation:
    """On one of its faces, or lying if it is round, turned about the vertical, then tilted."""
    faces = {"box": 3, "cylinder": 2}.get(part.shape, 1)
    face = int(random.integers(faces))
    if part.shape == "capsule" or (part.shape == "cylinder" and face == 1):
        face = 2
    onto = Rotation.from_euler("xyz", [(0, 0, 0), (90, 0, 0), (0, 90, 0)][face], degrees=True)
    spun = Rotation.from_euler("z", random.uniform(-180, 180), degrees=True)
    towards = random.uniform(-np.pi, np.pi)
    axis = np.array([np.cos(towards), np.sin(towards), 0.0])
    tilt = np.radians(random.uniform(0, most_tilt_deg))
    return Rotation.from_rotvec(tilt * axis) * spun * onto
