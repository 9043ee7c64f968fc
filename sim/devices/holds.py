"""What the constraint network asks the devices that hold things.

A collision object that obeys a device knows its kind, `collision.device`, and the number by which
the device knows the object, `collision.item`. A device that leaves a question out gets the answer
that every other collision object would give.
"""

from twincell.sim.compose import by_number, in_turn
from twincell.sim.devices import DEVICES, modules
from twincell.sim.jit import kernel, line
from twincell.sim.mechanics.vector import ZERO


def _answers(question):
    """Those who answer a question, by the number of their kind."""
    found = modules("holds")
    return {
        DEVICES.index(d): getattr(m, question) for d, m in found.items() if hasattr(m, question)
    }


@kernel
def _yes(*arguments):
    return True


@kernel
def _not_shifted(*arguments):
    return ZERO


_holds = by_number(_answers("holds"), otherwise=_yes)
_may_hold = by_number(_answers("may_hold"), otherwise=_yes)
_shift = by_number(_answers("shift"), otherwise=_not_shifted)
_measure = in_turn(list(_answers("measure").values()))


@kernel
def holds(model, commands, state, other):
    """Whether a collision object that obeys a device catches anything now."""
    item = model.collision.item[other]
    return _holds(model.collision.device[other], model, commands, state, item)


@kernel
def may_hold(model, state, other, this):
    """Whether a collision object may catch this constrained object, if it catches at all."""
    item = model.collision.item[other]
    return _may_hold(model.collision.device[other], model, state, item, this)


@kernel
def shift(model, state, other):
    """How far a collision object is from where the file puts it, in the axes of its body."""
    item = model.collision.item[other]
    return _shift(model.collision.device[other], model, state, item)


@line
def measure_loads(model, state, scratch):
    """Let every device remember what its holds carry in this tick."""
    _measure(model, state, scratch)
