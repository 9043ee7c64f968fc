"""node-opcua, an OPC UA stack that has nothing in common with ours, reads and drives a cell."""

from pathlib import Path
from typing import Any

import pytest

from twincell.server.opcua.wire.endpoints import OFFERED
from twincell.sim.cell import Cell
from twincell.sim.signals import Direction, SignalTable

CELL = Path(__file__).parents[2] / "config" / "cells" / "tool_change_single.toml"
DATA_TYPES = {"Boolean": 1, "Int32": 6, "Double": 11, "String": 12}
READ, READ_WRITE = 1, 3  # access levels
FRAME, FRAME_TYPE, VECTOR_TYPE, ANALOG = "i=18814", "i=18791", "i=17716", "i=17497"


@pytest.fixture(scope="module")
def signals() -> SignalTable:
    return Cell.load(CELL).signals


def rows_of(signals: SignalTable, ticks: int) -> list[Any]:
    """What the signals are after some ticks of the same cell, simulated here."""
    cell = Cell.load(CELL)
    row = cell.run(ticks + 1)[-1]
    return [signal.value(row[signal.column]) for signal in signals]


# ---------------------------------------------------------------- browse


def test_the_server_calls_itself_as_the_client_did(play):
    for called, endpoints in play("browse")["endpoints"]:
        assert len(endpoints) == len(OFFERED)
        assert {url for url, _ in endpoints} == {called}
        assert {uri for _, uri in endpoints} == {policy.URI for policy, _, _ in OFFERED}


def test_every_signal_is_found_by_browsing_with_its_type_unit_and_rights(play, signals):
    nodes = play("browse")["nodes"]
    for signal in signals:
        node = nodes[f"ns=3;s={signal.name}"]
        is_command = signal.direction is Direction.COMMAND
        assert node["class"] == "Variable"
        assert node["dataType"] == f"ns=0;i={DATA_TYPES[signal.kind]}"
        assert node["valueRank"] == -1
        assert node["access"] == (READ_WRITE if is_command else READ)
        assert node["sampling"] == 1.0
        assert node["description"]
        if signal.unit:
            assert node["unit"]["symbol"].replace("·", ".") == signal.unit
            assert node["type"] == f"ns=0;{ANALOG}"


def test_objects_have_types_and_stand_in_the_folder_of_their_kind(play):
    found = play("browse")
    assert found["namespaces"][2:] == ["urn:twincell:types", "urn:twincell:cell"]
    for name, folder, type_ in (
        ("Tool1", "ConstrainedObjects", "ConstrainedObjectType"),
        ("Holder2", "CollisionObjects", "CollisionObjectType"),
        ("ToolBody", "Bodies", "BodyType"),
    ):
        node = found["nodes"][f"ns=3;s={name}"]
        assert node["parent"] == f"ns=3;s=Cell.{folder}"
        assert (node["name"], node["type"]) == (f"3:{name}", f"ns=2;s={type_}")
    assert found["nodes"]["ns=3;s=Simulation.Step"]["class"] == "Method"
    assert found["notifiers"] == ["ns=3;s=Cell"]


def test_poses_and_vectors_are_the_standards_own_structures(play):
    nodes = play("browse")["nodes"]
    pose, quaternion = nodes["ns=3;s=Tool1.Pose"], nodes["ns=3;s=Tool1.Quaternion"]
    assert (pose["dataType"], pose["type"]) == (f"ns=0;{FRAME}", f"ns=0;{FRAME_TYPE}")
    assert nodes["ns=3;s=Tool1.Force"]["type"] == f"ns=0;{VECTOR_TYPE}"
    assert nodes["ns=3;s=Tool1.Pose.CartesianCoordinates"]["unit"]["symbol"] == "m"
    assert nodes["ns=3;s=Tool1.Pose.Orientation"]["unit"]["property"] == "AngleUnit"
    assert (quaternion["valueRank"], quaternion["dimensions"]) == (1, [4])


def test_a_path_leads_to_a_node_and_a_wrong_one_nowhere(play):
    right, wrong = play("browse")["paths"]
    assert right == {"status": "Good", "targets": ["ns=3;s=Tool1.Pose.X"]}
    assert wrong["status"] == "BadNoMatch"


# ---------------------------------------------------------------- read


def test_all_signals_of_one_read_are_those_of_one_tick(play, signals):
    told = play("read")
    assert {value["status"] for value in told["all"]} == {"Good"}
    assert len({value["source"] for value in told["all"]}) == 1
    assert [value["value"] for value in told["all"]] == rows_of(signals, told["ticks"])
    assert told["registered"] == told["ticks"]


def test_structures_decode_as_the_standard_says(play):
    told = play("read")["structures"]
    assert told["pose"] == [
        "ThreeDFrame",
        {
            "cartesianCoordinates": {"x": 1.0, "y": 0.0, "z": 0.78},
            "orientation": {"a": 0.0, "b": 0.0, "c": 0.0},
        },
    ]
    assert told["force"] == ["ThreeDVector", {"x": 0.0, "y": 0.0, "z": 9.81}]
    assert told["unit"] == ["EUInformation", "N"]
    assert (told["product"], told["state"]) == ("twincell", "Running")


def test_a_part_of_an_array_can_be_read_and_what_is_not_there_cannot(play):
    parts = [(part["status"], part["value"]) for part in play("read")["parts"]]
    assert parts == [
        ("Good", [1.0]),
        ("Good", [0.0, 0.0, 0.0]),
        ("Good", [0.0, 0.0]),
        ("BadIndexRangeNoData", None),
        ("BadIndexRangeNoData", None),
        ("Good", "Holder"),
    ]


def test_wrong_reads_get_their_status_and_spoil_no_other(play):
    assert play("read")["wrongly"] == [
        "BadNodeIdUnknown",
        "BadAttributeIdInvalid",
        "BadAttributeIdInvalid",
        "BadDataEncodingInvalid",
        "Good",
    ]


def test_values_come_with_the_times_that_were_asked_for(play):
    source, server = {"Source": [True, False]}, {"Server": [False, True]}
    both, neither = {"Both": [True, True]}, {"Neither": [False, False]}
    assert play("read")["times"] == source | server | both | neither


def test_a_client_with_the_smallest_buffers_gets_its_answer_in_chunks(play, signals):
    told = play("read")
    assert told["small"]["chunks"] > 1
    assert told["small"]["values"] == 4 * rows_of(signals, told["ticks"])


# ---------------------------------------------------------------- write


def test_a_command_takes_effect_with_the_next_tick_and_is_echoed(play):
    assert play("write")["echoes"] == [
        ["Good", 2, True, True],
        ["Good", 3, False, False],
        ["Good", 4, True, True],
    ]


@pytest.mark.parametrize(
    ("what", "status"),
    [
        ("type", "BadTypeMismatch"),
        ("array", "BadTypeMismatch"),
        ("range", "BadIndexRangeNoData"),
        ("feedback", "BadNotWritable"),
        ("object", "BadAttributeIdInvalid"),
        ("unknown", "BadNodeIdUnknown"),
        ("words", "BadOutOfRange"),
    ],
)
def test_a_wrong_command_is_refused_and_changes_nothing(play, what, status):
    assert play("write")["wrongly"][what] == {"status": status, "unchanged": True}


def test_good_values_of_a_request_count_beside_bad_ones(play):
    told = play("write")
    assert told["together"] == ["Good", "BadNotWritable", "BadNodeIdUnknown"]
    assert told["opened"] is False
    assert "BadNothingToDo" in told["nothing"]


def test_switches_can_be_written_as_words_and_the_cell_says_who_commands(play):
    told = play("write")
    assert (told["bulk"], told["closed"], told["words"]) == (["Good"], True, [1])
    assert told["control"].startswith("session node test")


# ---------------------------------------------------------------- methods and events


def test_the_clock_of_the_cell_obeys_its_methods(play):
    told = play("methods")
    assert told["states"] == {
        "paused": ["Paused", 0],
        "running": ["Running"],
        "reset": ["Paused", 0, 0.0],
    }
    assert (told["steps"]["status"], told["steps"]["outputs"]) == ("Good", [2501])
    assert told["runs"]
    assert (told["fast"]["status"], told["speed"]) == ("Good", 4.0)
    assert told["stepRunning"]["status"] == "BadInvalidState"


def test_a_restored_cell_does_the_same_again_bit_by_bit(play):
    moments = play("methods")["moments"]
    assert moments["whatThen"][:2] == [2500, 2.5]
    assert moments["whatAgain"] == moments["whatThen"]
    assert moments["laterAgain"] == moments["later"] != moments["whatThen"]


def test_wrong_calls_are_refused_argument_by_argument_and_change_nothing(play):
    told = play("methods")
    refused = {what: (one["status"], one.get("inputs")) for what, one in told["wrongly"].items()}
    assert refused == {
        "zero": ("BadInvalidArgument", ["BadOutOfRange"]),
        "text": ("BadInvalidArgument", ["BadTypeMismatch"]),
        "array": ("BadInvalidArgument", ["BadTypeMismatch"]),
        "missing": ("BadArgumentsMissing", []),
        "spare": ("BadTooManyArguments", []),
        "speed": ("BadInvalidArgument", ["BadOutOfRange"]),
        "snapshot": ("BadNotFound", []),
        "method": ("BadMethodInvalid", []),
        "object": ("BadMethodInvalid", None),
    }
    assert told["stood"] == 3200
    assert told["definition"] == {"takes": [["N", "UInt32", -1]], "gives": [["Tick", "Int64", -1]]}


def test_who_watches_the_server_or_the_cell_hears_of_every_tool_with_its_tick(play):
    told = play("events")
    assert told["onServer"] == told["onCell"]
    kinds = [(event[0], event[5], event[6], event[8], event[7]) for event in told["onServer"]]
    changed, released, attached = told["ticks"]
    assert kinds == [
        ("ns=2;s=PartnerChangedEventType", changed, "Tool1", "Holder1", "Robot1Flange"),
        ("ns=2;s=ToolReleasedEventType", released, "Tool1", "Robot1Flange", ""),
        ("ns=2;s=ToolAttachedEventType", attached, "Tool1", "", "Robot1Flange"),
    ]
    first = told["onServer"][0]
    assert first[1:4] == ["Tool1", "ns=3;s=Tool1", 300]
    assert first[4] == f"Tool1 went from Holder1 to Robot1Flange (tick {changed})"
    assert first[9] == {"x": 0.0, "y": 0.0, "z": 9.81}
    assert first[10] is None  # a field that no event has


def test_a_client_hears_only_of_the_events_it_wants(play):
    told = play("events")
    assert told["onlyAttached"] == [[told["ticks"][2]]]
    assert told["onTool"] == "BadAttributeIdInvalid"
