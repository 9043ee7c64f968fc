"""What a Call request may not ask: the wrong object, method, number or type of arguments."""

import math

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call, call_on, call_status
from tests.server.opcua.in_process import InProcess
from twincell.server.opcua.space.namespaces import type_id

pytestmark = pytest.mark.asyncio(loop_scope="session")

Type = ua.VariantType
HOME = [0.0, -0.5, 0.3, 0.0, 1.8, 0.0]


async def status(client: Client, thing: ua.NodeId | str, method: ua.NodeId | str) -> str:
    return str((await call_on(client, thing, method)).StatusCode.name)


async def argument_statuses(client: Client, method: str, *arguments: object) -> list[str]:
    """Of a call that is refused because of its arguments."""
    result = await call(client, method, *arguments)
    assert result.StatusCode.name == "BadInvalidArgument"
    assert result.OutputArguments == []
    return [str(one.name) for one in result.InputArgumentResults]


async def test_an_unknown_object_is_unknown(cell: InProcess, client: Client) -> None:
    assert await status(client, "Nobody", "Simulation.Pause") == "BadNodeIdUnknown"


async def test_an_unknown_method_is_invalid(cell: InProcess, client: Client) -> None:
    assert await status(client, "Simulation", "Simulation.Nothing") == "BadMethodInvalid"


async def test_a_method_of_another_object_is_invalid(cell: InProcess, client: Client) -> None:
    assert await status(client, "Robot1", "Simulation.Pause") == "BadMethodInvalid"
    assert await status(client, "Robot1", "Robot2.StopMove") == "BadMethodInvalid"
    assert await status(client, "Simulation", "Simulation.Tick") == "BadMethodInvalid"
    assert cell.link.vitals.state.name == "RUNNING"


async def test_a_method_may_be_named_as_its_type_declares_it(
    cell: InProcess, client: Client
) -> None:
    declared = type_id("SimulationType.Snapshot")
    result = await call_on(client, "Simulation", declared)
    assert result.StatusCode.is_good()
    assert len(result.OutputArguments) == 1
    assert await status(client, "Robot1", declared) == "BadMethodInvalid"


async def test_a_method_of_the_standard_that_nobody_serves_is_not_there(client: Client) -> None:
    change = ua.NodeId(ua.ObjectIds.Server_RequestServerStateChange)
    assert await status(client, ua.NodeId(ua.ObjectIds.Server), change) == "BadMethodInvalid"


async def test_arguments_must_be_as_many_as_declared(cell: InProcess, client: Client) -> None:
    assert await call_status(client, "Robot1.MoveJoint", HOME) == "BadArgumentsMissing"
    assert await call_status(client, "Simulation.SetSpeed") == "BadArgumentsMissing"
    assert await call_status(client, "Robot1.MoveJoint", HOME, 1.0, 1.0) == "BadTooManyArguments"
    assert await call_status(client, "Simulation.Pause", 1.0) == "BadTooManyArguments"
    assert cell.link.vitals.state.name == "RUNNING"


async def test_every_argument_is_judged_by_itself(cell: InProcess, client: Client) -> None:
    statuses = await argument_statuses(client, "Robot1.MoveJoint", "home", math.inf)
    assert statuses == ["BadTypeMismatch", "BadOutOfRange"]
    assert await argument_statuses(client, "Robot1.MoveJoint", HOME, "fast") == [
        "Good",
        "BadTypeMismatch",
    ]


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (ua.Variant(HOME[:5], Type.Double), "BadTypeMismatch"),
        (ua.Variant([*HOME, 0.0], Type.Double), "BadTypeMismatch"),
        (ua.Variant([], Type.Double), "BadTypeMismatch"),
        (ua.Variant(None, Type.Double, is_array=True), "BadTypeMismatch"),
        (ua.Variant(0.0, Type.Double), "BadTypeMismatch"),
        (ua.Variant([0] * 6, Type.Int32), "BadTypeMismatch"),
        (ua.Variant([HOME], Type.Double), "BadTypeMismatch"),
        (ua.Variant(None, Type.Null), "BadTypeMismatch"),
        (ua.Variant([*HOME[:5], math.nan], Type.Double), "BadOutOfRange"),
    ],
    ids=str,
)
async def test_an_array_needs_the_right_type_length_and_numbers(
    cell: InProcess, client: Client, variant: ua.Variant, expected: str
) -> None:
    assert await argument_statuses(client, "Robot1.MoveJoint", variant, 1.0) == [expected, "Good"]


@pytest.mark.parametrize("type_", ["SByte", "Byte", "Int16", "UInt16", "Int32", "Int64", "UInt64"])
async def test_any_whole_number_will_do_if_it_fits(
    cell: InProcess, client: Client, type_: str
) -> None:
    assert await call_status(client, "Simulation.Pause") == "Good"
    result = await call(client, "Simulation.Step", ua.Variant(3, Type[type_]))
    assert result.StatusCode.is_good()
    assert result.OutputArguments[0].Value == 4
    assert result.OutputArguments[0].VariantType is Type.Int64


@pytest.mark.parametrize(
    ("variant", "expected"),
    [
        (ua.Variant(-1, Type.Int32), "BadOutOfRange"),
        (ua.Variant(2**32, Type.Int64), "BadOutOfRange"),
        (ua.Variant(0, Type.UInt32), "BadOutOfRange"),
        (ua.Variant(10_001, Type.UInt32), "BadOutOfRange"),
        (ua.Variant(1.0, Type.Double), "BadTypeMismatch"),
        (ua.Variant(True, Type.Boolean), "BadTypeMismatch"),
        (ua.Variant([1], Type.UInt32), "BadTypeMismatch"),
    ],
    ids=str,
)
async def test_a_number_of_ticks_must_be_one(
    cell: InProcess, client: Client, variant: ua.Variant, expected: str
) -> None:
    assert await argument_statuses(client, "Simulation.Step", variant) == [expected]


async def test_a_float_will_do_for_a_double(cell: InProcess, client: Client) -> None:
    speed = ua.Variant(0.5, Type.Float)
    assert await call_status(client, "Simulation.SetSpeed", speed) == "Good"
    assert cell.link.vitals.speed == 0.5


async def test_methods_of_one_request_are_called_one_after_the_other(
    cell: InProcess, client: Client
) -> None:
    calls = [
        ua.CallMethodRequest(cell.id("Simulation"), cell.id(f"Simulation.{name}"), arguments)
        for name, arguments in (("Pause", []), ("Step", [ua.Variant(5, Type.UInt32)]), ("Step", []))
    ]
    results = await client.uaclient.call(calls)
    assert [r.StatusCode.name for r in results] == ["Good", "Good", "BadArgumentsMissing"]
    assert results[1].OutputArguments[0].Value == 6


async def test_a_request_for_nothing_is_refused(client: Client) -> None:
    with pytest.raises(ua.uaerrors.BadNothingToDo):
        await client.uaclient.call([])
