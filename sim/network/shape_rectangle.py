"""A rectangle as a collision object; its normal is its own z axis.

    touches  ⇔  |d₁| ≤ l/2,  |d₂| ≤ w/2,  |d₃| < r         d in the rectangle's axes

The paper, eqs. (6)-(9); they are printed without the bars and the halves, which would let the
sphere be caught from one quadrant of twice the size, and from any depth below.
"""

from twincell.sim.jit import formula


@formula
def rectangle_gap(d, half, radius, reach):
    """Gap from a constrained object at d, and whether it is within `reach` catch distances."""
    before = abs(d[0]) <= reach * half[0] and abs(d[1]) <= reach * half[1]
    return abs(d[2]) - radius, before and abs(d[2]) < reach * radius
