"""What is true of which shape, so that kernels ask for what they need to know and not for names."""

from collections.abc import Callable
from typing import NamedTuple

from twincell.sim.geometry.shape_table import complete
from twincell.sim.model import BOX, CAPSULE, CYLINDER, DISC, HALF_SPACE, RECTANGLE, SPHERE


class ShapeFacts(NamedTuple):
    """What is true of a shape. There are no defaults: every fact is stated of every shape."""

    thin: bool  # a front and no inside: it pushes to its front only
    front: bool  # it looks along z, and is touched from there
    rim: bool  # its radius is that of a circle about z
    rounded: bool  # its radius is how far it goes beyond a point or a segment, all around
    segment: bool  # a segment along z, rounded
    faced: bool  # flat faces with an end, and edges around them
    square: bool  # edges and normals of faces along x and y too, not along z only
    rolls: bool  # a round side about z


FACTS = complete(
    "facts",
    {
        SPHERE: ShapeFacts(
            thin=False, front=False, rim=False, rounded=True, segment=False,
            faced=False, square=False, rolls=False,
        ),
        RECTANGLE: ShapeFacts(
            thin=True, front=True, rim=False, rounded=False, segment=False,
            faced=True, square=True, rolls=False,
        ),
        DISC: ShapeFacts(
            thin=True, front=True, rim=True, rounded=False, segment=False,
            faced=True, square=False, rolls=False,
        ),
        CYLINDER: ShapeFacts(
            thin=False, front=False, rim=True, rounded=False, segment=False,
            faced=True, square=False, rolls=True,
        ),
        CAPSULE: ShapeFacts(
            thin=False, front=False, rim=False, rounded=True, segment=True,
            faced=False, square=False, rolls=True,
        ),
        BOX: ShapeFacts(
            thin=False, front=False, rim=False, rounded=False, segment=False,
            faced=True, square=True, rolls=False,
        ),
        HALF_SPACE: ShapeFacts(
            thin=False, front=True, rim=False, rounded=False, segment=False,
            faced=False, square=False, rolls=False,
        ),
    },
)  # fmt: skip


def _shapes(true_of: Callable[[ShapeFacts], bool]) -> tuple[int, ...]:
    return tuple(shape for shape, facts in FACTS.items() if true_of(facts))


THIN = _shapes(lambda facts: facts.thin)
RIMMED = _shapes(lambda facts: facts.rim)
ROUNDED = _shapes(lambda facts: facts.rounded)
SEGMENTS = _shapes(lambda facts: facts.segment)
FACED = _shapes(lambda facts: facts.faced)
SQUARE = _shapes(lambda facts: facts.square)
ROLLING = _shapes(lambda facts: facts.rolls)
