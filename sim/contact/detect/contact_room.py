"""Which contact points are kept if there is no room for all of them.

    importance = depth                      of two surfaces the deepest point: depth + FOREMOST

So a face loses corners before any two surfaces lose their last point, and of those the shallowest
are lost first: what is not held sinks in, until it is important enough. Neither the order of bodies
nor that of surfaces decides, but for points of equal depth.

Points of two surfaces are written behind the last one that is kept, where there is always room for
MOST_POINTS more.
"""

from twincell.sim.contact.collide.contact_point import write_point
from twincell.sim.jit import formula, kernel
from twincell.sim.mechanics.vector import load
from twincell.sim.numeric.binary_heap import build_heap, sink

FOREMOST = 1.0e3  # [m]: chosen, more than any depth


@kernel
def keep_points(scratch, a, b, law, count):
    """Keep the points of two surfaces that were written behind the last one, as far as they fit."""
    contacts = scratch.contacts
    first = contacts.n[0]
    room = contacts.law.shape[0]
    end = min(first + count, room)
    for point in range(first, end):
        _assign(contacts, point, a, b, law)
    contacts.n[0] = end
    if first + count > room:
        _replace_least(scratch, a, b, law, first, count)


@formula
def _assign(contacts, point, a, b, law):
    """Say whose point it is."""
    contacts.surface[point, 0] = a
    contacts.surface[point, 1] = b
    contacts.law[point] = law


@kernel
def _replace_least(scratch, a, b, law, first, count):
    """Let points that do not fit replace less important ones."""
    contacts = scratch.contacts
    points = scratch.points
    room = contacts.law.shape[0]
    _rate(points, first, first + count)
    if points.left_out[0] == 0:
        begin = 0
        for point in range(1, first + 1):
            if point == first or not _same_surfaces(contacts, point, begin):
                _rate(points, begin, point)
                begin = point
        build_heap(points.heap, points.importance, room)
    for point in range(room, first + count):
        points.left_out[0] += 1
        least = points.heap[0]
        if points.importance[point] > points.importance[least]:
            p_W, n_W = load(points.p_W, point), load(points.n_W, point)
            write_point(points, least, p_W, n_W, points.depth[point], points.share[point])
            points.importance[least] = points.importance[point]
            _assign(contacts, least, a, b, law)
            sink(points.heap, points.importance, room, 0)


@kernel
def _rate(points, begin, end):
    """Importance of the points of two surfaces."""
    deepest = begin
    for point in range(begin, end):
        points.importance[point] = points.depth[point]
        if points.depth[point] > points.depth[deepest]:
            deepest = point
    points.importance[deepest] += FOREMOST


@formula
def _same_surfaces(contacts, point, other):
    """Whether two points are of the same two surfaces."""
    return (
        contacts.surface[point, 0] == contacts.surface[other, 0]
        and contacts.surface[point, 1] == contacts.surface[other, 1]
    )
