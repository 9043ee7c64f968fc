"""Does a loop overrun more often with something beside it than without?

On a machine whose own stalls come at random, one of two equal loops always overruns more. So the
two take turns, and what counts is the mean difference of the pairs in its standard errors.
"""

from collections.abc import Sequence
from statistics import fmean, stdev

from bench.result import Result


def more_overruns(
    name: str, usual: Sequence[float], beside: Sequence[float], each: str, told: tuple[str, str]
) -> Result:
    """How far above chance; `each` says what the counts are of, `told` how both sides are."""
    more = [b - a for a, b in zip(usual, beside, strict=True)]
    # counts that hardly vary: an error of 0 would make one overrun in all pairs decide
    error = max(stdev(more) / len(more) ** 0.5, 1.0 / len(more))
    sides = (f"{fmean(n):.3g}{each} {how}" for n, how in zip((usual, beside), told, strict=True))
    difference = f"{fmean(more):+.2g} ± {error:.2g} in {len(more)} pairs"
    return Result(name, fmean(more) / error, "std errors", f"{', '.join(sides)}: {difference}")
