"""Closed forms: what a cell must do, written down without the cell."""

import math
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from twincell.sim.cell import Cell


def decay(xi: Any, rate: Any, eta: float, t: Any) -> Any:
    """ξ(t) of ξ̈ + 2η ξ̇ + η² ξ = 0."""
    return (xi + (rate + eta * xi) * t) * np.exp(-eta * t)


def share(age: Any, duration: float) -> Any:
    """s(t) = sin²(π t / (2 T)), 1 afterwards."""
    return np.where(age < duration, np.sin(0.5 * math.pi * age / duration) ** 2, 1.0)


def oscillator(x: float, v: float, mass: float, k: float, d: float, t: Any) -> Any:
    """x(t) of m ẍ + d ẋ + k x = 0, less than critically damped."""
    decay_rate = d / (2 * mass)
    omega = math.sqrt(k / mass - decay_rate**2)
    swing = x * np.cos(omega * t) + (v + decay_rate * x) / omega * np.sin(omega * t)
    return np.exp(-decay_rate * t) * swing


def sliding_speed(v: float, mass: float, friction: float, speed: float, t: Any) -> Any:
    """v(t) of m v̇ = -f tanh(v / v_f): sinh(v/v_f) dies away exponentially."""
    return speed * np.arcsinh(np.sinh(v / speed) * np.exp(-friction * t / (mass * speed)))


def spin_of_symmetric_body(w: Any, across: float, along: float, t: float) -> np.ndarray:
    """ω(t) in body axes without torque; the body is symmetric about z."""
    angle = (along - across) / across * w[2] * t
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * w[0] - s * w[1], s * w[0] + c * w[1], w[2]])


def modelica_pendulum(t: float) -> float:
    """φ of the Modelica Association's Pendulum: I φ̈ = -m g l cos φ - d φ̇."""

    def rates(_t: float, y: np.ndarray) -> list[float]:
        return [y[1], (-9.80665 * 0.5 * math.cos(y[0]) - 0.1 * y[1]) / (0.001 + 0.5**2)]

    return float(_exact(rates, t, [0.0, 0.0])[0])


def modelica_double_pendulum(t: float) -> np.ndarray:
    """φ₁, φ₂ of the Modelica Association's DoublePendulum, in absolute angles φ₁, φ₁ + φ₂."""
    g, length, arm, width = 9.80665, 0.5, 0.25, 0.06
    mass = 7700 * length * width**2
    inertia = mass / 12 * (length**2 + width**2) + mass * arm**2
    cross = mass * length * arm

    def rates(_t: float, y: np.ndarray) -> np.ndarray:
        a, b, da, db = y
        M = [
            [inertia + mass * length**2, cross * math.cos(a - b)],
            [cross * math.cos(a - b), inertia],
        ]
        swing = cross * math.sin(a - b)
        h = [
            swing * db**2 + mass * g * (arm + length) * math.cos(a) + 0.1 * da,
            -swing * da**2 + mass * g * arm * math.cos(b),
        ]
        return np.concatenate([[da, db], -np.linalg.solve(M, h)])

    a, b = _exact(rates, t, [0.0, 0.0, 0.0, 0.0])[:2]
    return np.array([a, b - a])


def _exact(rates: Any, t: float, start: list[float]) -> np.ndarray:
    return solve_ivp(rates, (0, t), start, method="DOP853", rtol=1e-13, atol=1e-13).y[:, -1]


def mover_motion(mover: Any, time: float) -> tuple[np.ndarray, ...]:
    """Pose, velocities and accelerations of a mover that stands or swings."""
    p = np.array(mover.position_m)
    a, b, c = mover.orientation_deg
    R = Rotation.from_euler("ZYX", [c, b, a], degrees=True).as_matrix()
    still = np.zeros(3)
    if mover.sine is None:
        return p, R, still, still, still, still
    along = np.array(mover.sine.direction) / np.linalg.norm(mover.sine.direction)
    turn = math.radians(mover.sine.amplitude_deg) * along
    along = mover.sine.amplitude_m * along
    omega = 2 * math.pi * mover.sine.frequency_hz
    phase = omega * time + math.radians(mover.sine.phase_deg)
    s, ds, dds = math.sin(phase), omega * math.cos(phase), -(omega**2) * math.sin(phase)
    R = Rotation.from_rotvec(s * turn).as_matrix() @ R
    return p + s * along, R, ds * along, ds * turn, dds * along, dds * turn


def momentum(cell: Cell) -> tuple[np.ndarray, np.ndarray]:
    """Momentum of the free bodies, and its moment about the world's origin."""
    bodies, state = cell.model.bodies, cell.state
    linear, angular = np.zeros(3), np.zeros(3)
    for body in np.flatnonzero(bodies.free >= 0):
        row = bodies.free[body]
        xx, yy, zz, xy, xz, yz = bodies.inertia[body]
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        R = Rotation.from_quat(np.roll(state.q_WB[row], -1)).as_matrix()
        push = bodies.mass[body] * state.v_WB[row]
        linear += push
        angular += np.cross(state.p_WB[row], push) + R @ J @ R.T @ state.w_WB[row]
    return linear, angular
