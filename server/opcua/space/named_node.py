"""The node that a client names in a request, if there is one."""

from asyncua import ua
from asyncua.server.address_space import AddressSpace, NodeData

LONGEST_IDENTIFIER = 4096  # characters or bytes; OPC UA part 3, 8.2.4


def find_node(aspace: AddressSpace, node_id: ua.NodeId) -> NodeData:
    """The node with this id; an id that no node could have is not only unknown but invalid."""
    if node_id.is_null() or is_elsewhere(node_id) or _is_too_long(node_id.Identifier):
        raise ua.uaerrors.BadNodeIdInvalid
    node = aspace.get(node_id)
    if node is None:
        raise ua.uaerrors.BadNodeIdUnknown
    return node


def is_elsewhere(node_id: ua.NodeId) -> bool:
    """Whether this is a node of another server, or of a namespace given by its name."""
    return isinstance(node_id, ua.ExpandedNodeId) and bool(
        node_id.ServerIndex or node_id.NamespaceUri
    )


def _is_too_long(identifier: object) -> bool:
    return isinstance(identifier, str | bytes) and len(identifier) > LONGEST_IDENTIFIER
