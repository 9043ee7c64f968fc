"""The server's namespaces: 0 the standard's, 1 the application's, then our types and the cell."""

from asyncua import ua

TYPES_URI = "urn:twincell:types"
CELL_URI = "urn:twincell:cell"
BASE, TYPES, CELL = 0, 2, 3  # places in the server's NamespaceArray
PUBLISHED = "2026-11-18T00:00:00+00:00"  # our types as they are now; no clock: exports agree


def type_id(name: str) -> ua.NodeId:
    """Id of an object type or event type, or of one of their members."""
    return ua.NodeId(name, TYPES)


def cell_id(name: str) -> ua.NodeId:
    """Id of what a cell has: the name of an object, a signal or a group of signals."""
    return ua.NodeId(name, CELL)


def base_id(number: int) -> ua.NodeId:
    """Id of a node of the standard."""
    return ua.NodeId(number, BASE)
