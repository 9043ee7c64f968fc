"""An inertia that matter can have.

A rigid body's principal moments are sums of squares, I1 = ∫(y² + z²), I2 = ∫(x² + z²),
I3 = ∫(x² + y²): all are positive, and none exceeds the sum of the other two.
"""

from collections.abc import Sequence

import numpy as np

from twincell.sim.spec.problems import Problems, number

# A flat body reaches the sum exactly, and CAD prints six or seven digits of each moment.
SUM_SLACK = 1e-6
# eigvalsh is off by about 1e-16 of the largest moment; the thinnest wires have ratios near 1e-8.
LEAST_MOMENT_RATIO = 1e-12


def check_inertia(
    key: str,
    inertia: Sequence[float],
    problems: Problems,
    slack: float = SUM_SLACK,
    order: str = "the order is xx, yy, zz, xy, xz, yz",
) -> None:
    """Note why no body has this inertia: xx, yy, zz, and if needed xy, xz, yz."""
    xx, yy, zz, *products = inertia
    if min(xx, yy, zz) <= 0:
        text = f"xx, yy and zz must be greater than 0, not {number(min(xx, yy, zz))}"
        problems.add(key, text, hint=order)
        return
    xy, xz, yz = products or (0.0, 0.0, 0.0)
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    scale = float(np.abs(matrix).max())  # keeps very large values from overflowing
    least, middle, largest = map(float, np.linalg.eigvalsh(matrix / scale))
    if least <= LEAST_MOMENT_RATIO * largest:
        text = "no body has this inertia: its products xy, xz, yz are too large"
        problems.add(key, text, hint=order)
    elif largest > (least + middle) * (1 + slack):
        total = number((least + middle) * scale)
        problems.add(
            key,
            f"no body has this inertia: its principal moment {number(largest * scale)} "
            f"is greater than the sum of the other two, {total}",
            hint="check units and order; the values are about the centre of mass",
        )
