"""How far bodies go in a sub-step: along the normals by θ, in all other ways by mean velocities.

A sub-step of θ > ½ moves bodies by (θ - ½) δ² a farther than the mean of their velocities would.
Depths need that, or they would not be those with which the forces were found. Whatever slides,
rolls or turns beside must not go that way: it would stop ½ δ v short. So of the accelerations a
only the part b counts that the normals resist, the least motion with the same rates along them:

    (M + Jᵀ K J) b = Jᵀ K J a          K = HARD m n nᵀ at each point that pushes

and bodies go back by (θ - ½) δ² (a - b). In a crowd, which is less exact anyway, they do not.
"""

from twincell.sim.contact.solve.contact_inertia import prepare
from twincell.sim.contact.solve.contact_system import solve_group
from twincell.sim.contact.solve.force_law import symmetric_of
from twincell.sim.contact.solve.jacobian import inverse_mass, load_bodies, relative
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.spatial import (
    add_pair,
    load_pair,
    minus_pair,
    plus_pair,
    store_pair,
    times_pair,
)
from twincell.sim.mechanics.vector import ZERO, dot, load, norm, times
from twincell.sim.model import NONE
from twincell.sim.network.islands import JOINT

HARD = 1.0e6  # times the mass of what touches: normal rates are kept to a millionth; chosen
LINEAR = 1.0e-10  # share of the energy that conjugate gradients may leave; chosen
NOTHING = 1.0e-12  # [m] or [rad]: a way that is not worth the work; chosen


@kernel
def go_back(model, state, scratch, feedback, group, step, theta):
    """Take back what a sub-step of a group went too far across the normals."""
    head, n, n_block, is_crowd = group
    extra = (theta - 0.5) * step * step
    if is_crowd or not _accelerates(scratch, n, extra):
        return
    if not _resist_normals(model, scratch, head, n):
        return
    prepare(model, scratch, head, n, 1.0)
    solve_group(model, state, scratch, feedback, head, n, n_block, 1.0, LINEAR, 0.0)
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        a = plus_pair(load_pair(contacts.free, body), load_pair(contacts.acceleration, body))
        across = minus_pair(a, load_pair(contacts.newton_step, body))
        if contacts.carried[body] == 0:
            add_pair(contacts.way_gain, body, times_pair(-extra, across))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            qdd = contacts.joint_free[joint] + contacts.joint_acceleration[joint]
            contacts.joint_way[joint] -= extra * (qdd - contacts.joint_step[joint])


@formula
def _accelerates(scratch, n, extra):
    """Whether any body would go farther by more than nothing."""
    contacts = scratch.contacts
    for k in range(n):
        body = contacts.member[k]
        a, alpha = plus_pair(load_pair(contacts.free, body), load_pair(contacts.acceleration, body))
        if extra * (norm(a) + norm(alpha)) > NOTHING:
            return True
    return False


@formula
def _resist_normals(model, scratch, head, n):
    """Slopes K and the residual Jᵀ K J a; whether any point pushes."""
    contacts = scratch.contacts
    for k in range(n):
        store_pair(contacts.r, contacts.member[k], (ZERO, ZERO))
    pushes = False
    point = contacts.first[head]
    while point != NONE:
        normal = load(scratch.points.n_W, point)
        stiffness = 0.0
        if contacts.bound[point, 1] > 0.0:
            pushes = True
            stiffness = HARD / inverse_mass(model, scratch, point)
            found = relative(model, scratch, contacts.acceleration, point)
            a = plus_pair(load_pair(contacts.drift, point), found)[0]
            force = times(stiffness * dot(a, normal), normal)
            load_bodies(model, scratch, contacts.r, point, (force, ZERO))
        slope = symmetric_of(stiffness, normal, 0.0, ZERO, 0.0)
        for k in range(6):
            contacts.slope[point, k] = slope[k]
        contacts.slope[point, 6] = 0.0
        point = contacts.next[point]
    return pushes
