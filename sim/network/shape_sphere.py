"""A sphere as a collision object.

touches  ⇔  |p - p_c| < r_c + r         the paper, eqs. (4), (5)
gap      =  |p - p_c| - (r_c + r)
"""

from twincell.sim.jit import formula
from twincell.sim.mechanics.vector import norm


@formula
def sphere_gap(p_CS, sphere_radius, radius, reach):
    """Gap from a constrained object at p_CS, and whether it is within `reach` catch distances."""
    distance = norm(p_CS)
    catch = sphere_radius + radius
    return distance - catch, distance < reach * catch
