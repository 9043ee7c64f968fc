"""The first fault that a device finds stays until it is reset and its cause is gone."""

from typing import Annotated, NamedTuple

from twincell.sim.arrays import Ints
from twincell.sim.jit import kernel

NO_FAULT = 0


class FaultLatch(NamedTuple):
    """A device's own fault."""

    code: Annotated[Ints, "n_owner"]  # 0 for none
    reset: Annotated[Ints, "n_owner"]  # FaultReset of the last tick


def fault_limits(field, faults):
    """Least and greatest value of the whole numbers of this field."""
    return {f"{field}.code": (0, len(faults) - 1), f"{field}.reset": (0, 1)}


@kernel
def latch_fault(latch, owner, asks, fault):
    """Forget the fault with a rising edge of FaultReset, then keep what is wrong now."""
    if asks and latch.reset[owner] == 0:
        latch.code[owner] = NO_FAULT
    latch.reset[owner] = 1 if asks else 0
    if latch.code[owner] == NO_FAULT:
        latch.code[owner] = fault
