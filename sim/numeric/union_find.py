"""Union-find: sets that are joined two by two, each with a leader and a ring of its members.

`leader[i]` leads towards the leader of i's set, who leads to itself: the least of its members.
`ring[i]` is the next member of the set after i, all the way around. Both begin as `array[i] = i`.
"""

from twincell.sim.jit import kernel


@kernel
def leader_of(leader, member):
    """Leader of a member's set."""
    while leader[member] != member:
        leader[member] = leader[leader[member]]  # half as far for whoever asks next
        member = leader[member]
    return member


@kernel
def join(leader, ring, a, b):
    """Make one set of those of a and b."""
    a = leader_of(leader, a)
    b = leader_of(leader, b)
    if a != b:
        leader[max(a, b)] = min(a, b)
        # two rings become one by exchanging what follows two of their members
        ring[a], ring[b] = ring[b], ring[a]
