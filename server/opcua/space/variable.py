"""A node whose value comes from the rows of the ring."""

from dataclasses import dataclass

from asyncua import ua

from twincell.server.opcua.space.layout import Layout, Values


@dataclass(frozen=True)
class Variable:
    """Which columns of a row form the value of a node, and how."""

    name: str  # of the signal, or of the group of signals: also the node's id
    layout: Layout
    columns: tuple[int, ...]  # of a row, in the order of the layout's numbers
    texts: tuple[str, ...] = ()  # of a String: what its codes mean
    is_command: bool = False  # its columns are commands, and a client may write it
    limits: tuple[float, float] | None = None  # least and greatest of its numbers, if known

    def variant(self, row: Values) -> ua.Variant:
        """Its value in a row with all columns."""
        return self.layout.variant(row[list(self.columns)], self.texts)
