"""Nodes put straight into asyncua's address space, thousands of them in a fraction of a second.

asyncua's own way checks every new node against all its siblings, and so takes ever longer. Here
whoever adds a node answers for its place; only ids are checked, as two nodes with one id would be
one.

Facts that many nodes share (a data type, an access level) are one object in memory. What a server
may change or watch, the AttributeValue around it, is each node's own.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace, AttributeValue, NodeData
from asyncua.ua import AttributeIds, NodeClass, ObjectIds, VariantType

from twincell.server.opcua.space.namespaces import TYPES, base_id

HAS_COMPONENT = base_id(ObjectIds.HasComponent)
HAS_PROPERTY = base_id(ObjectIds.HasProperty)
HAS_SUBTYPE = base_id(ObjectIds.HasSubtype)
ORGANIZES = base_id(ObjectIds.Organizes)
HAS_MODELLING_RULE = base_id(ObjectIds.HasModellingRule)
HAS_TYPE_DEFINITION = base_id(ObjectIds.HasTypeDefinition)

DATA_VARIABLE = base_id(ObjectIds.BaseDataVariableType)
PROPERTY = base_id(ObjectIds.PropertyType)

NO_TYPE = ua.NodeId()
READ = ua.AccessLevel.CurrentRead.mask
READ_WRITE = READ | ua.AccessLevel.CurrentWrite.mask


@dataclass(frozen=True)
class Name:
    """What a browsing client sees of a node, and who gave it that name."""

    text: str
    namespace: int = TYPES


@dataclass(frozen=True)
class Place:
    """Where a new node goes: below which node, and by which reference."""

    parent: ua.NodeId
    reference: ua.NodeId = HAS_COMPONENT
    rule: ua.NodeId | None = None  # modelling rule, of what a type declares


@dataclass(frozen=True)
class Facts:
    """What is known of a variable before it has a value."""

    data_type: ua.NodeId
    length: int | None = None  # of an array, 0 when it may be any; None for a scalar
    writable: bool = False
    sampling_ms: float = 0.0  # least time between two values


class NodeStore:
    """Adds nodes and references to an address space."""

    def __init__(self, aspace: AddressSpace) -> None:
        self._aspace = aspace

    def add_object(
        self,
        node_id: ua.NodeId,
        name: Name,
        place: Place,
        type_definition: ua.NodeId,
        description: str = "",
        notifies: bool = False,
    ) -> None:
        """An object; one that notifies sends events."""
        node = self._new(node_id, NodeClass.Object, name, description, place, type_definition)
        _set(node, AttributeIds.EventNotifier, _shared(int(notifies), VariantType.Byte))

    def add_variable(
        self,
        node_id: ua.NodeId,
        name: Name,
        place: Place,
        facts: Facts,
        type_definition: ua.NodeId = DATA_VARIABLE,
        description: str = "",
        value: ua.Variant | None = None,
    ) -> None:
        """A variable; without a value it waits for one, or only declares that there will be one."""
        node = self._new(node_id, NodeClass.Variable, name, description, place, type_definition)
        for attribute, fact in _variable_facts(facts):
            _set(node, attribute, fact)
        if value is not None:
            _set(node, AttributeIds.Value, ua.DataValue(value))
        else:
            _set(node, AttributeIds.Value, _no_value(waits=place.rule is None))

    def add_method(
        self, node_id: ua.NodeId, name: Name, place: Place, description: str = ""
    ) -> None:
        """A method; what it does is attached later."""
        node = self._new(node_id, NodeClass.Method, name, description, place, NO_TYPE)
        _set(node, AttributeIds.Executable, _shared(True, VariantType.Boolean))
        _set(node, AttributeIds.UserExecutable, _shared(True, VariantType.Boolean))

    def add_object_type(
        self,
        node_id: ua.NodeId,
        name: Name,
        parent: ua.NodeId,
        description: str = "",
        abstract: bool = False,
    ) -> None:
        """A type below the type it refines."""
        place = Place(parent, HAS_SUBTYPE)
        node = self._new(node_id, NodeClass.ObjectType, name, description, place, NO_TYPE)
        _set(node, AttributeIds.IsAbstract, _shared(abstract, VariantType.Boolean))

    def refer(self, source: ua.NodeId, reference: ua.NodeId, target: ua.NodeId) -> None:
        """A further reference between two nodes, to be followed from both ends."""
        from_node, to_node = self._aspace[source], self._aspace[target]
        from_node.references.append(_reference(reference, True, to_node))
        to_node.references.append(_reference(reference, False, from_node))

    def _new(
        self,
        node_id: ua.NodeId,
        node_class: NodeClass,
        name: Name,
        description: str,
        place: Place,
        type_definition: ua.NodeId,
    ) -> NodeData:
        """What every node has, and its references."""
        if node_id in self._aspace:
            raise ValueError(f"there are two nodes with the id {node_id.to_string()}")
        node = NodeData(node_id)
        _set(node, AttributeIds.NodeId, ua.DataValue(ua.Variant(node_id, VariantType.NodeId)))
        _set(node, AttributeIds.NodeClass, _shared(node_class, VariantType.Int32))
        _set(node, AttributeIds.BrowseName, _browse_name(name))
        _set(node, AttributeIds.DisplayName, _text(name.text))
        _set(node, AttributeIds.Description, _text(description))
        _set(node, AttributeIds.WriteMask, _shared(0, VariantType.UInt32))
        _set(node, AttributeIds.UserWriteMask, _shared(0, VariantType.UInt32))

        parent = self._aspace[place.parent]
        parent.references.append(_reference(place.reference, True, node, type_definition))
        node.references.append(_reference(place.reference, False, parent))
        if type_definition is not NO_TYPE:
            type_node = self._aspace[type_definition]
            node.references.append(_reference(HAS_TYPE_DEFINITION, True, type_node))
        if place.rule is not None:
            rule = self._aspace[place.rule]
            node.references.append(_reference(HAS_MODELLING_RULE, True, rule))
        self._aspace[node_id] = node
        return node


def _reference(
    reference: ua.NodeId, forward: bool, target: NodeData, type_definition: ua.NodeId | None = None
) -> ua.ReferenceDescription:
    """A reference with what a Browse wants to know about its target."""
    return ua.ReferenceDescription(
        reference,
        forward,
        target.nodeid,
        _value_of(target, AttributeIds.BrowseName),
        _value_of(target, AttributeIds.DisplayName),
        _value_of(target, AttributeIds.NodeClass),
        _type_of(target) if type_definition is None else type_definition,
    )


def _type_of(node: NodeData) -> ua.NodeId:
    """Type definition of a node that is in the address space already."""
    for reference in node.references:
        if reference.IsForward and reference.ReferenceTypeId == HAS_TYPE_DEFINITION:
            return reference.NodeId
    return NO_TYPE


def _value_of(node: NodeData, attribute: AttributeIds) -> Any:
    held = node.attributes[attribute].value
    assert held is not None and held.Value is not None
    return held.Value.Value


def _set(node: NodeData, attribute: AttributeIds, value: ua.DataValue) -> None:
    node.attributes[attribute] = AttributeValue(value)


@lru_cache(maxsize=None, typed=True)  # typed: True, 1 and NodeClass.Object are not the same here
def _shared(value: Any, type_: VariantType) -> ua.DataValue:
    return ua.DataValue(ua.Variant(value, type_))


@cache
def _text(text: str) -> ua.DataValue:
    return ua.DataValue(ua.Variant(ua.LocalizedText(text or None), VariantType.LocalizedText))


@cache
def _browse_name(name: Name) -> ua.DataValue:
    qualified = ua.QualifiedName(name.text, name.namespace)
    return ua.DataValue(ua.Variant(qualified, VariantType.QualifiedName))


@cache
def _no_value(waits: bool) -> ua.DataValue:
    codes = ua.StatusCodes
    status = ua.StatusCode(codes.BadWaitingForInitialData if waits else codes.Good)
    return ua.DataValue(ua.Variant(None, VariantType.Null), status)


@cache
def _variable_facts(facts: Facts) -> tuple[tuple[AttributeIds, ua.DataValue], ...]:
    access = _shared(READ_WRITE if facts.writable else READ, VariantType.Byte)
    dimensions = None if facts.length is None else [facts.length]
    return (
        (AttributeIds.DataType, _shared(facts.data_type, VariantType.NodeId)),
        (AttributeIds.ValueRank, _shared(-1 if facts.length is None else 1, VariantType.Int32)),
        (
            AttributeIds.ArrayDimensions,
            ua.DataValue(ua.Variant(dimensions, VariantType.UInt32, is_array=True)),
        ),
        (AttributeIds.AccessLevel, access),
        (AttributeIds.UserAccessLevel, access),
        (AttributeIds.MinimumSamplingInterval, _shared(facts.sampling_ms, VariantType.Double)),
        (AttributeIds.Historizing, _shared(False, VariantType.Boolean)),
    )
