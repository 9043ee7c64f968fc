"""A hinge: B turns about u, and q is the angle [rad].

    S = (0, u)

    q_WB = q_WA ∘ q_AJ ∘ q(u q)            p_J = p_A + R_A p_AJ
    ω_B  = ω_A + u q̇                       ζ = (0, ω_A x u q̇)

A torque N about u acts as it is.
"""

from twincell.sim.mechanics.joint_type import ANGLE, JointType
from twincell.sim.signals import Kind

REVOLUTE = JointType(
    type="revolute",
    word="hinge",
    coordinate=ANGLE,
    sizes=(),
    without_size="",
    motion=lambda: (1, 0.0),
    signals=(
        ("Position", Kind.DOUBLE, "rad", "Joint angle"),
        ("Velocity", Kind.DOUBLE, "rad/s", "Joint angular velocity"),
        ("Torque", Kind.DOUBLE, "N.m", "Torque of spring, damper, friction and stops"),
    ),
)
