"""A slide: B moves along u without turning, and q is the way [m].

    S = (u, 0)

    q_WB = q_WA ∘ q_AJ                     p_J = p_A + R_A p_AJ + u q
    v_J gains u q̇                          ζ = (2 ω_A x u q̇, 0)

A force F along u acts as it is.
"""

from twincell.sim.mechanics.joint_type import LENGTH, JointType
from twincell.sim.signals import Kind

PRISMATIC = JointType(
    type="prismatic",
    word="slide",
    coordinate=LENGTH,
    sizes=(),
    without_size="",
    motion=lambda: (0, 1.0),
    signals=(
        ("Position", Kind.DOUBLE, "m", "Joint position"),
        ("Velocity", Kind.DOUBLE, "m/s", "Joint velocity"),
        ("Force", Kind.DOUBLE, "N", "Force of spring, damper, friction and stops"),
    ),
)
