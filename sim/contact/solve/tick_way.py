"""How far bodies go in a tick that contact forces act in, and with which lever arms these act.

Sub-steps have ways of their own; the integrator moves bodies by the mean force of the tick alone.
What is left between the two is gathered here, and bodies go there at the end of the tick.
"""

from twincell.sim.contact.solve.groups import leader_of
from twincell.sim.contact.solve.jacobian import bodies_of
from twincell.sim.contact.solve.point_force import AT_REST
from twincell.sim.contact.touching import anything_touches
from twincell.sim.jit import formula, kernel, line
from twincell.sim.mechanics import rotation, spatial
from twincell.sim.mechanics.spatial import (
    add_pair,
    load_pair,
    minus_pair,
    plus_pair,
    store_pair,
    times_pair,
)
from twincell.sim.mechanics.vector import cross, dot, load, minus, norm, plus, store, times
from twincell.sim.model import NONE
from twincell.sim.network.islands import JOINT


@kernel
def finish_substep(model, scratch, head, n, begin, step, theta):
    """Take the forces that the laws give, and what they do, into the tick."""
    contacts = scratch.contacts
    point = contacts.first[head]
    while point != NONE:
        rate = load_pair(contacts.rate, point)
        rate_next = load_pair(contacts.rate_next, point)
        force = plus_pair(load_pair(contacts.force, point), load_pair(contacts.defect, point))
        add_pair(contacts.impulse, point, times_pair(step, force))
        if min(bodies_of(scratch, point)) >= model.n_driven:
            _follow(model, scratch, point, times(step, force[0]), begin, (1.0 - theta) * step)
        normal = load(scratch.points.n_W, point)
        mean = (1.0 - theta) * dot(rate[0], normal) + theta * dot(rate_next[0], normal)
        contacts.depth[point] -= step * mean
        store_pair(contacts.rate, point, rate_next)
        point = contacts.next[point]
    for k in range(n):
        body = contacts.member[k]
        gained = times_pair(step, load_pair(contacts.acceleration, body))
        mean = plus_pair(load_pair(contacts.velocity_gain, body), times_pair(theta, gained))
        add_pair(contacts.way_gain, body, times_pair(step, mean))
        add_pair(contacts.velocity_gain, body, gained)
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            qd = step * contacts.joint_acceleration[joint]
            contacts.joint_way[joint] += step * (contacts.joint_velocity[joint] + theta * qd)
            contacts.joint_velocity[joint] += qd


@kernel
def _follow(model, scratch, point, impulse, begin, ahead):
    """Let the lever arms follow the bodies until the impulse: no moment of momentum is made.

    A sub-step is a drift of (1 - θ) δ, the impulse, and a drift of θ δ. Meanwhile the contact point
    goes with both centres of mass, more with the nearer one, as that of two balls does.
    """
    contacts = scratch.contacts
    a, b = bodies_of(scratch, point)
    p = load(scratch.points.p_W, point)
    r_a = norm(minus(p, load(scratch.placed.c_W, a)))
    r_b = norm(minus(p, load(scratch.placed.c_W, b)))
    apart = minus(
        _displacement(scratch, a, begin + ahead, ahead),
        _displacement(scratch, b, begin + ahead, ahead),
    )
    moment = cross(apart, impulse)
    share = r_a / max(r_a + r_b, AT_REST)
    add_pair(contacts.follow, point, (times(-share, moment), times(share - 1.0, moment)))


@formula
def _displacement(scratch, body, time, ahead):
    """How far a body's centre of mass has gone since t_n, at the time of an impulse."""
    contacts = scratch.contacts
    o = load(scratch.placed.c_W, scratch.islands.root[body])
    way = plus_pair(
        load_pair(contacts.way_gain, body),
        times_pair(ahead, load_pair(contacts.velocity_gain, body)),
    )
    at_c = spatial.field_at(way, minus(load(scratch.placed.c_W, body), o))
    return plus(times(time, load(scratch.placed.v_W, body)), at_c[0])


@formula
def explained(model):
    """Share of h² a that the integrator moves: half of it, or all in a semi-implicit step."""
    return 0.5 if model.n_stage == 4 else 1.0


@kernel
def take_along(model, scratch, head, n, area):
    """Give the free acceleration the same θ as the contact forces: what rests does not move.

    A group whose points did not touch after all goes on as if they were not there. What is held
    firmly by something whose motion is given goes with it.
    """
    contacts = scratch.contacts
    touched = False
    point = contacts.first[head]
    while point != NONE:
        force = load_pair(contacts.impulse, point)[0]
        touched = touched or dot(force, force) > 0.0
        point = contacts.next[point]
    if not touched:
        return
    for k in range(n):
        body = contacts.member[k]
        if contacts.carried[body] == 0:
            add_pair(contacts.way_gain, body, times_pair(area, load_pair(contacts.free, body)))
        if scratch.islands.up[body] == JOINT:
            joint = scratch.islands.link[body]
            contacts.joint_way[joint] += area * contacts.joint_free[joint]


@line
def shift_bodies(model, scratch):
    """At the end of a tick: the way that the mean contact forces alone do not explain."""
    if not anything_touches(model, scratch):
        return
    for body in range(model.n_driven, model.bodies.mass.shape[0]):
        head = leader_of(scratch.contacts, scratch.islands.root[body])
        if scratch.contacts.first[head] != NONE:
            _shift(model, scratch, body)


@kernel
def _shift(model, scratch, body):
    contacts = scratch.contacts
    motion = scratch.motion
    half_or_all = explained(model) * model.step
    free = model.bodies.free[body]
    if free != NONE:
        gained = times_pair(half_or_all, load_pair(contacts.velocity_gain, body))
        way = minus_pair(load_pair(contacts.way_gain, body), gained)
        o = load(scratch.placed.c_W, scratch.islands.root[body])
        p, turn = spatial.field_at(way, minus(load(scratch.placed.c_W, body), o))
        store(motion.p_WB, free, plus(load(motion.p_WB, free), p))
        q = rotation.load(motion.q_WB, free)
        turned = rotation.mix(1.0, q, 1.0, rotation.rate(q, turn))
        rotation.store(motion.q_WB, free, rotation.normalise(turned))
    if scratch.islands.up[body] == JOINT:
        joint = scratch.islands.link[body]
        motion.q[joint] += contacts.joint_way[joint] - half_or_all * contacts.joint_velocity[joint]
