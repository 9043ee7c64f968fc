"""One kernel out of those of all devices: kernels cannot go through a list of functions.

Each link of the chain knows its own kernel and the rest of the chain; compiled, no link is left.
"""

from typing import Any

from twincell.sim.jit import kernel


def in_turn(kernels: list[Any]) -> Any:
    """A kernel that calls each of these with the same arguments, one after the other."""
    if not kernels:
        return _nothing
    first, others = kernels[0], in_turn(kernels[1:])

    @kernel
    def both(*arguments):
        first(*arguments)
        others(*arguments)

    return both


def by_number(kernels: dict[int, Any], otherwise: Any) -> Any:
    """A kernel that calls the one with the number that is its first argument."""
    if not kernels:

        @kernel
        def constant(number, *arguments):
            return otherwise

        return constant

    own, *rest = kernels
    called, others = kernels[own], by_number({n: kernels[n] for n in rest}, otherwise)

    @kernel
    def choose(number, *arguments):
        if number == own:
            return called(*arguments)
        return others(number, *arguments)

    return choose


@kernel
def _nothing(*arguments):
    pass
