"""Every signal is a node with its own id, the right type, unit and access."""

import time

import pytest
from asyncua import ua
from asyncua.ua import AttributeIds, NodeClass, ObjectIds

from tests.server.opcua.built_space import other_kinds, shipped, standard_space
from twincell.server.opcua.space.layout import FRAME, VECTOR, Shape
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.opcua.space.node_store import Name, NodeStore, Place
from twincell.server.opcua.space.space import CellSpace
from twincell.server.opcua.space.units import engineering_unit
from twincell.sim.build import compile_cell
from twincell.sim.signals import Direction, Kind
from twincell.sim.spec import load_text

DATA_TYPES = {
    Kind.BOOLEAN: ObjectIds.Boolean,
    Kind.INT32: ObjectIds.Int32,
    Kind.UINT16: ObjectIds.UInt16,
    Kind.DOUBLE: ObjectIds.Double,
    Kind.STRING: ObjectIds.String,
}
READ, READ_WRITE = 1, 3

# ids that clients have in their programs: they may become more, but none may change or go
MOTION = """
    Pose Pose.CartesianCoordinates Pose.Orientation Pose.X Pose.Y Pose.Z Pose.A Pose.B Pose.C
    Quaternion Quaternion.W Quaternion.X Quaternion.Y Quaternion.Z
    Velocity Velocity.X Velocity.Y Velocity.Z
    AngularVelocity AngularVelocity.X AngularVelocity.Y AngularVelocity.Z
"""
LOAD = "Force Force.X Force.Y Force.Z Torque Torque.X Torque.Y Torque.Z"
PROMISED = {
    "Tool1Body": MOTION,
    "Holder1": f"{MOTION} {LOAD} IsClosed Holding Mode Shape",
    "Robot1Flange": f"{MOTION} {LOAD} Closed IsClosed Holding Mode Shape",
    "Tool1": f"""{MOTION} {LOAD} Partner Constrained Deviation AngularDeviation Eta TransitionTime
        Force.X.EngineeringUnits Force.VectorUnit""",
    "Robot1": """
        Stop JointSetPoint TcpSetPoint JointTarget JointTarget.1 JointTarget.6
        TcpTarget TcpTarget.X TcpTarget.C TcpPose TcpPose.X TcpPose.C TcpQuaternion TcpQuaternion.W
        TcpVelocity TcpVelocity.X TcpAngularVelocity TcpAngularVelocity.Z
        Moving StreamLost Refusal RefusalCount MoveCount
        JointPosition JointPosition.1 JointVelocity JointVelocity.2 JointTorque JointTorque.3
        JointReference JointReference.4 AtLimit AtLimit.5 Overload Overload.6
        MoveJoint MoveJointToPose MoveLinear MoveVia StopMove MoveJoint.InputArguments
    """,
    "Simulation": """
        Time Tick CycleEcho State Speed RealTimeFactor Overruns Slips
        ContactsUnsettled ContactsLeftOut LatenessP99 WorstLateness Heartbeat Fault Rights
        Restarts Resets TimeMode CycleTime CycleCounter ControllerLost
        Recording RecordedRows LostRows RecordingError ActiveFaults FaultCount
        Pause Resume Reset Step SetSpeed SetTimeMode Snapshot Restore StartRecording StopRecording
        InjectFault InjectProtocolFault ForceSignal ReleaseSignal ClearFaults
        Step.OutputArguments
    """,
    "Cell": "Control CollisionObjects ConstrainedObjects Robots Bodies",
    "Bulk": "Poses Wrenches Flags Partners Commands CommandValues Poses.Layout",
}

CELLS = {
    "multi": lambda: shipped("tool_change_multi"),
    "single": lambda: shipped("tool_change_single"),
    "other kinds": other_kinds,
}


@pytest.fixture(params=CELLS)
def built(request):
    return CELLS[request.param]()


def test_every_signal_has_a_scalar_node_of_its_type(built):
    for signal in built.signals:
        node_id = cell_id(signal.name)
        variable = built.space.variables[node_id]
        assert variable.columns == (signal.column,)
        assert variable.texts == signal.texts
        assert variable.is_command is (signal.direction is Direction.COMMAND)
        assert built.attribute(node_id, AttributeIds.NodeClass) is NodeClass.Variable
        assert built.attribute(node_id, AttributeIds.DataType).Identifier == DATA_TYPES[signal.kind]
        assert built.attribute(node_id, AttributeIds.ValueRank) == -1
        assert built.attribute(node_id, AttributeIds.Description).Text == signal.description
        name = built.attribute(node_id, AttributeIds.BrowseName).Name
        assert name == signal.name.rpartition(".")[2]
        assert built.attribute(node_id, AttributeIds.DisplayName).Text == name


def test_only_commands_are_writable(built):
    for node_id, variable in built.space.variables.items():
        access = READ_WRITE if variable.is_command else READ
        assert built.attribute(node_id, AttributeIds.AccessLevel) == access
        assert built.attribute(node_id, AttributeIds.UserAccessLevel) == access
    for name, node_id in built.space.slow.items():
        access = READ_WRITE if name == "Simulation.CycleCounter" else READ
        assert built.attribute(node_id, AttributeIds.AccessLevel) == access


def test_every_signal_with_a_unit_tells_it(built):
    for signal in built.signals:
        told = built.children(cell_id(signal.name)).get("EngineeringUnits")
        assert (told is not None) is bool(signal.unit), signal.name
        if told is not None:
            assert built.attribute(told, AttributeIds.Value) == engineering_unit(signal.unit)


def test_nodes_of_rows_say_how_often_they_change(built):
    for node_id in built.space.variables:
        assert built.attribute(node_id, AttributeIds.MinimumSamplingInterval) == 1.0  # ms
        assert built.attribute(node_id, AttributeIds.Historizing) is False
    for node_id in built.space.slow.values():
        assert built.attribute(node_id, AttributeIds.MinimumSamplingInterval) == 100.0


def test_arrays_say_their_length(built):
    arrays = 0
    for node_id, variable in built.space.variables.items():
        dimensions = built.attribute(node_id, AttributeIds.ArrayDimensions)
        if variable.layout.shape in (Shape.ARRAY, Shape.BITS):
            assert built.attribute(node_id, AttributeIds.ValueRank) == 1
            assert dimensions == [variable.layout.count]
            arrays += 1
        else:
            assert built.attribute(node_id, AttributeIds.ValueRank) == -1
            assert not dimensions
    assert arrays > 5


def test_every_reference_leads_to_a_node_and_hierarchies_lead_back(built):
    both_ways = (ObjectIds.HasComponent, ObjectIds.HasProperty, ObjectIds.HasSubtype)
    for node_id in built.own_ids():
        for reference in built.aspace[node_id].references:
            other = built.aspace[reference.NodeId]
            assert reference.BrowseName == built.attribute(
                reference.NodeId, AttributeIds.BrowseName
            )
            assert reference.NodeClass == built.attribute(reference.NodeId, AttributeIds.NodeClass)
            if reference.ReferenceTypeId.Identifier in both_ways:
                assert any(
                    back.NodeId == node_id
                    and back.ReferenceTypeId == reference.ReferenceTypeId
                    and back.IsForward is not reference.IsForward
                    for back in other.references
                )


def test_no_two_members_of_a_node_have_one_name(built):
    for node_id in built.own_ids():
        names = [
            reference.BrowseName.Name
            for reference in built.aspace[node_id].references
            if reference.IsForward
            and reference.ReferenceTypeId.Identifier
            in (ObjectIds.HasComponent, ObjectIds.HasProperty)
        ]
        assert len(names) == len(set(names)), node_id


def test_a_pose_is_a_frame_whose_parts_have_the_ids_of_their_signals():
    built = shipped("tool_change_single")
    pose = cell_id("Tool1.Pose")
    variable = built.space.variables[pose]
    assert variable.layout is FRAME
    assert variable.columns == tuple(built.signals[f"Tool1.Pose.{c}"].column for c in "XYZABC")
    assert built.attribute(pose, AttributeIds.DataType) == ua.NodeId(ObjectIds.ThreeDFrame)
    assert "KUKA" in built.attribute(pose, AttributeIds.Description).Text
    parts = built.children(pose)
    assert list(parts) == ["CartesianCoordinates", "Orientation"]
    place = built.children(parts["CartesianCoordinates"])
    assert {name: place[name] for name in "XYZ"} == {c: cell_id(f"Tool1.Pose.{c}") for c in "XYZ"}
    turn = built.children(parts["Orientation"])
    assert {name: turn[name] for name in "ABC"} == {c: cell_id(f"Tool1.Pose.{c}") for c in "ABC"}
    assert built.attribute(place["LengthUnit"], AttributeIds.Value) == engineering_unit("m")
    assert built.attribute(turn["AngleUnit"], AttributeIds.Value) == engineering_unit("rad")
    assert built.space.variables[parts["Orientation"]].columns == variable.columns[3:]


def test_a_force_is_a_vector_with_its_unit():
    built = shipped("tool_change_single")
    force = cell_id("Tool1.Force")
    assert built.space.variables[force].layout is VECTOR
    assert list(built.children(force)) == ["VectorUnit", "X", "Y", "Z"]
    assert built.value("Tool1.Force.VectorUnit") == engineering_unit("N")


def test_a_robots_joints_are_arrays_of_their_signals():
    built = shipped("tool_change_multi")
    for quantity in ("JointPosition", "JointTorque", "JointTarget", "Overload"):
        variable = built.space.variables[cell_id(f"Robot1.{quantity}")]
        parts = [built.signals[f"Robot1.{quantity}.{k}"] for k in range(1, 7)]
        assert variable.columns == tuple(signal.column for signal in parts)
        assert variable.is_command is (quantity == "JointTarget")
        children = built.children(cell_id(f"Robot1.{quantity}"))
        assert [children[str(k)] for k in range(1, 7)] == [cell_id(s.name) for s in parts]
    assert built.space.variables[cell_id("Robot1.TcpTarget")].is_command


def test_an_array_of_mixed_units_tells_them_only_part_by_part():
    built = other_kinds()  # the gantry has slides and a wrist that turns
    assert "EngineeringUnits" not in built.children(cell_id("Gantry.JointPosition"))
    assert built.value("Gantry.JointPosition.1.EngineeringUnits") == engineering_unit("m")
    assert built.value("Gantry.JointPosition.4.EngineeringUnits") == engineering_unit("rad")


def test_objects_stand_in_the_folder_of_their_kind_in_the_order_of_the_file():
    built = shipped("tool_change_multi")
    folders = built.children(built.space.cell)
    listed = {
        folder: list(built.children(folders[folder]))
        for folder in ("CollisionObjects", "ConstrainedObjects", "Robots", "Bodies")
    }
    spec = built.spec
    assert listed == {
        "CollisionObjects": list(spec.collision_object),
        "ConstrainedObjects": list(spec.constrained_object),
        "Robots": list(spec.robot),
        "Bodies": list(spec.body),
    }
    assert "Joints" not in folders  # a robot's own are not objects of the cell
    assert set(built.space.nodes) == {name for names in listed.values() for name in names}


def test_joints_without_a_drive_are_objects():
    built = other_kinds()
    folders = built.children(built.space.cell)
    assert list(built.children(folders["Joints"])) == ["Hinge", "Slide", "Screw"]
    assert cell_id("Hinge.Torque") in built.space.variables
    assert cell_id("Slide.Force") in built.space.variables


def test_an_object_may_be_called_like_a_folder():
    built = other_kinds()  # its collision object is called Robots
    folders = built.children(built.space.cell)
    assert built.children(folders["CollisionObjects"])["Robots"] == cell_id("Robots")
    assert list(built.children(folders["Robots"])) == ["Gantry"]


def test_what_the_cell_file_says_is_there_to_read():
    single, other = shipped("tool_change_single"), other_kinds()
    assert single.value("Holder1.Mode") == "passive"
    assert single.value("Robot1Flange.Mode") == "control"
    assert single.value("Holder1.Shape") == "sphere"
    assert other.value("Robots.Shape") == "rectangle"
    assert single.value("Tool1.Eta") == 50.0
    assert single.value("Tool1.TransitionTime") == 0.0  # it has none
    assert other.value("Latch.TransitionTime") == 0.25
    assert other.value("Latch.Eta.EngineeringUnits") == engineering_unit("1/s")
    assert cell_id("Tool1.Eta") not in single.space.variables


def test_tick_and_time_stand_behind_the_signals():
    built = shipped("tool_change_single")
    tick = built.space.variables[cell_id("Simulation.Tick")]
    time_ = built.space.variables[cell_id("Simulation.Time")]
    assert tick.columns == (len(built.signals),)
    assert time_.columns == (len(built.signals) + 1,)
    assert tick.layout.type is ua.VariantType.Int64
    assert built.attribute(cell_id("Simulation.Tick"), AttributeIds.DataType).Identifier == 8


def test_slow_values_and_methods_are_found_by_name():
    space = shipped("tool_change_multi").space
    slow = PROMISED["Simulation"].split()[3:27]
    assert set(space.slow) == {"Cell.Control", *(f"Simulation.{name}" for name in slow)}
    simulation = PROMISED["Simulation"].split()[27:42]
    robot = ("MoveJoint", "MoveJointToPose", "MoveLinear", "MoveVia", "StopMove")
    assert set(space.methods) == {
        *(f"Simulation.{name}" for name in simulation),
        *(f"{owner}.{name}" for owner in ("Robot1", "Robot2") for name in robot),
    }


def test_methods_describe_their_arguments():
    built = shipped("tool_change_multi")

    def told(name):
        return [
            (
                argument.Name,
                argument.DataType.Identifier,
                argument.ValueRank,
                argument.ArrayDimensions,
            )
            for argument in built.value(name)
        ]

    double = ObjectIds.Double
    assert told("Robot1.MoveJoint.InputArguments") == [
        ("Target", double, 1, [6]),
        ("Speed", double, -1, []),
    ]
    assert told("Robot1.MoveLinear.InputArguments") == [
        ("Position", double, 1, [3]),
        ("Quaternion", double, 1, [4]),
        ("TcpSpeed", double, -1, []),
        ("TcpTurn", double, -1, []),
    ]
    assert told("Robot1.MoveVia.InputArguments")[0] == ("Points", double, 1, [0])
    assert told("Simulation.Step.InputArguments") == [("N", ObjectIds.UInt32, -1, [])]
    assert told("Simulation.Step.OutputArguments") == [("Tick", ObjectIds.Int64, -1, [])]
    assert built.children(built.space.methods["Robot1.StopMove"]) == {}


def test_the_cell_sends_events_and_hangs_below_the_server():
    built = shipped("tool_change_single")
    server = ua.NodeId(ObjectIds.Server)
    assert built.attribute(built.space.cell, AttributeIds.EventNotifier) == 1
    assert built.targets(server, ObjectIds.HasNotifier) == [built.space.cell]
    assert built.targets(built.space.cell, ObjectIds.HasNotifier, forward=False) == [server]


@pytest.mark.parametrize("owner", PROMISED)
def test_ids_stay_the_same_over_versions(owner):
    there = {node_id.Identifier for node_id in shipped("tool_change_multi").own_ids()}
    assert {owner, *(f"{owner}.{name}" for name in PROMISED[owner].split())} <= there


def test_two_nodes_never_share_an_id():
    built = shipped("tool_change_single")
    place, folder = Place(built.space.cell), ua.NodeId(ObjectIds.FolderType)
    with pytest.raises(ValueError, match="two nodes with the id ns=3;s=Simulation"):
        NodeStore(built.aspace).add_object(cell_id("Simulation"), Name("Other"), place, folder)
    assert "Other" not in built.children(built.space.cell)


def test_a_cell_of_ten_thousand_nodes_is_built_in_a_moment():
    objects = "".join(
        f"[body.Body{k}]\nmass_kg = 1\ninertia_kg_m2 = [1, 1, 1]\nposition_m = [{k}, 0, 0]\n"
        f'[constrained_object.Tool{k}]\non = "Body{k}"\nradius_m = 0.1\neta = 50\n'
        for k in range(100)
    )
    spec = load_text(f'name = "Large"\n{objects}')
    aspace, signals = standard_space(), compile_cell(spec).signals
    before, start = len(aspace.keys()), time.process_time()
    CellSpace(aspace, spec, signals)
    assert len(aspace.keys()) - before > 10_000
    assert time.process_time() - start < 5.0  # measured: 0.9 s; the rest is for a busy machine
