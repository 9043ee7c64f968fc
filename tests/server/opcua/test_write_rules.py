"""What a Write request may not ask: it gets a Bad status, and the last good value stays."""

import math

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import change, read_value, write
from tests.server.opcua.in_process import InProcess

pytestmark = pytest.mark.asyncio(loop_scope="session")

Type = ua.VariantType
CLOSED = "Robot1Flange.Closed"
TARGET, TARGETS = "Robot1.JointTarget.1", "Robot1.JointTarget"
SET_POINT = "Robot1.JointSetPoint"
FRAME = "Robot1.TcpTarget"
N_SWITCH = 4  # two flanges, two Stops


async def refused(cell: InProcess, client: Client, *changes: ua.WriteValue) -> list[str]:
    """How a request ends that must change nothing."""
    results = await write(client, *changes)
    assert cell.link.commands.waiting == 0
    assert await read_value(client, "Cell.Control") == "nobody"
    return results


async def test_only_commands_are_writable(cell: InProcess, client: Client) -> None:
    names = ("Tool1.Pose.X", "Tool1.Pose", "Simulation.Tick", "Simulation.Speed", "Cell.Control")
    for name in (*names, "Tool1.Eta", "Bulk.Poses", "Bulk.Commands.Layout"):
        assert await refused(cell, client, change(name, 1.0)) == ["BadNotWritable"]


async def test_nodes_of_the_standard_are_not_writable(cell: InProcess, client: Client) -> None:
    node = ua.NodeId(ua.ObjectIds.Server_NamespaceArray)
    assert await refused(cell, client, change(node, ["mine"])) == ["BadNotWritable"]


@pytest.mark.parametrize("name", ["DisplayName", "BrowseName", "Description", "AccessLevel"])
async def test_only_values_are_writable(cell: InProcess, client: Client, name: str) -> None:
    attribute = ua.AttributeIds[name]
    assert await refused(cell, client, change(CLOSED, "x", attribute=attribute)) == [
        "BadNotWritable"
    ]


async def test_what_is_not_there_cannot_be_written(cell: InProcess, client: Client) -> None:
    changes = change("Nobody.Closed", True), change(CLOSED, True, attribute=99)
    expected = ["BadNodeIdUnknown", "BadAttributeIdInvalid"]
    assert await refused(cell, client, *changes) == expected
    assert await refused(cell, client, change("Tool1", 1.0)) == ["BadAttributeIdInvalid"]


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        (CLOSED, ua.Variant(1, Type.Byte)),
        (CLOSED, ua.Variant(1.0, Type.Double)),
        (CLOSED, ua.Variant("true", Type.String)),
        (CLOSED, ua.Variant([True], Type.Boolean)),
        (CLOSED, ua.Variant(None, Type.Null)),
        (TARGET, ua.Variant(1, Type.Int32)),
        (TARGET, ua.Variant(True, Type.Boolean)),
        (TARGET, ua.Variant([1.0], Type.Double)),
        (TARGETS, ua.Variant(1.0, Type.Double)),
        (TARGETS, ua.Variant([1.0] * 5, Type.Double)),
        (TARGETS, ua.Variant([1.0] * 7, Type.Double)),
        (TARGETS, ua.Variant([], Type.Double)),
        (TARGETS, ua.Variant(None, Type.Double, is_array=True)),
        (TARGETS, ua.Variant([1] * 6, Type.Int32)),
        (TARGETS, ua.Variant([[1.0] * 3] * 2, Type.Double)),
        (SET_POINT, ua.Variant(1.0, Type.Double)),
        (SET_POINT, ua.Variant(1, Type.Int64)),
        (FRAME, ua.Variant(1.0, Type.Double)),
        (FRAME, ua.Variant(ua.ThreeDVector(1.0, 2.0, 3.0))),
        (FRAME, ua.Variant([ua.ThreeDFrame()])),
        (FRAME, ua.Variant(None, Type.ExtensionObject)),
        ("Bulk.Commands", ua.Variant(1, Type.UInt32)),
        ("Bulk.Commands", ua.Variant([1], Type.Int32)),
        ("Bulk.Commands", ua.Variant([1, 0], Type.UInt32)),
    ],
    ids=str,
)
async def test_a_value_of_the_wrong_type_is_refused(
    cell: InProcess, client: Client, name: str, variant: ua.Variant
) -> None:
    assert await refused(cell, client, change(name, variant)) == ["BadTypeMismatch"]


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
async def test_numbers_must_be_finite(cell: InProcess, client: Client, number: float) -> None:
    frame = ua.ThreeDFrame(ua.ThreeDCartesianCoordinates(number, 0.0, 0.0))
    changes = [
        change(TARGET, number),
        change(TARGET, number, Type.Float),
        change(TARGETS, [0.0] * 5 + [number]),
        change(TARGETS, [number], index_range="1"),
        change(FRAME, frame),
    ]
    assert await refused(cell, client, *changes) == ["BadOutOfRange"] * 5


@pytest.mark.parametrize("number", [0.5, 2.0**31, -(2.0**31) - 1, math.nan])
async def test_whole_numbers_among_bulk_values_must_be_whole_and_fit(
    cell: InProcess, client: Client, number: float
) -> None:
    names = await read_value(client, "Bulk.CommandValues.Layout")
    numbers = await read_value(client, "Bulk.CommandValues")
    numbers[names.index(SET_POINT)] = number
    assert await refused(cell, client, change("Bulk.CommandValues", numbers)) == ["BadOutOfRange"]


async def test_bits_that_mean_no_command_must_not_be_set(cell: InProcess, client: Client) -> None:
    assert len(await read_value(client, "Bulk.Commands.Layout")) == N_SWITCH
    for index_range in (None, "0"):
        word = change("Bulk.Commands", [1 << N_SWITCH], Type.UInt32, index_range)
        assert await refused(cell, client, word) == ["BadOutOfRange"]


@pytest.mark.parametrize("status", ["BadSensorFailure", "UncertainInitialValue"])
async def test_a_command_has_no_status_of_its_own(
    cell: InProcess, client: Client, status: str
) -> None:
    bad = change(CLOSED, True, status=getattr(ua.StatusCodes, status))
    assert await refused(cell, client, bad) == ["BadWriteNotSupported"]


@pytest.mark.parametrize(
    ("name", "value", "text", "status"),
    [
        (TARGETS, [1.0], "x", "BadIndexRangeInvalid"),
        (TARGETS, [1.0, 2.0], "2:1", "BadIndexRangeInvalid"),
        (TARGETS, [1.0], "6", "BadIndexRangeNoData"),
        (TARGETS, [1.0, 2.0], "5:6", "BadIndexRangeNoData"),
        (TARGETS, [1.0], "0,0", "BadIndexRangeNoData"),
        (TARGETS, [1.0], "0:1", "BadIndexRangeDataMismatch"),
        (TARGETS, [1.0, 2.0], "0", "BadIndexRangeDataMismatch"),
        (TARGETS, 1.0, "0:1", "BadTypeMismatch"),
        (TARGETS, [True], "0", "BadTypeMismatch"),
        (TARGET, 1.0, "0", "BadIndexRangeNoData"),
        (CLOSED, True, "0", "BadIndexRangeNoData"),
        (FRAME, ua.ThreeDFrame(), "0", "BadIndexRangeNoData"),
    ],
)
async def test_a_range_that_cannot_be_honoured_is_refused(
    cell: InProcess, client: Client, name: str, value: object, text: str, status: str
) -> None:
    assert await refused(cell, client, change(name, value, index_range=text)) == [status]


async def test_a_request_for_nothing_is_refused(cell: InProcess, client: Client) -> None:
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await write(client)


async def test_a_request_for_too_much_is_refused(cell: InProcess, client: Client) -> None:
    with pytest.raises(ua.uaerrors.BadTooManyOperations):
        await write(client, *[change(CLOSED, True)] * 1_001)
    assert cell.link.commands.waiting == 0
