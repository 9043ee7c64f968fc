"""Types of references that a client follows: one type alone, or also all that refine it.

    References > HierarchicalReferences > Organizes, HasChild > Aggregates > HasComponent, ...

The types of a server do not change once it is up, so what refines a type is found only once.
"""

from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace, NodeData
from asyncua.ua import AttributeIds, NodeClass, ObjectIds

from twincell.server.opcua.space.namespaces import base_id

HAS_SUBTYPE = base_id(ObjectIds.HasSubtype)

# a set of plain tuples is searched several times faster than a set of NodeIds
Key = tuple[int, Any]
Followed = frozenset[Key] | None  # None: all there are


def key_of(node_id: ua.NodeId) -> Key:
    """A NodeId as what it is compared by."""
    return node_id.NamespaceIndex, node_id.Identifier


class ReferenceTypes:
    """The reference types of an address space."""

    def __init__(self, aspace: AddressSpace) -> None:
        self._aspace = aspace
        self._refined: dict[Key, frozenset[Key]] = {}

    def followed(self, type_id: ua.NodeId, with_subtypes: bool) -> Followed:
        """What a client that names this type follows; everything if it names none."""
        if type_id.is_null():
            return None
        node = self._aspace.get(type_id)
        if node is None or not _is_reference_type(node):
            raise ua.uaerrors.BadReferenceTypeIdInvalid
        key = key_of(type_id)
        if not with_subtypes:
            return frozenset((key,))
        if key not in self._refined:
            self._refined[key] = self._with_subtypes(node)
        return self._refined[key]

    def _with_subtypes(self, top: NodeData) -> frozenset[Key]:
        found, open_ = {key_of(top.nodeid)}, [top]
        while open_:
            for reference in open_.pop().references:
                if not reference.IsForward or reference.ReferenceTypeId != HAS_SUBTYPE:
                    continue
                node, key = self._aspace.get(reference.NodeId), key_of(reference.NodeId)
                if node is not None and key not in found:
                    found.add(key)
                    open_.append(node)
        return frozenset(found)


def _is_reference_type(node: NodeData) -> bool:
    held = node.attributes[AttributeIds.NodeClass].value
    return held is not None and held.Value.Value == NodeClass.ReferenceType
