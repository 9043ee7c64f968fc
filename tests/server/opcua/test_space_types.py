"""Types declare what their instances have, and are the same for every cell."""

import pytest
from asyncua import ua
from asyncua.ua import AttributeIds, NodeClass, ObjectIds

from tests.server.opcua.built_space import other_kinds, shipped
from twincell.server.opcua.space.namespaces import TYPES, cell_id, type_id
from twincell.sim.devices import DEVICES
from twincell.sim.devices.contract import type_name

MANDATORY = ua.NodeId(ObjectIds.ModellingRule_Mandatory)
OPTIONAL = ua.NodeId(ObjectIds.ModellingRule_Optional)

INSTANCES = {
    "Cell": "CellType",
    "Simulation": "SimulationType",
    "Bulk": "BulkType",
    "Robot1Flange": "CollisionObjectType",
    "Holder1": "CollisionObjectType",
    "Tool1": "ConstrainedObjectType",
    "Robot1": "RobotType",
    "Tool1Body": "BodyType",
}
EVENT_FIELDS = {
    "ToolAttachedEventType": {"Object", "Partner", "PreviousPartner", "Force", "Torque"},
    "ToolReleasedEventType": {"Object", "Partner", "PreviousPartner", "Force", "Torque"},
    "PartnerChangedEventType": {"Object", "Partner", "PreviousPartner", "Force", "Torque"},
    "OverloadEventType": {"Robot", "Joint"},
    "LoopOverrunEventType": {"Overruns", "LatenessUs"},
    "ControllerLostEventType": {"Controller", "SilentFor", "Reaction"},
    "FaultInjectedEventType": {"Name", "Value"},
    "FaultClearedEventType": {"Name", "Value"},
}


def rule(built, node_id):
    (found,) = built.targets(node_id, ObjectIds.HasModellingRule)
    return found


def check_instance(built, instance, declared):
    """All mandatory members are there, all members are declared, and they agree."""
    members, promised = built.children(instance), built.children(declared)
    for name, declaration in promised.items():
        if name not in members:
            assert rule(built, declaration) == OPTIONAL, f"{instance} has no {name}"
            continue
        member = members[name]
        for attribute in (AttributeIds.NodeClass, AttributeIds.BrowseName):
            assert built.attribute(member, attribute) == built.attribute(declaration, attribute)
        if built.attribute(member, AttributeIds.NodeClass) is NodeClass.Variable:
            for attribute in (
                AttributeIds.DataType,
                AttributeIds.ValueRank,
                AttributeIds.AccessLevel,
            ):
                assert built.attribute(member, attribute) == built.attribute(
                    declaration, attribute
                ), name
        check_instance(built, member, declaration)


@pytest.mark.parametrize("name", INSTANCES)
def test_an_object_has_what_its_type_declares(name):
    built = shipped("tool_change_multi")
    instance, declared = cell_id(name), type_id(INSTANCES[name])
    assert built.targets(instance, ObjectIds.HasTypeDefinition) == [declared]
    check_instance(built, instance, declared)
    assert set(built.children(instance)) <= set(built.children(declared))


def test_a_bridge_has_what_its_type_declares():
    built = shipped("tool_change_bridge")
    check_instance(built, cell_id("Plc1"), type_id("BridgeType"))
    assert built.children(cell_id("Cell.Bridges")) == {"Plc1": cell_id("Plc1")}
    assert built.value("Plc1.Endpoint") == "opc.tcp://127.0.0.1:4850"


@pytest.mark.parametrize("name", ["Hinge", "Slide", "Screw"])
def test_joints_of_all_types_share_one(name):
    built = other_kinds()
    check_instance(built, cell_id(name), type_id("JointType"))


def test_every_declaration_has_a_modelling_rule():
    built = shipped("tool_change_single")
    for node_id in built.own_ids():
        is_type = built.attribute(node_id, AttributeIds.NodeClass) is NodeClass.ObjectType
        is_metadata = node_id.Identifier.partition(".")[0] == "Namespace"
        if node_id.NamespaceIndex == TYPES and not is_type and not is_metadata:
            assert rule(built, node_id) in (MANDATORY, OPTIONAL)


def test_types_are_the_same_for_every_cell():
    def types(built):
        return {
            node_id: {
                attribute: held.value.Value.Value
                for attribute, held in built.aspace[node_id].attributes.items()
            }
            for node_id in built.own_ids()
            if node_id.NamespaceIndex == TYPES
        }

    assert types(shipped("tool_change_multi")) == types(other_kinds())


def test_only_what_some_objects_lack_is_optional():
    built = shipped("tool_change_single")
    optional = {
        node_id.Identifier
        for node_id in built.own_ids()
        if OPTIONAL in built.targets(node_id, ObjectIds.HasModellingRule)
    }
    folders = (
        *("CollisionObjects", "ConstrainedObjects"),
        *(f"{type_name(device)}s" for device in DEVICES),
        *("Robots", "Bodies", "Joints", "Surfaces", "WatchedContacts", "Bridges"),
    )
    arrays = ("Poses", "Wrenches", "Flags", "Partners", "Commands", "CommandValues")
    assert optional == {
        "CollisionObjectType.Closed",
        "JointType.Torque",
        "JointType.Force",
        *(f"CellType.{folder}" for folder in folders),
        *(f"BulkType.{name}" for name in arrays),
    }


@pytest.mark.parametrize("name", EVENT_FIELDS)
def test_an_event_type_has_its_fields_and_those_of_all_events(name):
    built = shipped("tool_change_single")
    node_id = built.space.event_types[name]
    base = built.space.event_types["TwincellEventType"]
    assert set(built.children(node_id)) == EVENT_FIELDS[name]
    assert built.targets(node_id, ObjectIds.HasSubtype, forward=False) == [base]
    assert set(built.children(base)) == {"Tick"}
    assert built.attribute(built.children(base)["Tick"], AttributeIds.DataType).Identifier == 8
    above = built.targets(base, ObjectIds.HasSubtype, forward=False)
    assert above == [ua.NodeId(ObjectIds.BaseEventType)]


def test_a_cell_says_which_events_it_sends():
    built = shipped("tool_change_single")
    sent = built.targets(type_id("CellType"), ObjectIds.GeneratesEvent)
    assert sent == list(built.space.event_types.values())


def test_forces_in_events_are_vectors():
    built = shipped("tool_change_single")
    force = type_id("ToolAttachedEventType.Force")
    assert built.attribute(force, AttributeIds.DataType) == ua.NodeId(ObjectIds.ThreeDVector)
