"""One kernel out of several: kernels cannot go through a list of functions.

    in_turn([f, g])(x)                  f(x), then g(x)
    by_number({3: f, 5: g}, h)(n, x)    {3: f, 5: g}.get(n, h)(x)

Each link of a chain knows its own kernel and the rest of the chain; compiled, no link is left.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from twincell.sim.jit import formula, kernel

Kernel: TypeAlias = Callable[..., Any]


def in_turn(kernels: list[Kernel]) -> Kernel:
    """A kernel that calls each of these with the same arguments, one after the other."""
    if not kernels:
        return _nothing
    first, others = kernels[0], in_turn(kernels[1:])

    @kernel
    def both(*arguments):
        first(*arguments)
        others(*arguments)

    return both


def by_number(kernels: Mapping[int, Kernel], otherwise: Kernel) -> Kernel:
    """A kernel that takes a number first, and passes what follows on to the kernel of that number.

    Numbers with the same kernel share a branch, and those of `otherwise` need none.
    """
    numbers_of: dict[Kernel, tuple[int, ...]] = {}
    for number, one in kernels.items():
        if one is not otherwise:
            numbers_of[one] = (*numbers_of.get(one, ()), number)

    @formula
    def chosen(_number, *arguments):
        return otherwise(*arguments)

    for one in reversed(numbers_of):
        chosen = _either(numbers_of[one], one, chosen)
    return chosen


def _either(numbers: tuple[int, ...], own: Kernel, others: Kernel) -> Kernel:
    """The kernel of these numbers, and the rest of the chain for all others."""

    @formula
    def either(number, *arguments):
        if number in numbers:
            return own(*arguments)
        return others(number, *arguments)

    return either


@kernel
def _nothing(*arguments):
    pass
