"""Robots that hold things, against one dense system from Pinocchio.

The dense system knows no robots: here a servo is written as a spring and a damper in a joint, an
ideal drive as an acceleration that is known, a gear as inertia on the diagonal of the mass matrix.
"""

import math

import numpy as np
import pinocchio as pin
import pytest
from comparison import EXACT, assert_same
from dense_oracle import LOCAL_WORLD, DenseCell
from pytest import approx
from robots import FRICTION_SPEED, arm6, random_robot, servo_gains, set_motion, twin_of
from scenes import add_pair, random_body, random_mover, spec_of, with_random_motion

from twincell.sim.cell import Cell
from twincell.sim.spec.cell import Body, Frame
from twincell.sim.spec.joint import FixedJoint, PrismaticJoint, RevoluteJoint

AGES = [None, 200, 900]  # ticks since the catch, of a transition of 2000


class Arm:
    """A robot of a cell, in a state."""

    def __init__(self, rng, table, drive="servo"):
        self.twin = twin_of(table)
        n = self.twin.n
        lower, upper = self.twin.limits()
        self.q = lower + rng.uniform(0.2, 0.8, n) * (upper - lower)
        self.qd, self.qdd = rng.uniform(-2, 2, n), rng.uniform(-5, 5, n)
        self.aim = self.q + rng.uniform(-0.3, 0.3, n)
        self.k, self.d = rng.uniform(10, 60, n), rng.uniform(0, 2, n)
        self.ideal = drive == "ideal"
        servo = {**servo_gains(self.twin, self.k, self.d), "feed_forward": False}
        self.table = {**table, "drive": drive, "servo": servo}

    def state(self):
        if self.ideal:
            return {"q": self.q, "aim": self.q, "aim_qd": self.qd, "aim_qdd": self.qdd}
        return {"q": self.q, "qd": self.qd, "aim": self.aim}

    def parts(self, name):
        """Its bodies, joints and frames, as a cell without robots has them."""
        model, body, joint, frame = self.twin.model, {}, {}, {}
        base = ("on", "position_m", "orientation_deg")
        frame[f"{name}.{model.root}"] = {k: self.table[k] for k in base if k in self.table}
        number = {axis.name: k for k, axis in enumerate(model.axes)}
        for inner in model.joints.values():
            parent, child = f"{name}.{inner.parent}", f"{name}.{inner.child}"
            place = {"position_m": inner.position, "orientation_deg": np.degrees(inner.angles)}
            inertial = model.links[inner.child].inertial
            if inertial is None:
                frame[child] = {"on": parent, **place}
                continue
            body[child] = Body.model_construct(
                mass_kg=inertial.mass,
                inertia_kg_m2=inertial.inertia,
                center_of_mass_m=inertial.center,
            )
            place |= {"parent": parent, "child": child, "type": inner.type}
            k = number.get(inner.name)
            joint[f"{name}.{inner.name}"] = self._joint(place, inner, k)
        tip = self.table.get("tip") or model.ends[0]
        place = {part: self.table.get(f"tcp_{part}", (0, 0, 0)) for part in base[1:]}
        frame[name] = {"on": f"{name}.{tip}", **place}
        return body, joint, {key: Frame.model_construct(**f) for key, f in frame.items()}

    def _joint(self, place, inner, k):
        if k is None:
            return FixedJoint.model_construct(**place)
        stiffness, damping = (0, 0) if self.ideal else (self.k[k], self.d[k])
        damping, speed = damping + inner.damping, FRICTION_SPEED
        if inner.type == "prismatic":
            spring = {"stiffness_n_m": stiffness, "rest_m": self.aim[k]}
            loss = {"damping_ns_m": damping, "friction_n": inner.friction}
            dry = {"friction_speed_m_s": speed}
            return PrismaticJoint.model_construct(**place, axis=inner.axis, **spring, **loss, **dry)
        spring = {"stiffness_nm_rad": stiffness, "rest_deg": math.degrees(self.aim[k])}
        loss = {"damping_nms_rad": damping, "friction_nm": inner.friction}
        dry = {"friction_speed_deg_s": math.degrees(speed)}
        return RevoluteJoint.model_construct(**place, axis=inner.axis, **spring, **loss, **dry)


def cell_and_dense(rng, arms, held, loose=()):
    """The same state of robots R0, R1, ... in both.

    `held` says by whom each body is held, and since when; `loose` are bodies that nobody holds.
    """
    tables = {
        "integrator": "semi_implicit",  # one stage: scratch holds the evaluation at t_n
        "step_s": 1e-4,  # links without gears are light
        "body": {name: random_body(rng) for name in (*(h[0] for h in held), *loose)},
        "mover": {"M0": random_mover(rng)},
        "frame": {},
        "collision_object": {},
        "constrained_object": {},
    }
    scene = with_random_motion(rng, tables)
    for body, holder, age in held:
        add_pair(rng, scene, body, holder, age, grip_stiffness_n_m=10 ** rng.uniform(4, 6))
    named = {f"R{k}": arm for k, arm in enumerate(arms)}
    spec = spec_of(**tables, robot={name: arm.table for name, arm in named.items()})
    body, joint, frame = dict(spec.body), {}, dict(spec.frame)
    for name, arm in named.items():
        for own, added in zip((body, joint, frame), arm.parts(name), strict=True):
            own.update(added)
        for k, axis in enumerate(arm.twin.model.axes):
            scene.q[f"{name}.{axis.name}"] = float(arm.q[k])
            scene.qd[f"{name}.{axis.name}"] = float(arm.qd[k])
    dense = DenseCell(spec.model_copy(update={"body": body, "joint": joint, "frame": frame}))
    for name, arm in named.items():
        dense.model.armature[places(dense, name, arm)] = arm.twin.gear
    dense.set_state(scene)
    for name, arm in named.items():
        if arm.ideal:
            dense.moves[places(dense, name, arm)] = False
            dense.known[places(dense, name, arm)] = arm.qdd
    for pair in scene.pairs:
        dense.aim(rng, pair, distance=0.1, turn=2.0)
    cell = Cell(spec)
    dense.write_state(cell)
    for k, arm in enumerate(arms):
        set_motion(cell, k, **arm.state())
    assert len(cell.run(1)) == 1 and cell.fault is None
    return cell, dense.solve(), dense


def places(dense, name, arm):
    """Where the dense system has the axes of a robot."""
    ids = [dense.model.getJointId(f"{name}.{axis.name}") for axis in arm.twin.model.axes]
    return np.array([dense.model.joints[k].idx_v for k in ids])


def random_arm(rng, folder, drive, **keys):
    (folder := folder / str(rng.integers(1 << 30))).mkdir()
    return Arm(rng, {**random_robot(rng, folder, int(rng.integers(1, 8))), **keys}, drive)


@pytest.mark.parametrize("drive", ["servo", "ideal"])
@pytest.mark.parametrize("age", AGES)
@pytest.mark.parametrize("seed", range(4))
def test_random_robot_with_a_tool_equals_the_dense_system(tmp_path, drive, age, seed):
    rng = np.random.default_rng(seed)
    assert_same(*cell_and_dense(rng, [random_arm(rng, tmp_path, drive)], [("Tool", "R0", age)])[:2])


@pytest.mark.parametrize("drive", ["servo", "ideal"])
def test_arm_with_a_tool_equals_the_dense_system(drive):
    rng = np.random.default_rng(50)
    table = arm6(tcp_position_m=[0.1, 0, 0.1], tcp_orientation_deg=[180, 20, 10])
    assert_same(*cell_and_dense(rng, [Arm(rng, table, drive)], [("Tool", "R0", None)])[:2])


@pytest.mark.parametrize("drive", ["servo", "ideal"])
@pytest.mark.parametrize("seed", range(4))
def test_robot_on_a_swinging_mover_equals_the_dense_system(tmp_path, drive, seed):
    rng = np.random.default_rng(100 + seed)
    arm = random_arm(rng, tmp_path, drive, on="M0")
    assert_same(*cell_and_dense(rng, [arm], [("Tool", "R0", AGES[seed % 3])])[:2])


@pytest.mark.parametrize("seed", range(4))
def test_robot_on_a_free_body_equals_the_dense_system(tmp_path, seed):
    rng = np.random.default_rng(150 + seed)
    arm = random_arm(rng, tmp_path, "servo", on="Truck")
    assert_same(*cell_and_dense(rng, [arm], [("Tool", "R0", AGES[seed % 3])], loose=["Truck"])[:2])


DRIVES = pytest.mark.parametrize(
    "drives", [("servo", "servo"), ("ideal", "servo"), ("ideal", "ideal")], ids="-".join
)


@DRIVES
@pytest.mark.parametrize("seed", range(4))
def test_robot_on_a_robot_equals_the_dense_system(tmp_path, drives, seed):
    rng = np.random.default_rng(180 + seed)
    arms = [
        random_arm(rng, tmp_path, drives[0]),
        random_arm(rng, tmp_path, drives[1], on="R0"),
    ]
    assert_same(*cell_and_dense(rng, arms, [("Tool", "R1", AGES[seed % 3])])[:2])


@DRIVES
@pytest.mark.parametrize("seed", range(4))
def test_beam_between_two_robots_equals_the_dense_system(tmp_path, drives, seed):
    rng = np.random.default_rng(200 + seed)
    arms = [random_arm(rng, tmp_path, drive) for drive in drives]
    held = [("Beam", "R0", None), ("Beam", "R1", AGES[seed % 3])]
    assert_same(*cell_and_dense(rng, arms, held)[:2])


@pytest.mark.parametrize("on", ["World", "M0", "R0"])
@pytest.mark.parametrize("seed", range(4))
def test_ideal_drives_bear_all_that_hangs_on_them(tmp_path, on, seed):
    """Inverse dynamics of all links, and the tool's force through the Jacobian of its holder."""
    rng = np.random.default_rng(300 + seed)
    below = {"on": "M0"} if on == "M0" else {}
    arms = [random_arm(rng, tmp_path, "ideal", **below)]
    if on == "R0":
        arms.append(random_arm(rng, tmp_path, "servo", on="R0"))
    held = [("Tool", f"R{len(arms) - 1}", AGES[seed % 3])]
    cell, answer, dense = cell_and_dense(rng, arms, held)
    a = dense.known.copy()
    for name, qdd in answer.qdd.items():
        a[dense.model.joints[dense.model.getJointId(name)].idx_v] = qdd
    taken = np.array(pin.rnea(dense.model, dense.model.createData(), dense.q, dense.v, a))
    holder, p = dense.place["By0"][0], cell.scratch.pairs.p_W[0]
    J = pin.getJointJacobian(dense.model, dense.data, holder, LOCAL_WORLD).copy()
    J[:3] -= pin.skew(p - dense.data.oMi[holder].translation) @ J[3:]
    taken += J.T @ answer.force["S0"]
    wanted = taken[places(dense, "R0", arms[0])] + arms[0].twin.losses(arms[0].qd)
    found = cell.scratch.targets.effort[: arms[0].twin.n]
    assert found == approx(wanted, rel=0, abs=EXACT * np.abs(wanted).max())
