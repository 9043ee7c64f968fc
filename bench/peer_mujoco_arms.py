"""The arms that hold, in MuJoCo, from the same URDF: the same gears, servos, tools and grips.

    servo    a position actuator with our gains, kp (q* - q) - kv q̇, cut to the URDF's effort
    grip     a weld of a free body to the last link: solref = (-η², -2η), as in `peer_mujoco.py`

What is fixed together is merged, as ours is. Contacts are off. There are no holders: MuJoCo does
not look for anybody who could take a tool over, ours does in every tick.
"""

from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from bench.arm_cells import (
    ETA,
    GEAR_KG_M2,
    STEP_S,
    TOOL_CENTER_M,
    TOOL_KG,
    TOOL_KG_M2,
    base_m,
    smooth_arm,
    tool_m,
)
from bench.peer_mujoco import HARDEST, Setting, settings, two_fastest
from bench.rounds import Contestant
from twincell.sim.cell import Cell

TRIAL_ROUNDS, TRIAL_TICKS = 3, 200
HALF_TURN_Y = (0.0, 0.0, 1.0, 0.0)  # the tool centre point in the flange, as a quaternion
JACOBIANS = {"dense": mujoco.mjtJacobian.mjJAC_DENSE, "sparse": mujoco.mjtJacobian.mjJAC_SPARSE}
SOLVERS = {"Newton": mujoco.mjtSolver.mjSOL_NEWTON, "CG": mujoco.mjtSolver.mjSOL_CG}


class MujocoArms:
    """The arms of our cell as a MuJoCo model; gains, targets and start are our cell's."""

    def __init__(self, cell: Cell, setting: Setting) -> None:
        n = len(cell.model.robots.first)
        self.model: Any = _spec(cell, n, setting).compile()
        self.data: Any = mujoco.MjData(self.model)
        hinges = [f"Arm{k}_joint_{i + 1}" for k in range(n) for i in range(len(GEAR_KG_M2))]
        self.hinges = np.array([int(self.model.joint(name).qposadr[0]) for name in hinges])
        self.tools = np.array([self.model.body(f"Tool{k}").id for k in range(n)])
        self.start = np.array(self.model.qpos0)
        self.start[self.hinges] = cell.state.q[cell.model.axes.joint]
        self.target = cell.state.robots.hold.copy()

    def rewind(self) -> None:
        """Back to the start."""
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.start
        self.data.ctrl[:] = self.target

    def run(self, ticks: int) -> None:
        """Advance, all steps in C."""
        mujoco.mj_step(self.model, self.data, ticks)

    def joints(self) -> NDArray[np.float64]:
        """Angles of all hinges, arm by arm."""
        return np.array(self.data.qpos[self.hinges])

    def tool_poses(self) -> NDArray[np.float64]:
        """Centre of mass and quaternion of every tool, (n, 7)."""
        mujoco.mj_kinematics(self.model, self.data)
        return np.hstack([self.data.xipos[self.tools], self.data.xquat[self.tools]])

    def contestant(self, ticks: int) -> Contestant:
        """A round from the start."""
        return Contestant(self.rewind, lambda: self.run(ticks))


def arm_finalists(cell: Cell) -> list[Setting]:
    """The two settings with which MuJoCo is fastest in a short trial."""
    choices = settings(len(cell.model.axes.joint))
    arms = [MujocoArms(cell, choice) for choice in choices]
    return two_fastest(choices, [arm.contestant(TRIAL_TICKS) for arm in arms], TRIAL_ROUNDS)


def _spec(cell: Cell, n: int, setting: Setting) -> Any:
    world = mujoco.MjSpec()
    world.compiler.fusestatic = True
    world.option.timestep = STEP_S
    world.option.gravity = cell.model.gravity
    world.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    world.option.jacobian = JACOBIANS[setting.jacobian]
    world.option.solver = SOLVERS[setting.solver]
    world.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    if setting.island == "disable":
        world.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND
    gains = list(zip(cell.model.axes.stiffness, cell.model.axes.damping, strict=True))
    for k in range(n):
        arm = mujoco.MjSpec.from_string(smooth_arm())
        flange = arm.body("flange")
        grip = [*flange.pos, *_compose(flange.quat, HALF_TURN_Y)]
        for joint, gear in zip(arm.joints, GEAR_KG_M2, strict=True):
            joint.armature = gear
        world.attach(arm, prefix=f"Arm{k}_", frame=world.worldbody.add_frame(pos=base_m(k)))
        for i in range(len(GEAR_KG_M2)):
            _add_servo(world, f"Arm{k}_joint_{i + 1}", *gains[k * len(GEAR_KG_M2) + i])
        _add_tool(world, k, grip)
    return world


def _add_servo(world: Any, joint: str, stiffness: float, damping: float) -> None:
    servo = world.add_actuator(trntype=mujoco.mjtTrn.mjTRN_JOINT, target=joint)
    servo.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    servo.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    servo.gainprm[0] = stiffness
    servo.biasprm[1:3] = -stiffness, -damping


def _add_tool(world: Any, k: int, grip: list[float]) -> None:
    """A free body, welded to the last link where our tool centre point is."""
    tool = world.worldbody.add_body(name=f"Tool{k}", pos=tool_m(k))
    tool.add_freejoint()
    tool.explicitinertial = True
    tool.mass = TOOL_KG
    tool.inertia = [TOOL_KG_M2] * 3
    tool.ipos = TOOL_CENTER_M
    weld = world.add_equality(
        type=mujoco.mjtEq.mjEQ_WELD,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1=f"Arm{k}_link_6",
        name2=tool.name,
    )
    weld.data[:11] = [0, 0, 0, *grip, 1]  # anchor on the tool, its pose in the link, torque scale
    weld.solref = [-(ETA**2), -2 * ETA]
    weld.solimp[:3] = HARDEST, HARDEST, 0.001


def _compose(a: Any, b: Any) -> NDArray[np.float64]:
    product = np.zeros(4)
    mujoco.mju_mulQuat(product, np.array(a), np.array(b))
    return product
