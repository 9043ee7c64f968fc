"""A screw: B turns about u by the angle q [rad] and advances along u by its pitch P a turn.

    S = (h u, u),   h = P / 2π             of a left-handed thread P < 0

    q_WB = q_WA ∘ q_AJ ∘ q(u q)            p_J = p_A + R_A p_AJ + u h q
    ω_B  = ω_A + u q̇                       v_J gains u h q̇          ζ = (2 ω_A x u h q̇, ω_A x u q̇)

A force F along u and a torque N about it act as N + h F; of a nut of mass m and inertia J about u
the coordinate feels J + m h². The thread has no friction of its own: give it to the joint.
"""

import math

from twincell.sim.mechanics.joint_type import ANGLE, JointType
from twincell.sim.signals import Kind

SCREW = JointType(
    type="screw",
    word="screw",
    coordinate=ANGLE,
    sizes=("pitch_m",),
    without_size='a hinge is "revolute"',
    motion=lambda pitch: (1, pitch / (2.0 * math.pi)),
    signals=(
        ("Position", Kind.DOUBLE, "rad", "Joint angle: a turn advances it by the pitch"),
        ("Velocity", Kind.DOUBLE, "rad/s", "Joint angular velocity"),
        ("Torque", Kind.DOUBLE, "N.m", "Torque of spring, damper, friction and stops"),
    ),
)
