"""The whole cell as one dense system, from Pinocchio's mass matrix, Jacobians and bias.

    M a + h = τ + Jᵀ f                                  movers: their part of a is known
    (A + R) f = demanded - left alone                   A = J M⁻¹ Jᵀ over what can move
    R = (1 - s)/s A_ii  + diag(η²/k, η²/(k r²)) in a loop

`demanded` is the pair law of sim/network/pair_law.py written out once more, with rotation vectors
from scipy. Nothing here comes from sim/build or from a kernel: poses, groups, loops and movers are
worked out from the cell file alone.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from oracles import mover_motion
from scenes import Pair, Scene
from scipy.spatial.transform import Rotation

from twincell.sim.cell import Cell
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.joint import AngularJoint, FixedJoint

LEAST_SHARE = 1e-12  # of its force that a pair has in its first instant, as in softness.py
LOCAL_WORLD = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


def joint_of(kind: str, axis: Any, pitch_m: float = 0.0) -> Any:
    """A joint of Pinocchio's."""
    axis = np.array(axis) / np.linalg.norm(axis)
    if kind == "screw":
        return pin.JointModelHelicalUnaligned(*axis, pitch_m / (2 * math.pi))
    kinds = {
        "revolute": pin.JointModelRevoluteUnaligned,
        "prismatic": pin.JointModelPrismaticUnaligned,
    }
    return kinds[kind](axis)


@dataclass
class Answer:
    """Accelerations by name of body and joint, and forces by name of constrained object."""

    a: dict[str, np.ndarray]  # of the centre of mass of the rigid group, then angular
    qdd: dict[str, float]
    force: dict[str, np.ndarray]  # on the object: force, moment about its origin, world axes


def pose_of(thing: Any) -> pin.SE3:
    R = pin.rpy.rpyToMatrix(np.radians(np.array(thing.orientation_deg)))
    return pin.SE3(R, np.array(thing.position_m, dtype=float))


def cross_matrix(r: np.ndarray) -> np.ndarray:
    return pin.skew(np.asarray(r, dtype=float))


class DenseCell:
    """A cell as a Pinocchio model: movers are free-flyers whose acceleration is given."""

    def __init__(self, spec: CellSpec) -> None:
        self.spec = spec
        self.model = pin.Model()
        self.model.gravity.linear = np.array(spec.gravity_m_s2)
        self.place: dict[str, tuple[int, pin.SE3]] = {}  # joint that carries it, pose there
        self.above = {joint.child: name for name, joint in spec.joint.items()}
        for name in self._depth_first():
            self._place(name)
        self.data = self.model.createData()

    def _depth_first(self) -> list[str]:
        """Names so that a tree's joints come one after another: Pinocchio counts on it."""
        spec = self.spec
        carrier = {name: frame.on for name, frame in spec.frame.items()}
        carrier |= {joint.child: joint.parent for joint in spec.joint.values()}
        names, order = (*spec.mover, *spec.body, *spec.frame), []
        stack = [name for name in names if carrier.get(name) is None]
        while stack:
            order.append(stack.pop())
            stack += [name for name in names if carrier.get(name) == order[-1]]
        return order

    def _place(self, name: str | None) -> tuple[int, pin.SE3]:
        if name is None:
            return 0, pin.SE3.Identity()
        if name not in self.place:
            self.place[name] = self._mount(name)
            if body := self.spec.body.get(name):
                joint, pose = self.place[name]
                xx, yy, zz, xy, xz, yz = (*body.inertia_kg_m2, 0.0, 0.0, 0.0)[:6]
                J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                inertia = pin.Inertia(body.mass_kg, np.array(body.center_of_mass_m), J)
                self.model.appendBodyToJoint(joint, inertia, pose)
        return self.place[name]

    def _mount(self, name: str) -> tuple[int, pin.SE3]:
        spec, identity = self.spec, pin.SE3.Identity()
        if name in spec.frame:
            joint, pose = self._place(spec.frame[name].on)
            return joint, pose * pose_of(spec.frame[name])
        if name not in self.above:
            return self.model.addJoint(0, pin.JointModelFreeFlyer(), identity, name), identity
        item = spec.joint[self.above[name]]
        joint, pose = self._place(item.parent)
        pose = pose * pose_of(item)
        if isinstance(item, FixedJoint):
            return joint, pose
        kind = joint_of(item.type, item.axis, getattr(item, "pitch_m", 0.0))
        return self.model.addJoint(joint, kind, pose, self.above[name]), identity

    # ------------------------------------------------------------ state

    def set_state(self, scene: Scene) -> None:
        """Coordinates, velocities, and the accelerations of the movers."""
        model = self.model
        self.q, self.v = pin.neutral(model), np.zeros(model.nv)
        self.known = np.zeros(model.nv)
        self.moves = np.ones(model.nv, dtype=bool)
        self.scene, time = scene, scene.tick * self.spec.step_s
        for name, body in scene.free.items():
            self._set_free(name, body.p, body.R, body.v, body.w)
        for name, mover in self.spec.mover.items():
            p, R, v, w, a, alpha = mover_motion(mover, time)
            at = self._set_free(name, p, R, v, w)
            self.moves[at : at + 6] = False
            self.known[at : at + 6] = np.r_[R.T @ (a - np.cross(w, v)), R.T @ alpha]
        for name in scene.q:
            joint = model.joints[model.getJointId(name)]
            self.q[joint.idx_q], self.v[joint.idx_v] = scene.q[name], scene.qd[name]
        pin.computeJointJacobians(model, self.data, self.q)
        pin.forwardKinematics(model, self.data, self.q, self.v, np.zeros(model.nv))

    def _set_free(self, name: str, p: Any, R: Any, v: Any, w: Any) -> int:
        joint = self.model.joints[self.model.getJointId(name)]
        self.q[joint.idx_q : joint.idx_q + 7] = np.r_[p, Rotation.from_matrix(R).as_quat()]
        self.v[joint.idx_v : joint.idx_v + 6] = np.r_[R.T @ v, R.T @ w]
        return int(joint.idx_v)

    def write_state(self, cell: Cell) -> None:
        """Put the same state into the engine: it keeps centres of mass."""
        compiled, state, scene = cell.compiled, cell.state, self.scene
        state.tick[0] = scene.tick
        for name, body in scene.free.items():
            row = compiled.model.bodies.free[compiled.body_names.index(name)]
            arm = body.R @ self.model.inertias[self.place[name][0]].lever
            state.p_WB[row] = body.p + arm
            state.q_WB[row] = np.roll(Rotation.from_matrix(body.R).as_quat(), 1)
            state.v_WB[row] = body.v + np.cross(body.w, arm)
            state.w_WB[row] = body.w
        for k, name in enumerate(compiled.joint_names):
            state.q[k], state.qd[k] = scene.q[name], scene.qd[name]
        for pair in scene.pairs:
            k = list(self.spec.constrained_object).index(pair.this)
            state.partner[k] = list(self.spec.collision_object).index(pair.partner)
            if pair.age is not None:
                state.caught[k] = scene.tick - pair.age
            joint, _ = self._partner_frame(pair)
            state.p_BT[k] = pair.p_BT - self._center(joint)
            state.q_BT[k] = np.roll(Rotation.from_matrix(pair.R_BT).as_quat(), 1)

    def _center(self, joint: int) -> np.ndarray:
        if joint == 0 or self.model.names[joint] in self.spec.mover:
            return np.zeros(3)
        return self.model.inertias[joint].lever

    def aim(self, rng: np.random.Generator, pair: Pair, distance: float, turn: float) -> None:
        """Choose the pair's target so that its error is about so large."""
        _, here = self._object_frame(pair)
        joint, _ = self._partner_frame(pair)
        turned = Rotation.from_rotvec(turn * rng.uniform(-1, 1, 3) / math.sqrt(3)).as_matrix()
        target = pin.SE3(turned @ here.rotation, here.translation + distance * rng.normal(size=3))
        on_partner = self.data.oMi[joint].actInv(target)
        pair.p_BT, pair.R_BT = on_partner.translation, on_partner.rotation

    # ------------------------------------------------------------ pairs

    def _object_frame(self, pair: Pair) -> tuple[int, pin.SE3]:
        joint, pose = self.place[self.spec.constrained_object[pair.this].on]
        return joint, self.data.oMi[joint] * pose

    def _partner_frame(self, pair: Pair) -> tuple[int, pin.SE3]:
        joint, pose = self.place[self.spec.collision_object[pair.partner].on]
        return joint, self.data.oMi[joint] * pose

    def _point(self, joint: int, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Jacobian, velocity and classical acceleration of a joint's body at a point p_W."""
        if joint == 0:
            return np.zeros((6, self.model.nv)), np.zeros(6), np.zeros(6)
        r = p - self.data.oMi[joint].translation
        J = pin.getJointJacobian(self.model, self.data, joint, LOCAL_WORLD).copy()
        J[:3] -= cross_matrix(r) @ J[3:]
        at = pin.getClassicalAcceleration(self.model, self.data, joint, LOCAL_WORLD)
        v = J @ self.v
        linear = at.linear + np.cross(at.angular, r) + np.cross(v[3:], np.cross(v[3:], r))
        return J, v, np.r_[linear, at.angular]

    def _pair_rows(self, pair: Pair) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian of the relative acceleration at the object, and demanded less drift."""
        eta = self.spec.constrained_object[pair.this].eta
        joint, here = self._object_frame(pair)
        J_s, v_s, a_s = self._point(joint, here.translation)
        holder, _ = self._partner_frame(pair)
        J_c, v_c, a_c = self._point(holder, here.translation)
        target = self.data.oMi[holder] * pin.SE3(pair.R_BT, pair.p_BT)
        turn = Rotation.from_matrix(target.rotation @ here.rotation.T).as_rotvec()
        xi = np.r_[target.translation - here.translation, turn]
        rate, w_c = v_s - v_c, v_c[3:]
        coriolis = np.r_[2 * np.cross(w_c, rate[:3]), np.cross(w_c, rate[3:])]
        demanded = coriolis - 2 * eta * rate + eta**2 * xi
        return J_s - J_c, demanded - (a_s - a_c)

    def _in_loop(self) -> set[str]:
        """Objects of pairs whose island has more pairs than it needs, by counting."""
        trees = {}
        for joint in range(1, self.model.njoints):
            above = self.model.parents[joint]
            driven = above == 0 or self.model.names[above] in self.spec.mover
            trees[joint] = joint if driven else trees[above]
        movers = {self.model.getJointId(name) for name in self.spec.mover}
        island = {t: t for t in trees.values() if t not in movers}

        def find(x: int) -> int:
            while island[x] != x:
                x = island[x]
            return x

        ends = {}
        for pair in self.scene.pairs:
            holder = self._partner_frame(pair)[0]
            a = trees[self._object_frame(pair)[0]]
            b = None if holder == 0 or holder in movers else trees[holder]
            ends[pair.this] = (a, b)
            if b is not None:
                island[find(a)] = find(b)
        free = {self.model.getJointId(name) for name in self.scene.free}
        excess = dict.fromkeys(map(find, island), 0)
        touches_ground = dict.fromkeys(excess, False)
        for a, b in ends.values():
            excess[find(a)] += 1
            touches_ground[find(a)] |= b is None
        for tree in island:
            excess[find(tree)] -= tree in free
            touches_ground[find(tree)] |= tree not in free
        # a floating island of n free trees needs n - 1 pairs, a grounded one n
        return {
            this
            for this, (a, _) in ends.items()
            if excess[find(a)] + (not touches_ground[find(a)]) > 0
        }

    # ------------------------------------------------------------ the answer

    def _efforts(self) -> np.ndarray:
        tau = np.zeros(self.model.nv)
        for name in self.scene.q:
            j, q, qd = self.spec.joint[name], self.scene.q[name], self.scene.qd[name]
            if isinstance(j, AngularJoint):
                k, rest, d = j.stiffness_nm_rad, math.radians(j.rest_deg), j.damping_nms_rad
                dry, speed = j.friction_nm, math.radians(j.friction_speed_deg_s)
            else:
                k, rest, d = j.stiffness_n_m, j.rest_m, j.damping_ns_m
                dry, speed = j.friction_n, j.friction_speed_m_s
            at = self.model.joints[self.model.getJointId(name)].idx_v
            tau[at] = -k * (q - rest) - d * qd - dry * math.tanh(qd / speed)
        return tau

    def solve(self) -> Answer:
        """Accelerations and forces of the state that was set."""
        model, data, m = self.model, self.data, self.moves
        M = np.triu(pin.crba(model, model.createData(), self.q))
        M = M + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, model.createData(), self.q, self.v)
        pushed = (self._efforts() - h - M @ self.known)[m]
        a = self.known.copy()
        a[m] = np.linalg.solve(M[np.ix_(m, m)], pushed)

        pairs, forces = self.scene.pairs, np.zeros(0)
        if pairs:
            rows = [self._pair_rows(pair) for pair in pairs]
            J = np.vstack([r[0] for r in rows])
            right = np.concatenate([r[1] for r in rows]) - J @ a
            A = J[:, m] @ np.linalg.solve(M[np.ix_(m, m)], J[:, m].T)
            forces = np.linalg.solve(A + self._softness(A), right)
            a[m] += np.linalg.solve(M[np.ix_(m, m)], J[:, m].T @ forces)

        pin.forwardKinematics(model, data, self.q, self.v, a)
        bodies = {}
        for name in self.spec.body:
            joint = self.place[name][0]
            p = data.oMi[joint].act(self._center(joint))
            bodies[name] = self._point(joint, p)[2]
        qdd = {n: float(a[model.joints[model.getJointId(n)].idx_v]) for n in self.scene.q}
        return Answer(bodies, qdd, {p.this: forces[6 * k :][:6] for k, p in enumerate(pairs)})

    def _softness(self, A: np.ndarray) -> np.ndarray:
        R, in_loop = np.zeros_like(A), self._in_loop()
        for k, pair in enumerate(self.scene.pairs):
            own, item = slice(6 * k, 6 * k + 6), self.spec.constrained_object[pair.this]
            if pair.age is not None:
                s = math.sin(math.pi / 2 * pair.age * self.spec.step_s / item.transition_s) ** 2
                s = max(s, LEAST_SHARE)
                R[own, own] += (1 - s) / s * A[own, own]
            if pair.this in in_loop:
                grip = item.eta**2 / item.grip_stiffness_n_m
                R[own, own] += np.diag([grip] * 3 + [grip / item.radius_m**2] * 3)
        return R
