"""InjectProtocolFault with all that can be wrong about it, and what it leaves alone."""

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import call, call_status, read_value
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.injecting import active, clear, inject
from tests.server.opcua.raw_client import RawClient, item
from twincell.server.opcua.fault.protocol_faults import MOST_FAULTS

pytestmark = pytest.mark.asyncio(loop_scope="session")

METHOD = "Simulation.InjectProtocolFault"
TICK = "Simulation.Tick"
GOOD, OUT_OF_RANGE = "Good", "BadOutOfRange"
KIND, TARGET, AMOUNT, SECONDS = range(4)


@pytest.mark.parametrize("user", [None, "observer", "operator"])
@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        (METHOD, ("bad", TICK, 1.0, 0.0)),
        ("Simulation.InjectFault", ("Stand1.Fault.Empty", 1.0)),
        ("Simulation.ClearFaults", ()),
    ],
)
async def test_only_engineers_break_things(
    cell: InProcess, client: Client, user: str | None, method: str, arguments: tuple[object, ...]
) -> None:
    await inject(client, "delay", TICK, 5)
    other = await cell.client("other", user)
    assert await call_status(other, method, *arguments) == "BadUserAccessDenied"
    assert await active(other) == [f"delay {TICK} = 5 ms"]  # everybody may know


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        (("Bad", TICK, 1.0, 0.0), KIND),
        (("", TICK, 1.0, 0.0), KIND),
        (("delay\n", TICK, 1.0, 0.0), KIND),
        (("x" * 60_000, TICK, 1.0, 0.0), KIND),
        (("bad", "", 1.0, 0.0), TARGET),
        (("bad", "a" * 201, 1.0, 0.0), TARGET),
        (("bad", "Tool1\nall is well", 1.0, 0.0), TARGET),
        (("bad", "session PLC", 1.0, 0.0), TARGET),
        (("delay", "session ", 10.0, 0.0), TARGET),
        (("bad", TICK, 2.0, 0.0), AMOUNT),
        (("bad", TICK, -1.0, 0.0), AMOUNT),
        (("drop", TICK, 1.01, 0.0), AMOUNT),
        (("drop", "session PLC", 1.01, 0.0), AMOUNT),
        (("delay", TICK, -0.1, 0.0), AMOUNT),
        (("delay", TICK, 8_200.0, 0.0), AMOUNT),
        (("jitter", TICK, 1e300, 0.0), AMOUNT),
        (("delay", TICK, float("nan"), 0.0), AMOUNT),
        (("delay", "session PLC", 60_001.0, 0.0), AMOUNT),
        (("delay", TICK, 1.0, -1.0), SECONDS),
        (("delay", TICK, 1.0, float("inf")), SECONDS),
        (("delay", TICK, 1.0, 86_401.0), SECONDS),
    ],
)
async def test_what_no_fault_can_be_is_refused(
    cell: InProcess, client: Client, arguments: tuple[object, ...], wrong: int
) -> None:
    result = await call(client, METHOD, *arguments)
    assert result.StatusCode.name == "BadInvalidArgument"
    codes = [one.name for one in result.InputArgumentResults]
    assert codes == [OUT_OF_RANGE if k == wrong else GOOD for k in range(4)]
    assert await active(client) == []


async def test_delays_that_add_up_beyond_what_the_ring_holds_are_refused(
    cell: InProcess, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """Else the value would stand still, as that of so long ago is lost."""
    await inject(client, "delay", TICK, 5_000)
    for kind, target in (("jitter", TICK), ("delay", "Simulation.*")):
        result = await call(client, METHOD, kind, target, 5_000.0, 0.0)
        codes = [one.name for one in result.InputArgumentResults]
        assert codes == [GOOD, GOOD, OUT_OF_RANGE, GOOD]
        assert f"{kind} of 5000 is not from 0 to 3064" in caplog.text  # (16384 - 256) / 2 - 5000
    assert await active(client) == [f"delay {TICK} = 5000 ms"]
    await inject(client, "delay", TICK, 8_000)  # instead of the one before
    await inject(client, "delay", "Simulation.Time", 5_000)  # another signal
    await inject(client, "delay", "Simulation.*", 64)
    await clear(client)
    await inject(client, "jitter", TICK, 5_000)  # a fault that is over does not count


@pytest.mark.parametrize(
    "arguments",
    [
        (ua.Variant(None, ua.VariantType.String), TICK, 1.0, 0.0),
        ("bad", ua.Variant(None, ua.VariantType.String), 1.0, 0.0),
        ("bad", [TICK], 1.0, 0.0),
        ("bad", TICK, "1", 0.0),
        ("bad", TICK, True, 0.0),
    ],
)
async def test_arguments_of_another_type_are_refused(
    cell: InProcess, client: Client, arguments: tuple[object, ...]
) -> None:
    assert await call_status(client, METHOD, *arguments) == "BadInvalidArgument"
    assert await active(client) == []


async def test_too_few_and_too_many_arguments_are_refused(cell: InProcess, client: Client) -> None:
    assert await call_status(client, METHOD, "bad") == "BadArgumentsMissing"
    assert await call_status(client, METHOD, "bad", TICK, 1.0, 0.0, 0.0) == "BadTooManyArguments"


@pytest.mark.parametrize(
    ("target", "hint"),
    [("Tool1.Forse.Z", "did you mean Tool1.Force.Z?"), ("Tool1", "no signal"), ("[", "no signal")],
)
async def test_a_target_that_means_no_signal_is_not_found_and_the_log_suggests_one(
    cell: InProcess, client: Client, caplog: pytest.LogCaptureFixture, target: str, hint: str
) -> None:
    assert await call_status(client, METHOD, "bad", target, 1.0, 0.0) == "BadNotFound"
    assert hint in caplog.text


async def test_a_fault_that_is_not_there_cannot_be_cleared(cell: InProcess, client: Client) -> None:
    await inject(client, "bad", TICK)
    for kind, target in (("bad", "Simulation.Time"), ("drop", TICK)):
        assert await call_status(client, METHOD, kind, target, 0.0, 0.0) == "BadNotFound"
    assert await active(client) == [f"bad {TICK}"]


async def test_there_may_be_only_so_many_faults(
    cell: InProcess, client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    for k in range(MOST_FAULTS):
        await inject(client, "delay", f"session {k}", 1.0)
    arguments = ("delay", "session one more", 1.0, 0.0)
    assert await call_status(client, METHOD, *arguments) == "BadResourceUnavailable"
    assert "clear some" in caplog.text
    await inject(client, "delay", "session 0", 2.0)  # instead of the one before
    assert len(await active(client)) == MOST_FAULTS


async def test_a_protocol_fault_takes_control_from_nobody(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    await inject(client, "bad", TICK)
    assert await read_value(client, "Cell.Control") == "timeline"
    assert cell.link.commands.waiting == 0


async def test_a_reset_repairs_the_cell_and_not_the_network(
    cell: InProcess, client: Client
) -> None:
    await inject(client, "delay", TICK, 10)
    assert await call_status(client, "Simulation.Reset") == "Good"
    assert await active(client) == [f"delay {TICK} = 10 ms"]


async def test_values_cannot_be_spoilt_before_there_are_any(client: Client) -> None:
    async with InProcess("tool_change_single", begin=False) as cell:
        engineer = await cell.client()
        arguments = ("bad", TICK, 1.0, 0.0)
        assert await call_status(engineer, METHOD, *arguments) == "BadInvalidState"
        await inject(engineer, "delay", "session PLC", 1.0)


async def test_the_list_of_faults_can_be_watched(cell: InProcess, client: Client) -> None:
    raw = RawClient(client)
    await raw.monitored(item("Simulation.ActiveFaults", 1), item("Simulation.FaultCount", 2))
    await raw.hear(1, 1)
    await inject(client, "bad", TICK)
    await raw.hear(1, 2)
    await clear(client)
    await raw.hear(1, 3)
    assert raw.told(1) == [[], [f"bad {TICK}"], []]
    await raw.hear(2, 3)
    assert raw.told(2) == [0, 1, 0]
