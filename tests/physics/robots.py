"""Robots for the physics tests: shipped ones and random ones, each with its twin in Pinocchio.

A URDF file is read by Pinocchio itself; of a TOML file the twin is built joint by joint. The
engine counts axes from the root outwards, Pinocchio in an order of its own: a twin takes and gives
numbers in the engine's order.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
from dense_oracle import LOCAL_WORLD, joint_of
from scenes import cell_of, random_body, toml

from twincell.sim.cell import Cell
from twincell.sim.motion.targets import MOVE
from twincell.sim.spec.robot_files import load_model
from twincell.sim.spec.robot_model import RobotModel

SHIPPED = Path(__file__).parents[2] / "config" / "robots"
SHIPPED_ROBOTS = ("arm6.urdf", "gantry.toml", "scara.toml")

FRICTION_SPEED = 0.05  # [rad/s, m/s] at which dry friction has reached tanh 1, as in the engine
ARM6_GEARS = [12.0, 12.0, 6.0, 0.6, 0.5, 0.3]  # [kg m²], of a drive train that weighs like the arm
ARM6_POSE = [0.0, -20.0, 40.0, 0.0, 70.0, 0.0]  # [deg]: bent, the flange looks down


# ---------------------------------------------------------------- the twin


@dataclass
class Twin:
    """A robot as Pinocchio sees it, where and as the cell mounts it."""

    model: RobotModel
    pin: pin.Model
    tcp_frame: int
    at: np.ndarray  # Pinocchio's place of each axis

    @property
    def n(self) -> int:
        return len(self.at)

    @property
    def gear(self) -> np.ndarray:
        return np.array(self.pin.armature)[self.at]

    def limits(self) -> tuple[np.ndarray, np.ndarray]:
        axes = self.model.axes
        return np.array([a.lower for a in axes]), np.array([a.upper for a in axes])

    def losses(self, qd: np.ndarray) -> np.ndarray:
        """What friction takes from a drive."""
        damping = np.array([a.damping for a in self.model.axes])
        friction = np.array([a.friction for a in self.model.axes])
        return damping * qd + friction * np.tanh(qd / FRICTION_SPEED)

    def effort(self, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
        """Inverse dynamics with gears, without friction."""
        data = self.pin.createData()
        return np.array(pin.rnea(self.pin, data, *map(self._theirs, (q, qd, qdd))))[self.at]

    def acceleration(self, q: np.ndarray, qd: np.ndarray, effort: np.ndarray) -> np.ndarray:
        """Forward dynamics with gears, without friction."""
        data = self.pin.createData()
        return np.array(pin.aba(self.pin, data, *map(self._theirs, (q, qd, effort))))[self.at]

    def mass_matrix(self, q: np.ndarray) -> np.ndarray:
        """With gears on its diagonal."""
        M = np.triu(pin.crba(self.pin, self.pin.createData(), self._theirs(q)))
        return (M + np.triu(M, 1).T)[np.ix_(self.at, self.at)]

    def tcp(self, q: np.ndarray) -> pin.SE3:
        """Pose of the tool centre point."""
        data = self.pin.createData()
        pin.framesForwardKinematics(self.pin, data, self._theirs(q))
        return data.oMf[self.tcp_frame].copy()

    def jacobian(self, q: np.ndarray, p: np.ndarray | None = None) -> np.ndarray:
        """Linear and angular velocity of the tip, at its tool centre point or at p_W."""
        data = self.pin.createData()
        J = pin.computeFrameJacobian(
            self.pin, data, self._theirs(q), self.tcp_frame, LOCAL_WORLD
        ).copy()
        if p is not None:
            J[:3] -= pin.skew(p - self.tcp(q).translation) @ J[3:]
        return J.reshape(6, self.n)[:, self.at]  # of a single axis it is flat

    def energy(self, q: np.ndarray, qd: np.ndarray) -> float:
        """Kinetic energy, with gears, and potential energy."""
        fall = pin.computePotentialEnergy(self.pin, self.pin.createData(), self._theirs(q))
        return float(0.5 * qd @ self.mass_matrix(q) @ qd + fall)

    def _theirs(self, x: np.ndarray) -> np.ndarray:
        theirs = np.zeros(self.n)
        theirs[self.at] = x
        return theirs


def twin_of(table: dict[str, Any], gravity: Any = (0.0, 0.0, -9.81)) -> Twin:
    """The twin of a robot as a cell file's table mounts it."""
    model = load_model(table["model"])
    if table["model"].endswith(".urdf"):
        twin = pin.buildModelFromUrdf(table["model"])
    else:
        twin = _built(model)
    base = _pose(table, "position_m", "orientation_deg")
    for joint in range(1, twin.njoints):
        if twin.parents[joint] == 0:
            twin.jointPlacements[joint] = base * twin.jointPlacements[joint]
    twin.gravity.linear = np.array(gravity, dtype=float)
    tip = twin.frames[twin.getFrameId(table.get("tip") or model.ends[0])]
    tcp = tip.placement * _pose(table, "tcp_position_m", "tcp_orientation_deg")
    frame = twin.addFrame(pin.Frame("tcp", tip.parentJoint, 0, tcp, pin.FrameType.OP_FRAME))
    at = np.array([twin.joints[twin.getJointId(a.name)].idx_v for a in model.axes])
    given = {"deg": iter(table.get("gear_inertia_kg_m2", []))}
    given["m"] = iter(table.get("gear_mass_kg", []))
    twin.armature[at] = [next(given[a.file_unit], a.gear) for a in model.axes]
    return Twin(model, twin, frame, at)


def _pose(table: dict[str, Any], position: str, angles: str) -> pin.SE3:
    R = pin.rpy.rpyToMatrix(np.radians(np.array(table.get(angles, (0, 0, 0)), dtype=float)))
    return pin.SE3(R, np.array(table.get(position, (0, 0, 0)), dtype=float))


def _built(model: RobotModel) -> pin.Model:
    """A Pinocchio model from the tables of a TOML file."""
    twin = pin.Model()
    place = {model.root: (0, pin.SE3.Identity())}
    for joint in model.joints.values():
        carrier, pose = place[joint.parent]
        pose = pose * pin.SE3(pin.rpy.rpyToMatrix(*joint.angles), np.array(joint.position))
        if joint.moves:
            kind = joint_of(joint.type, joint.axis, *joint.sizes)
            carrier, pose = twin.addJoint(carrier, kind, pose, joint.name), pin.SE3.Identity()
        place[joint.child] = carrier, pose
        frame = pin.Frame(joint.child, carrier, 0, pose, pin.FrameType.BODY)
        twin.addFrame(frame)
        if inertial := model.links[joint.child].inertial:
            xx, yy, zz, xy, xz, yz = inertial.inertia
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            inertia = pin.Inertia(inertial.mass, np.array(inertial.center), J)
            twin.appendBodyToJoint(carrier, inertia, pose)
    return twin


# ---------------------------------------------------------------- tables of a cell


def arm6(**keys: Any) -> dict[str, Any]:
    """The table of a six-axis arm that stands bent over."""
    table = {"start_deg": ARM6_POSE, "gear_inertia_kg_m2": ARM6_GEARS}
    return {"model": str(SHIPPED / "arm6.urdf"), **table, **keys}


def random_robot(rng: np.random.Generator, folder: Path, n_axis: int) -> dict[str, Any]:
    """The table of a robot of hinges and slides, with branches, written as URDF into a folder."""
    links, joints = ['<link name="L0"/>'], []
    for k in range(1, n_axis + 1):
        parent = k - 1 if rng.random() < 0.7 else int(rng.integers(0, k))
        kind = str(rng.choice(["revolute", "prismatic"], p=[0.65, 0.35]))
        links.append(_urdf_link(f"L{k}", random_body(rng)))
        joints.append(_urdf_joint(rng, f"J{k}", kind, f"L{parent}", f"L{k}"))
    # something with a mass of its own, fixed to the last link, carries the tool centre point
    links.append(_urdf_link("Hand", random_body(rng)))
    joints.append(_urdf_joint(rng, "Wrist", "fixed", f"L{n_axis}", "Hand"))
    file = folder / "random.urdf"
    file.write_text('<robot name="random">\n' + "\n".join(links + joints) + "\n</robot>\n")
    table = {
        "model": str(file),
        "tip": "Hand",
        "position_m": rng.uniform(-1, 1, 3),
        "orientation_deg": rng.uniform(-80, 80, 3),
        "tcp_position_m": rng.uniform(-0.3, 0.3, 3),
        "tcp_orientation_deg": rng.uniform(-80, 80, 3),
    }
    kinds = [axis.type for axis in load_model(file).axes]
    if n_hinge := kinds.count("revolute"):
        table["gear_inertia_kg_m2"] = rng.choice([0.0, 0.05, 0.5], n_hinge)  # a third without
    if n_slide := kinds.count("prismatic"):
        table["gear_mass_kg"] = rng.choice([0.0, 0.5, 5.0], n_slide)
    return table


def _urdf_link(name: str, body: dict[str, Any]) -> str:
    xx, yy, zz, xy, xz, yz = map(repr, map(float, body["inertia_kg_m2"]))
    center = " ".join(repr(float(x)) for x in body["center_of_mass_m"])
    return (
        f'<link name="{name}"><inertial><origin xyz="{center}"/>'
        f'<mass value="{float(body["mass_kg"])!r}"/>'
        f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{xy}" ixz="{xz}" iyz="{yz}"/>'
        "</inertial></link>"
    )


def _urdf_joint(rng: np.random.Generator, name: str, kind: str, parent: str, child: str) -> str:
    def numbers(low: float, high: float) -> str:
        return " ".join(repr(float(x)) for x in rng.uniform(low, high, 3))

    axis = rng.normal(size=3)
    axis = " ".join(repr(float(x)) for x in axis / np.linalg.norm(axis))
    damping, friction = rng.uniform(0, 0.5, 2)
    moving = (
        f'<axis xyz="{axis}"/><limit lower="-3" upper="3" effort="1e4" velocity="10"/>'
        f'<dynamics damping="{float(damping)!r}" friction="{float(friction)!r}"/>'
    )
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{numbers(-0.5, 0.5)}" rpy="{numbers(-1.4, 1.4)}"/>'
        f"{'' if kind == 'fixed' else moving}</joint>"
    )


def servo_gains(twin: Twin, stiffness: np.ndarray, damping: np.ndarray) -> dict[str, Any]:
    """Gains of all axes as a cell file lists them: by the unit of their positions."""
    angle = np.array([axis.file_unit == "deg" for axis in twin.model.axes])
    table: dict[str, Any] = {}
    if angle.any():
        table |= {"stiffness_nm_rad": stiffness[angle], "damping_nms_rad": damping[angle]}
    if not angle.all():
        table |= {"stiffness_n_m": stiffness[~angle], "damping_ns_m": damping[~angle]}
    return table


def write_model(file: Path, **tables: Any) -> str:
    """Write a robot's model file in TOML; its name, for the table of a cell."""
    tables = {"name": "test", **tables}
    file.write_text("\n".join(f"{key} = {toml(value)}" for key, value in tables.items()))
    return str(file)


# ---------------------------------------------------------------- states of a cell


def look_at(
    robot: dict[str, Any], tables: dict[str, Any] | None = None, **state: np.ndarray
) -> Cell:
    """Evaluate one tick of a robot R in a state: q, qd, and its target: aim, aim_qd, aim_qdd.

    One stage, so that scratch holds the evaluation at t_n; a short one, so that nothing that a
    state may need is too stiff.
    """
    cell = cell_of(integrator="semi_implicit", step_s=1e-4, robot={"R": robot}, **(tables or {}))
    set_motion(cell, **state)
    assert len(cell.run(1)) == 1 and cell.fault is None
    return cell


def set_motion(cell: Cell, robot: int = 0, **state: np.ndarray) -> None:
    """Put a robot into a state; its target goes through one point as a parabola in time."""
    now, robots = cell.state, cell.model.robots
    own = slice(int(robots.first[robot]), int(robots.end[robot]))
    joints = cell.model.axes.joint[own]
    q, still = state.get("q", now.q[joints]), np.zeros(len(joints))
    now.q[joints], now.qd[joints] = q, state.get("qd", still)
    now.robots.pieces[own, 0, 0] = state.get("aim", q)
    now.robots.pieces[own, 0, 1] = state.get("aim_qd", still)
    now.robots.pieces[own, 0, 2] = state.get("aim_qdd", still) / 2
    now.robots.knots[robot, :2] = 0.0, 1e3
    now.robots.law[robot, 0] = 0.0, 0.0, 1.0, 0.0, 0.0  # s is the time
    now.robots.law[robot, 1] = 1e3, 1e3, 0.0, 0.0, 0.0
    now.robots.n_piece[robot], now.robots.n_law[robot] = 1, 2
    now.robots.began[robot], now.robots.mode[robot] = now.tick[0], MOVE


def signal_of_axes(cell: Cell, name: str) -> np.ndarray:
    """A signal of all axes of a robot, such as R.JointTorque."""
    robot = cell.spec.robot_models[name.partition(".")[0]]
    return np.array([cell[f"{name}.{k + 1}"] for k in range(len(robot.axes))])
