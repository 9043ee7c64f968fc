"""Before arms are timed: do MuJoCo's move as ours do?

Joints and tools are followed for 1 s from the disturbed start to rest. Two things of MuJoCo are
different, and vanish as everything comes to rest:

    where a grip's force acts    at either body's own point; ours at the object, on both. Until a
                                 tool has come the 5 mm to its place, its weight makes a moment of
                                 0.05 Nm more or less; on the wrist that is 16 µrad
    how fast points turn away    welds leave out what turning alone does to their points: at the
                                 start's 0.1 rad/s, v²/r / η² is some µm; 23 µm with all joints

Halving what the start is disturbed by halves the first and quarters the second. Without gravity
the first is gone.
"""

import numpy as np

from bench.agreement import Disagreement, angle_deg
from bench.arm_cells import holding_arms
from bench.peer_mujoco import Setting
from bench.peer_mujoco_arms import MujocoArms

FOLLOWED_TICKS = 1000
EVERY = 10
JOINT_RAD = 20e-6
POSITION_M = 30e-6
ANGLE_DEG = 1.5e-3  # the wrist's 16 µrad, and the other joints'


def check_arms(n: int, setting: Setting) -> tuple[float, float, float]:
    """Follow both; largest differences of joints [rad], tools' positions [m], angles [deg]."""
    cell = holding_arms(n)
    peer = MujocoArms(cell, setting)
    peer.rewind()
    apart_rad = apart_m = apart_deg = 0.0
    for _ in range(FOLLOWED_TICKS // EVERY):
        cell.run(EVERY)
        peer.run(EVERY)
        joints, tools = cell.state.q[cell.model.axes.joint], peer.tool_poses()
        apart_rad = max(apart_rad, float(np.abs(joints - peer.joints()).max()))
        apart_m = max(apart_m, float(np.abs(cell.state.p_WB - tools[:, :3]).max()))
        apart_deg = max(apart_deg, angle_deg(cell.state.q_WB, tools[:, 3:]))
    if not (apart_rad <= JOINT_RAD and apart_m <= POSITION_M and apart_deg <= ANGLE_DEG):
        raise Disagreement(
            f"{n} arms in MuJoCo ({setting}) move differently from ours: joints "
            f"{apart_rad * 1e6:.2f} µrad, tools {apart_m * 1e6:.2f} µm and {apart_deg:.2g}° apart, "
            f"allowed are {JOINT_RAD * 1e6:g} µrad, {POSITION_M * 1e6:g} µm and {ANGLE_DEG:g}°; "
            "times of different motions say nothing"
        )
    return apart_rad, apart_m, apart_deg
