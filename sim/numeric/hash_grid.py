"""A grid of cells without bounds, in a fixed number of buckets.

    bucket = hash(x, y, z) mod n          x, y, z: numbers of the cell, n: a power of two

Cells share a bucket by chance: whoever looks into one has to test what is found there.
"""

from twincell.sim.jit import formula, kernel
from twincell.sim.model import NONE


@formula
def bucket_of(x, y, z, mask):
    """Bucket of a cell; `mask` is the number of buckets less 1."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & mask


@kernel
def sort_by_bucket(bucket, start, entry):
    """Sort items by their buckets: count, add up, put in place. NONE is in no bucket.

    Entries of bucket k are those from start[k] to start[k + 1], in the order of their numbers.
    """
    n_bucket = start.shape[0] - 1
    for k in range(n_bucket + 1):
        start[k] = 0
    for item in range(bucket.shape[0]):
        if bucket[item] != NONE:
            start[bucket[item]] += 1
    for k in range(n_bucket):
        start[k + 1] += start[k]
    # each start is its bucket's end now; filling from behind leaves it at the beginning
    for item in range(bucket.shape[0] - 1, -1, -1):
        if bucket[item] != NONE:
            start[bucket[item]] -= 1
            entry[start[bucket[item]]] = item
