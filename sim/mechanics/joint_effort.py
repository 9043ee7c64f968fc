"""What acts in a joint: spring, damper, dry friction and stops.

    effort = -k (q - rest) - d q̇ - f tanh(q̇ / v_f) + stop

A stop pushes and never pulls: beyond it, max(0, k_s depth - d_s q̇ outwards), else nothing.
"""

import math

from twincell.sim.jit import kernel


@kernel
def push_joints(model, scratch):
    """Work out the force or torque that acts in every joint."""
    joints = model.joints
    for joint in range(joints.parent.shape[0]):
        q = scratch.motion.q[joint]
        qd = scratch.motion.qd[joint]
        effort = -joints.stiffness[joint] * (q - joints.rest[joint]) - joints.damping[joint] * qd
        if joints.friction[joint] > 0.0:
            effort -= joints.friction[joint] * math.tanh(qd / joints.friction_speed[joint])
        if q < joints.lower[joint]:
            depth = joints.lower[joint] - q
            k = joints.stop_stiffness[joint]
            effort += max(0.0, k * depth - joints.stop_damping[joint] * qd)
        elif q > joints.upper[joint]:
            depth = q - joints.upper[joint]
            k = joints.stop_stiffness[joint]
            effort -= max(0.0, k * depth + joints.stop_damping[joint] * qd)
        scratch.placed.effort[joint] = effort
