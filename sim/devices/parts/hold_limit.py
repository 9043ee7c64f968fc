"""How much a hold can carry before it gives way.

It carries what the constraint really needs, F and M on what is held, at its origin, with the
holder's axis z:

    axial = |F · z|      shear = |F - (F · z) z|      moment = |M|
    used = max(axial / limit, shear / limit, moment / limit)

Both arrays have these three columns.
"""

from twincell.sim.jit import kernel
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.vector import dot, minus, norm, times


@kernel
def store_load(model, scratch, load, owner, holder, this):
    """Remember what a collision object carries of a constrained object in this tick."""
    force, moment = spatial.load_pair(scratch.pairs.force, this)
    R_H = rotation.matrix(rotation.load(scratch.placed.port_q, model.collision.port[holder]))
    z = (R_H[2], R_H[5], R_H[8])
    axial = dot(force, z)
    load[owner, 0] = abs(axial)
    load[owner, 1] = norm(minus(force, times(axial, z)))
    load[owner, 2] = norm(moment)


@kernel
def forget_load(load, owner):
    """Nothing is held any more."""
    for k in range(3):
        load[owner, k] = 0.0


@kernel
def used_share(load, limit, owner):
    """Share of its strength that a hold uses: 0 without load, 1 where it gives way."""
    used = 0.0
    for k in range(3):
        used = max(used, load[owner, k] / limit[owner, k])
    return used
