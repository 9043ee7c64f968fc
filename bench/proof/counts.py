"""What the solver could not do and went on without: two counts of a cell."""

from typing import NamedTuple

from twincell.sim.cell import Cell


class Counts(NamedTuple):
    """Since the cell's start."""

    unsettled: int  # sub-steps of groups whose friction bounds did not settle
    left_out: int  # contact points for which there was no room


def counts_of(cell: Cell) -> Counts:
    """Both counts."""
    return Counts(*cell.contact_counts)
