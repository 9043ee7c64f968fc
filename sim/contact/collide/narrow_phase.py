"""Where two surfaces touch: which kernel is for which pair of shapes.

The kernels take the shape with the smaller number first. If the surfaces came the other way around,
the normals are turned: the contact is the mirror image of the one with the surfaces exchanged.
"""

from sim.contact.collide.half_space import half_space_points
from sim.contact.collide.solid_manifold import solid_points
from sim.contact.collide.sphere import sphere_points
from sim.jit import kernel
from sim.mechanics import rotation
from sim.mechanics.vector import load, store, times
from sim.model import HALF_SPACE, SPHERE


@kernel
def meet(
    shape_a, half_a, radius_a, p_WA, q_WA, shape_b, half_b, radius_b, p_WB, q_WB,
    layer, points, first,
):  # fmt: skip
    """Write where two surfaces touch into `points`, from row `first` on; number of points.

    `layer` is how deep a thin surface can be entered from its front; solid ones have no limit.
    Points that are nearer than `points.reach` to touching count too, with a depth below 0. Edges
    are chamfered by `points.chamfer`.
    There must be room for MOST_POINTS points.
    """
    if shape_a <= shape_b:
        return _ordered(
            shape_a, half_a, radius_a, p_WA, q_WA, shape_b, half_b, radius_b, p_WB, q_WB,
            layer, points, first,
        )  # fmt: skip
    count = _ordered(
        shape_b, half_b, radius_b, p_WB, q_WB, shape_a, half_a, radius_a, p_WA, q_WA,
        layer, points, first,
    )  # fmt: skip
    for k in range(first, first + count):
        store(points.n_W, k, times(-1.0, load(points.n_W, k)))
    return count


@kernel
def _ordered(
    shape_a, half_a, radius_a, p_WA, q_WA, shape_b, half_b, radius_b, p_WB, q_WB,
    layer, points, first,
):  # fmt: skip
    R_WB = rotation.matrix(q_WB)
    if shape_a == SPHERE:
        return sphere_points(
            radius_a, p_WA, shape_b, half_b, radius_b, p_WB, R_WB, layer, points, first
        )
    R_WA = rotation.matrix(q_WA)
    if shape_b == HALF_SPACE:
        n_W = (R_WB[2], R_WB[5], R_WB[8])
        return half_space_points(
            shape_a, half_a, radius_a, p_WA, R_WA, p_WB, n_W, layer, points, first
        )
    return solid_points(
        shape_a, half_a, radius_a, p_WA, R_WA, shape_b, half_b, radius_b, p_WB, R_WB,
        layer, points, first,
    )  # fmt: skip
