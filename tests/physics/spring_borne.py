"""The spring-borne cell of the paper, §5.2, once as a cell and once as a planar model of its own.

The model moves in the x-z plane with four coordinates y = (x, z, θ, φ): the carrier's centre of
mass and turn about y, and the hinge's angle. While it is held by a force f = (F_x, F_z, N) at the
object, with the transition's share s:

    M ÿ = g(y, ẏ) + Jᵀ f         f = s (J M⁻¹ Jᵀ)⁻¹ (demanded - J M⁻¹ g - J̇ ẏ)
    demanded = η² ξ - 2η J ẏ      ξ = the pose at the catch less the pose now

scipy integrates it from event to event; a catch takes effect on the tick that first sees it.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

STEP, GRAVITY = 0.001, 9.81
CARRIER, WEIGHT = 2.0, 1.0  # masses
TURN_CARRIER, TURN_WEIGHT = 0.05, 0.02  # inertias about y
GRASP = np.array([-0.03, 0.08])  # object, seen from the carrier's centre of mass, x and z
HINGE = np.array([0.06, -0.1])  # hinge, likewise
HANGS = np.array([0.15, -0.05])  # weight's centre of mass, seen from the hinge
SPRING, DAMPER, REST, START = 8.0, 0.15, 0.2, -0.3
RADIUS, TRANSITION, RELEASE = 0.1, 0.5, 1.5
HIGH, LOW, FLOOR = 0.0, -1.0, -1.45  # of the three partners
OPENS = (1.0, 2.0, 2.5)  # when they let go


def tables(eta: float) -> dict[str, Any]:
    """The cell."""
    at = [-GRASP[0], 0.02, HIGH - GRASP[1]]
    ball = {"mode": "control", "closed": True, "sphere": {"radius_m": RADIUS}}
    plate = {"mode": "control", "closed": True, "rectangle": {"length_m": 2.0, "width_m": 2.0}}
    return {
        "step_s": STEP,
        "gravity_m_s2": [0, 0, -GRAVITY],
        "frame": {
            "High": {"position_m": [0, 0, HIGH]},
            "Low": {"position_m": [0, 0, LOW]},
            "Floor": {"position_m": [0, 0, FLOOR]},
            "Grasp": {"on": "Carrier", "position_m": [GRASP[0], 0, GRASP[1]]},
        },
        "body": {
            "Carrier": {
                "mass_kg": CARRIER,
                "inertia_kg_m2": [0.06, TURN_CARRIER, 0.04],
                "position_m": at,
            },
            "Weight": {
                "mass_kg": WEIGHT,
                "inertia_kg_m2": [0.03, TURN_WEIGHT, 0.025],
                "center_of_mass_m": [HANGS[0], 0, HANGS[1]],
            },
        },
        "joint": {
            "Hinge": {
                "type": "revolute",
                "parent": "Carrier",
                "child": "Weight",
                "axis": [0, 1, 0],
                "position_m": [HINGE[0], 0, HINGE[1]],
                "stiffness_nm_rad": SPRING,
                "damping_nms_rad": DAMPER,
                "rest_deg": math.degrees(REST),
                "start_deg": math.degrees(START),
            }
        },
        "collision_object": {
            "Hook1": {"on": "High", **ball},
            "Hook2": {"on": "Low", **ball},
            "Table": {"on": "Floor", **plate},
        },
        "constrained_object": {
            "Object": {
                "on": "Grasp",
                "radius_m": RADIUS,
                "eta": eta,
                "transition": True,
                "transition_s": TRANSITION,
                "offset": True,
                "release_factor": RELEASE,
            }
        },
        "timeline": [
            {"at_s": t, "set": {f"{name}.Closed": False}}
            for t, name in zip(OPENS, ("Hook1", "Hook2", "Table"), strict=True)
        ],
    }


@dataclass
class Catch:
    """Who holds the object since when, and where it was then."""

    name: str
    since: float  # -inf: held all along
    pose: np.ndarray  # x, z, θ of the object


def turn(angle: float, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A vector of a body turned about y, and its derivative by the angle."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * r[0] + s * r[1], c * r[1] - s * r[0]]), np.array(
        [c * r[1] - s * r[0], -c * r[0] - s * r[1]]
    )


def object_pose(y: np.ndarray) -> np.ndarray:
    return np.append(y[:2] + turn(y[2], GRASP)[0], y[2])


class Planar:
    """The independent model."""

    def __init__(self, eta: float) -> None:
        self.eta = eta

    def rates(self, t: float, state: np.ndarray, held: Catch | None) -> np.ndarray:
        y, dy = state[:4], state[4:]
        theta, phi = y[2:]
        dtheta, dboth = dy[2], dy[2] + dy[3]
        arm, d_arm = turn(theta, HINGE)
        hang, d_hang = turn(theta + phi, HANGS)

        # weight's centre of mass: its Jacobian, and its acceleration when ÿ = 0
        J = np.zeros((2, 4))
        J[:, :2] = np.eye(2)
        J[:, 2], J[:, 3] = d_arm + d_hang, d_hang
        drift = -(dtheta**2) * arm - dboth**2 * hang
        spin = np.array([0, 0, 1.0, 1.0])
        M = np.diag([CARRIER, CARRIER, TURN_CARRIER, 0.0]) + WEIGHT * J.T @ J
        M += TURN_WEIGHT * np.outer(spin, spin)
        g = -WEIGHT * J.T @ (drift + np.array([0, GRAVITY]))
        g[1] -= CARRIER * GRAVITY
        g[3] -= SPRING * (phi - REST) + DAMPER * dy[3]
        ddy = np.linalg.solve(M, g)
        if held is not None:
            ddy += np.linalg.solve(M, self._pull(t, y, dy, ddy, M, held))
        return np.concatenate([dy, ddy])

    def _pull(self, t, y, dy, alone, M, held) -> np.ndarray:
        out, d_out = turn(y[2], GRASP)
        J = np.zeros((3, 4))
        J[:, :3] = np.eye(3)
        J[:2, 2] = d_out
        drift = np.append(-(dy[2] ** 2) * out, 0.0)
        wanted = self.eta**2 * (held.pose - object_pose(y)) - 2 * self.eta * J @ dy
        age = t - held.since
        s = 1.0 if age >= TRANSITION else math.sin(0.5 * math.pi * age / TRANSITION) ** 2
        A = J @ np.linalg.solve(M, J.T)
        return s * J.T @ np.linalg.solve(A, wanted - J @ alone - drift)

    def run(self, duration: float) -> tuple[np.ndarray, list[Catch | None]]:
        """States at all ticks, and who held the object from one event to the next."""
        n = round(duration / STEP)
        states = np.zeros((n + 1, 8))
        states[0, :4] = [-GRASP[0], HIGH - GRASP[1], 0, START]
        held: Catch | None = Catch("Hook1", -math.inf, object_pose(states[0]))
        story, tick = [held], 0
        stops = [round(t / STEP) for t in OPENS]
        while tick < n:
            end = min([s for s in stops if s > tick] + [n])
            if held and math.isfinite(held.since):
                over = round((held.since + TRANSITION) / STEP)
                end = min(end, over) if over > tick else end
            end = self._advance(states, tick, end, held)
            tick, before = end, held
            held = self._decide(tick, states[tick], held)
            if held is not before:
                story.append(held)
        return states, story

    def _advance(self, states: np.ndarray, tick: int, end: int, held: Catch | None) -> int:
        """Integrate to a tick, or to the first one that sees a partner touched."""
        kwargs = {"method": "DOP853", "rtol": 1e-11, "atol": 1e-12}
        events = [] if held else [_touch(name) for name in _closed(tick)]
        times = np.arange(tick, end + 1) * STEP
        found = solve_ivp(
            self.rates,
            (times[0], times[-1]),
            states[tick],
            t_eval=times,
            events=events or None,
            args=(held,),
            **kwargs,
        )
        touched = [t for ts in found.t_events or [] for t in ts]
        states[tick : end + 1] = found.y.T
        return math.floor(min(touched) / STEP) + 1 if touched else end

    def _decide(self, tick: int, state: np.ndarray, held: Catch | None) -> Catch | None:
        """Who holds the object from this tick on."""
        pose, closed = object_pose(state), _closed(tick)
        if held and held.name in closed:
            fresh = tick * STEP < held.since + TRANSITION - STEP / 2
            if fresh or _apart(held.name, pose) < RELEASE:
                return held
        for name in closed:
            if _apart(name, pose) < 1:
                return Catch(name, tick * STEP, pose)
        return None


def _apart(name: str, pose: np.ndarray) -> float:
    """Distance from a partner, in catch distances."""
    if name == "Table":
        return max(abs(pose[1] - FLOOR) / RADIUS, abs(pose[0]) / 1.0)
    height = HIGH if name == "Hook1" else LOW
    return math.hypot(pose[0], 0.02, pose[1] - height) / (2 * RADIUS)


def _closed(tick: int) -> list[str]:
    """Partners that have not let go yet."""
    names = ("Hook1", "Hook2", "Table")
    return [n for n, t in zip(names, OPENS, strict=True) if tick < round(t / STEP)]


def _touch(name: str) -> Any:
    """What falls through zero when a partner is touched."""

    def event(_t: float, state: np.ndarray, _held: Catch | None) -> float:
        return _apart(name, object_pose(state)) - 1

    event.direction = -1
    return event
