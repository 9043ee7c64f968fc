"""A box, cylinder or capsule as a collision object; cylinder and capsule along their own z axis.

    touches  ⇔  distance(d) < r         d in the shape's axes, distance negative inside
    gap      =  distance(d) - r

The distance is the one of contact surfaces (`geometry/point_distance.py`). `reach` catch distances
away is what touches when shape and object are that many times as large.
"""

from twincell.sim.geometry.point_distance import point_distance
from twincell.sim.jit import formula
from twincell.sim.mechanics.vector import times


@formula
def solid_gap(shape, d, half, solid_radius, radius, reach):
    """Gap from a constrained object at d, and whether it is within `reach` catch distances."""
    distance, _ = point_distance(shape, half, solid_radius, d)
    if reach == 1.0:
        return distance - radius, distance < radius
    scaled, _ = point_distance(shape, times(reach, half), reach * solid_radius, d)
    return distance - radius, scaled < reach * radius
