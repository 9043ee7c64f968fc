"""Poses outside the tick: a position and a rotation matrix."""

from dataclasses import dataclass, field

import numpy as np

from twincell.sim.model import Floats
from twincell.sim.spec.table import Vector


@dataclass(frozen=True)
class Pose:
    """Where a frame B is, seen from a frame A."""

    p: Floats = field(default_factory=lambda: np.zeros(3))
    R: Floats = field(default_factory=lambda: np.eye(3))

    @classmethod
    def of(cls, position_m: Vector, orientation_deg: Vector) -> "Pose":
        """Pose as a cell file writes it: angles about x, y, z, applied as z-y'-x''."""
        return cls(np.array(position_m, dtype=float), rotation_matrix(orientation_deg))

    def __matmul__(self, inner: "Pose") -> "Pose":
        """X_AC = X_AB @ X_BC."""
        return Pose(self.p + self.R @ inner.p, self.R @ inner.R)

    @property
    def q(self) -> Floats:
        """The rotation as a unit quaternion (w, x, y, z)."""
        return quaternion(self.R)


def rotation_matrix(angles_deg: Vector) -> Floats:
    """Rotation matrix of angles about x, y, z, applied as z-y'-x''."""
    (ca, cb, cc), (sa, sb, sc) = np.cos(np.radians(angles_deg)), np.sin(np.radians(angles_deg))
    about_x = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]])
    about_y = np.array([[cb, 0, sb], [0, 1, 0], [-sb, 0, cb]])
    about_z = np.array([[cc, -sc, 0], [sc, cc, 0], [0, 0, 1]])
    return np.asarray(about_z @ about_y @ about_x, dtype=float)


def quaternion(R: Floats) -> Floats:
    """Unit quaternion of a rotation matrix, w not negative.

    The matrix 4 q qᵀ can be read off R; its longest column gives q without cancellation.
    """
    w = 1 + R[0, 0] + R[1, 1] + R[2, 2]
    x = 1 + R[0, 0] - R[1, 1] - R[2, 2]
    y = 1 - R[0, 0] + R[1, 1] - R[2, 2]
    z = 1 - R[0, 0] - R[1, 1] + R[2, 2]
    wx, wy, wz = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    xy, xz, yz = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    square = np.array([[w, wx, wy, wz], [wx, x, xy, xz], [wy, xy, y, yz], [wz, xz, yz, z]])
    q = square[:, np.argmax(np.diag(square))]
    q = q / np.linalg.norm(q)
    return np.asarray(-q if q[0] < 0 else q, dtype=float)


def rotation_vector(R: Floats) -> Floats:
    """Axis times angle of a rotation matrix, the short way."""
    q = quaternion(R)
    sine = np.linalg.norm(q[1:])
    if sine == 0:
        return np.zeros(3)
    return np.asarray(2 * np.arctan2(sine, q[0]) / sine * q[1:], dtype=float)


def angles(R: Floats) -> tuple[float, float, float]:
    """Angles [rad] about x, y, z of a rotation matrix, applied as z-y'-x''."""
    return (
        float(np.arctan2(R[2, 1], R[2, 2])),
        float(np.arcsin(np.clip(-R[2, 0], -1, 1))),
        float(np.arctan2(R[1, 0], R[0, 0])),
    )


def cross_matrix(r: Floats) -> Floats:
    """The matrix that multiplies as r x."""
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def matrix_of(q: Floats) -> Floats:
    """Rotation matrix of a unit quaternion."""
    w, v = q[0], q[1:]
    return np.asarray((w * w - v @ v) * np.eye(3) + 2 * (np.outer(v, v) + w * cross_matrix(v)))


def turned_about(axis: Floats, angle: float) -> Floats:
    """Rotation matrix of a turn about a unit axis."""
    return matrix_of(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)]))


def turned_by(vector: Floats) -> Floats:
    """Rotation matrix of a rotation vector: axis times angle."""
    angle = float(np.linalg.norm(vector))
    return turned_about(vector / angle, angle) if angle > 0 else np.eye(3)
