"""The best of many in little room: a binary heap whose root is the least of what is kept.

    key[heap[k]] ≤ key[heap[2 k + 1]]          key[heap[k]] ≤ key[heap[2 k + 2]]

Who has a greater key than the root takes its row, and sinks to its place.
"""

from twincell.sim.jit import kernel


@kernel
def build_heap(heap, key, n):
    """Arrange rows 0 to n - 1 by their keys."""
    for k in range(n):
        heap[k] = k
    for k in range(n // 2 - 1, -1, -1):
        sink(heap, key, n, k)


@kernel
def sink(heap, key, n, k):
    """Let the row at place k sink below those with smaller keys."""
    row = heap[k]
    while 2 * k + 1 < n:
        child = 2 * k + 1
        if child + 1 < n and key[heap[child + 1]] < key[heap[child]]:
            child += 1
        if key[heap[child]] >= key[row]:
            break
        heap[k] = heap[child]
        k = child
    heap[k] = row
