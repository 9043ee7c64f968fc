"""The exported NodeSet is a valid file, and another server makes the same nodes of it."""

import re
from functools import cache

import pytest
from asyncua import Server, ua
from asyncua.ua import ObjectIds
from lxml import etree

from tests.server.opcua.built_space import ROOT, build, other_kinds, shipped
from twincell.server.opcua.space.namespaces import CELL_URI, TYPES_URI
from twincell.server.opcua.space.nodeset import NODESET, cell_nodeset, nodeset_xml
from twincell.sim.spec import load_text

NODES = {"UAObject", "UAVariable", "UAMethod", "UAObjectType"}
NODE_ID = re.compile(r"(ns=[12];)?(i=\d+|s=[\w.\-]+)")
# the schema comes with the nodesets of node-opcua, which `make test` installs
SCHEMA = ROOT / "tests/node/node_modules/node-opcua-nodesets/nodesets/UANodeSet.xsd"

STANDARD = "http://opcfoundation.org/UA/"


@cache
def exported(cell: str) -> etree._Element:
    built = other_kinds() if cell == "other kinds" else shipped(cell)
    return etree.fromstring(nodeset_xml(built.aspace))


def tag(element) -> str:
    return etree.QName(element).localname


def children(element, name):
    return element.findall(f"{{{NODESET}}}{name}")


cells = pytest.mark.parametrize("cell", ["tool_change_multi", "first_cell", "other kinds"])


def test_namespaces_and_models_are_the_types_and_the_cell():
    root = exported("tool_change_multi")
    head = [tag(element) for element in root if tag(element) not in NODES]
    assert head == ["NamespaceUris", "Models", "Aliases"]
    assert [uri.text for uri in root[0]] == [TYPES_URI, CELL_URI]
    assert [model.get("ModelUri") for model in root[1]] == [TYPES_URI, CELL_URI]
    types, cell = root[1]
    assert [model.get("ModelUri") for model in types] == [STANDARD]
    assert types[0].get("Version").startswith("1.05.")
    # the cell has nodes of the standard's types and of ours
    assert [model.get("ModelUri") for model in cell] == [STANDARD, TYPES_URI]
    assert dict(cell[1].attrib) == dict(types.attrib)


@cells
def test_the_file_keeps_the_rules_of_the_schema(cell):
    # UANodeSet.xsd says more; these are the rules that an exporter can get wrong
    root = exported(cell)
    nodes = [element for element in root if tag(element) in NODES]
    assert [tag(element) for element in root][3:] == [tag(node) for node in nodes]
    aliases = {alias.get("Alias"): alias.text for alias in children(root, "Aliases")[0]}
    ids = [node.get("NodeId") for node in nodes]
    assert len(ids) == len(set(ids))
    order = ["DisplayName", "Description", "References", "Value"]
    for node in nodes:
        assert NODE_ID.fullmatch(node.get("NodeId"))
        assert re.fullmatch(r"([12]:)?[\w.:]+", node.get("BrowseName"))
        parts = [tag(part) for part in node]
        assert parts == sorted(parts, key=order.index)
        assert len(parts) == len(set(parts))
        assert node.get("DataType", "Double") in aliases
        assert re.fullmatch(r"\d+", node.get("ArrayDimensions", "0"))
        assert (node.get("ValueRank") == "1") is (node.get("ArrayDimensions") is not None)
        for reference in children(node, "References")[0]:
            assert reference.get("ReferenceType") in aliases
            assert reference.get("IsForward", "false") == "false"
            assert reference.text in ids or reference.text.startswith("i=")


@cells
def test_the_file_is_valid_against_the_official_schema(cell):
    etree.XMLSchema(file=str(SCHEMA)).assertValid(exported(cell))


def test_two_exports_are_equal_to_the_byte():
    spec = load_text('name = "Bare"\n[mover.Robot]\n')
    built = build(spec)
    assert cell_nodeset(spec, built.signals) == nodeset_xml(built.aspace)


def test_a_cell_may_be_described_with_any_character():
    spec = load_text('name = "Odd"\ndescription = "a\\nb <&> \\U0001F600"\n[mover.Robot]\n')
    root = etree.fromstring(nodeset_xml(build(spec).aspace))
    (cell,) = [node for node in root if node.get("NodeId") == "ns=2;s=Cell"]
    assert children(cell, "Description")[0].text == "a\nb <&> \U0001f600"


def test_a_method_names_its_declaration():
    declared = {
        node.get("NodeId"): node.get("MethodDeclarationId")
        for node in children(exported("tool_change_multi"), "UAMethod")
    }
    assert declared["ns=2;s=Robot2.MoveJoint"] == "ns=1;s=RobotType.MoveJoint"
    assert declared["ns=2;s=Simulation.Step"] == "ns=1;s=SimulationType.Step"
    assert declared["ns=1;s=RobotType.MoveJoint"] is None


def test_values_that_change_are_not_in_the_file():
    built = shipped("tool_change_multi")
    with_value = {
        node.get("NodeId").removeprefix("ns=2;s=")
        for node in children(exported("tool_change_multi"), "UAVariable")
        if children(node, "Value")
    }
    assert not with_value & {node_id.Identifier for node_id in built.space.variables}
    assert {"Holder1.Mode", "Tool1.Eta", "Bulk.Poses.Layout"} <= with_value


@cells
async def test_another_server_makes_the_same_nodes_of_it(cell):
    built = other_kinds() if cell == "other kinds" else shipped(cell)
    other = Server()
    await other.init()
    await other.import_xml(xmlstring=for_asyncua(nodeset_xml(built.aspace)), strict_mode=True)
    aspace = other.iserver.aspace
    for node_id in built.own_ids():
        assert facts(aspace[node_id]) == facts(built.aspace[node_id])
        assert references(aspace[node_id]) == references(built.aspace[node_id])
    # asyncua adds what it calls metadata, with numbers for ids
    made = {i for i in list(aspace.keys()) if isinstance(i.Identifier, str)}
    assert made == set(built.own_ids())


def for_asyncua(nodeset: bytes) -> bytes:
    """asyncua looks for required models outside of the file only, and for each of them once."""
    root = etree.fromstring(nodeset)
    cell = root[1][1]
    cell[:] = []
    return etree.tostring(root)


def facts(node):
    """All attributes; an array of no known length is empty or absent."""
    return {
        attribute: held.value.Value.Value or None for attribute, held in node.attributes.items()
    }


def references(node):
    """All references; asyncua also lists a type's instances, which nobody needs."""
    return {
        (
            reference.ReferenceTypeId,
            reference.IsForward,
            reference.NodeId,
            reference.BrowseName.to_string(),
            reference.DisplayName.Text,
            reference.NodeClass,
            reference.TypeDefinition,
        )
        for reference in node.references
        if reference.IsForward
        or reference.ReferenceTypeId != ua.NodeId(ObjectIds.HasTypeDefinition)
    }
