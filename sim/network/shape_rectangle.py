"""A rectangle as a collision object; its normal is its own z axis.

    touches  ⇔  |d₁| ≤ l/2,  |d₂| ≤ w/2,  |d₃| < r         d in the rectangle's axes

The paper, eqs. (6)-(9); they are printed without the bars and the halves, which would let the
sphere be caught from one quadrant of twice the size, and from any depth below.
"""

from sim.jit import formula
from sim.mechanics.vector import dot


@formula
def rectangle_gap(p_CS, axes, half_length, half_width, radius, reach):
    """Gap from a constrained object at p_CS, and whether it is within `reach` catch distances."""
    d_1 = abs(dot(p_CS, (axes[0], axes[3], axes[6])))
    d_2 = abs(dot(p_CS, (axes[1], axes[4], axes[7])))
    d_3 = abs(dot(p_CS, (axes[2], axes[5], axes[8])))
    within = d_1 <= reach * half_length and d_2 <= reach * half_width and d_3 < reach * radius
    return d_3 - radius, within
