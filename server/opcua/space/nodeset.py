"""A cell's address space as NodeSet2 XML: a PLC's tool imports it, and needs no server to browse.

The file has all types and all nodes of the cell, with both ends of their references, but no values
that change. Two exports of a cell are equal to the byte, so they can be kept and compared.

    OPC UA part 6, annex F (UANodeSet.xsd) and 5.3 (XML encoding of values)
"""

from collections.abc import Iterator
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace, NodeData, NodeManagementService
from asyncua.server.standard_address_space.standard_address_space import fill_address_space
from asyncua.ua import AttributeIds, NodeClass
from asyncua.ua.object_ids import ObjectIds
from lxml import etree

from twincell import __version__
from twincell.server.opcua.space.namespaces import (
    BASE,
    CELL,
    CELL_URI,
    PUBLISHED,
    TYPES,
    TYPES_URI,
    base_id,
)
from twincell.server.opcua.space.nodeset_values import add_value
from twincell.server.opcua.space.space import CellSpace
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec

NODESET = "http://opcfoundation.org/UA/2011/03/UANodeSet.xsd"
INDEX = {BASE: 0, TYPES: 1, CELL: 2}  # a namespace's number in the file, by ours

# all we use of the standard is in its version 1.05; newer ones will do
STANDARD = {
    "ModelUri": "http://opcfoundation.org/UA/",
    "Version": "1.05.02",
    "PublicationDate": "2022-11-01T00:00:00Z",
}

GENERATES_EVENT = base_id(ObjectIds.GeneratesEvent)
HAS_TYPE_DEFINITION = base_id(ObjectIds.HasTypeDefinition)
DEFAULT_ACCESS = 1


def cell_nodeset(spec: CellSpec, signals: SignalTable) -> bytes:
    """The NodeSet of a cell that need not run."""
    aspace = AddressSpace()
    fill_address_space(NodeManagementService(aspace))
    CellSpace(aspace, spec, signals)
    return nodeset_xml(aspace)


def nodeset_xml(aspace: AddressSpace) -> bytes:
    """All nodes of our two namespaces."""
    ids = [node_id for node_id in list(aspace.keys()) if node_id.NamespaceIndex in (TYPES, CELL)]
    export = _Export(aspace)
    body = [export.element(aspace[node_id]) for node_id in ids]
    root = etree.Element(_tag("UANodeSet"), nsmap={None: NODESET})
    uris = etree.SubElement(root, _tag("NamespaceUris"))
    models = etree.SubElement(root, _tag("Models"))
    for uri in (TYPES_URI, CELL_URI):
        etree.SubElement(uris, _tag("Uri")).text = uri
        model = etree.SubElement(models, _tag("Model"), _model(uri))
        required = [STANDARD] if uri == TYPES_URI else [STANDARD, _model(TYPES_URI)]
        for other in required:
            etree.SubElement(model, _tag("RequiredModel"), other)
    aliases = etree.SubElement(root, _tag("Aliases"))
    for name, node_id in sorted(export.aliases.items()):
        etree.SubElement(aliases, _tag("Alias"), Alias=name).text = node_id
    root.extend(body)
    etree.indent(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="utf-8", pretty_print=True))


class _Export:
    """Nodes as elements; standard data types and references get an alias when they are used."""

    def __init__(self, aspace: AddressSpace) -> None:
        self._aspace = aspace
        self.aliases: dict[str, str] = {}

    def element(self, node: NodeData) -> Any:
        """A node."""
        node_class = _value(node, AttributeIds.NodeClass)
        element = etree.Element(_tag(f"UA{NodeClass(node_class).name}"))
        element.set("NodeId", _id(node.nodeid))
        element.set("BrowseName", _browse_name(_value(node, AttributeIds.BrowseName)))
        if node_class != NodeClass.ObjectType:
            element.set("ParentNodeId", _id(_parent(node)))
        self._add_text(element, "DisplayName", _value(node, AttributeIds.DisplayName).Text)
        self._add_text(element, "Description", _value(node, AttributeIds.Description).Text)
        references = etree.SubElement(element, _tag("References"))
        for reference in node.references:
            self._add_reference(references, reference)
        self._set_attributes(element, node)
        return element

    def _set_attributes(self, element: Any, node: NodeData) -> None:
        """What differs from the defaults of the schema."""
        node_class = _value(node, AttributeIds.NodeClass)
        if node_class == NodeClass.Object and _value(node, AttributeIds.EventNotifier):
            element.set("EventNotifier", str(_value(node, AttributeIds.EventNotifier)))
        if node_class == NodeClass.ObjectType and _value(node, AttributeIds.IsAbstract):
            element.set("IsAbstract", "true")
        if node_class == NodeClass.Method and (declared := self._declaration(node)):
            element.set("MethodDeclarationId", _id(declared))
        if node_class == NodeClass.Variable:
            self._set_variable(element, node)

    def _set_variable(self, element: Any, node: NodeData) -> None:
        element.set("DataType", self._alias(_value(node, AttributeIds.DataType)))
        if dimensions := _value(node, AttributeIds.ArrayDimensions):
            element.set("ValueRank", str(_value(node, AttributeIds.ValueRank)))
            element.set("ArrayDimensions", ",".join(map(str, dimensions)))
        access = _value(node, AttributeIds.AccessLevel)
        if access != DEFAULT_ACCESS:
            element.set("AccessLevel", str(access))
            element.set("UserAccessLevel", str(_value(node, AttributeIds.UserAccessLevel)))
        if interval := _value(node, AttributeIds.MinimumSamplingInterval):
            element.set("MinimumSamplingInterval", f"{interval:g}")
        held = node.attributes[AttributeIds.Value].value
        if held is not None and held.Value.Value is not None:
            add_value(etree.SubElement(element, _tag("Value")), held.Value)

    def _add_reference(self, references: Any, reference: ua.ReferenceDescription) -> None:
        # an importer takes a node from which a reference comes for its parent
        if reference.ReferenceTypeId == GENERATES_EVENT and not reference.IsForward:
            return
        kind = self._alias(reference.ReferenceTypeId)
        element = etree.SubElement(references, _tag("Reference"), ReferenceType=kind)
        if not reference.IsForward:
            element.set("IsForward", "false")
        element.text = _id(reference.NodeId)

    def _alias(self, node_id: ua.NodeId) -> str:
        name = str(_value(self._aspace[node_id], AttributeIds.BrowseName).Name)
        self.aliases[name] = _id(node_id)
        return name

    def _declaration(self, method: NodeData) -> ua.NodeId | None:
        """The method of its object's type that a method carries out."""
        name = _value(method, AttributeIds.BrowseName)
        for type_id in _targets(self._aspace[_parent(method)], HAS_TYPE_DEFINITION):
            for reference in self._aspace[type_id].references:
                if reference.IsForward and reference.BrowseName == name:
                    return reference.NodeId
        return None

    def _add_text(self, element: Any, name: str, text: str) -> None:
        if text:
            etree.SubElement(element, _tag(name)).text = text


def _parent(node: NodeData) -> ua.NodeId:
    """The node below which it was added."""
    return node.references[0].NodeId


def _targets(node: NodeData, kind: ua.NodeId) -> Iterator[ua.NodeId]:
    for reference in node.references:
        if reference.IsForward and reference.ReferenceTypeId == kind:
            yield reference.NodeId


def _value(node: NodeData, attribute: AttributeIds) -> Any:
    held = node.attributes[attribute].value
    return held.Value.Value


def _id(node_id: ua.NodeId) -> str:
    index = INDEX[node_id.NamespaceIndex]
    identifier = node_id.Identifier
    text = f"s={identifier}" if isinstance(identifier, str) else f"i={identifier}"
    return f"ns={index};{text}" if index else text


def _browse_name(name: ua.QualifiedName) -> str:
    index = INDEX[name.NamespaceIndex]
    return f"{index}:{name.Name}" if index else str(name.Name)


def _model(uri: str) -> dict[str, str]:
    """One of ours, as it is told and as it is required."""
    published = PUBLISHED.replace("+00:00", "Z")
    return {"ModelUri": uri, "Version": __version__, "PublicationDate": published}


def _tag(name: str) -> str:
    return f"{{{NODESET}}}{name}"
