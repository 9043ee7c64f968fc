"""Who commands: the timeline and the demo yield to the first command from outside."""

import pytest
from asyncua import Client, ua

from tests.server.opcua.asking import change, read_value, write
from tests.server.opcua.in_process import InProcess
from tests.server.opcua.made_security import PASSWORD
from twincell.server.opcua.command.arbitration import BRIDGE_NAMES, DEMO_NAME, Control
from twincell.server.security.roles import Identity, Role

pytestmark = pytest.mark.asyncio(loop_scope="session")

CLOSED = "Robot1Flange.Closed"


async def command(client: Client, value: bool = True) -> str:
    (status,) = await write(client, change(CLOSED, value))
    return status


async def test_nobody_commands_at_first(cell: InProcess, client: Client) -> None:
    assert await read_value(client, "Cell.Control") == "nobody"


async def test_the_timeline_commands_while_it_is_on(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    assert await read_value(client, "Cell.Control") == "timeline"


async def test_the_first_write_takes_control_from_the_timeline(cell: InProcess) -> None:
    cell.link.vitals["timeline_on"] = 1
    client = await cell.client("PLC 1")
    assert await command(client) == "Good"
    assert await read_value(client, "Cell.Control") == "session PLC 1 Session1"
    assert cell.link.vitals.text("control") == "session PLC 1 Session1"
    cell.tick()
    assert cell.link.vitals["timeline_on"] == 0
    assert cell.newest(CLOSED) == 1.0


async def test_a_refused_write_takes_no_control(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    assert await write(client, change(CLOSED, 1.0)) == ["BadTypeMismatch"]
    assert await read_value(client, "Cell.Control") == "timeline"
    assert cell.link.commands.waiting == 0


async def test_the_demo_commands_until_a_client_does(cell: InProcess, client: Client) -> None:
    cell.link.vitals["timeline_on"] = 1
    demo = await cell.client("demo", user=DEMO_NAME)
    assert await command(demo) == "Good"
    assert await read_value(client, "Cell.Control") == "demo"
    cell.tick()
    assert await command(client, False) == "Good"
    assert await command(demo) == "BadUserAccessDenied"
    cell.tick(2)
    assert cell.newest(CLOSED) == 0.0
    assert await read_value(client, "Cell.Control") == "session test Session1"


async def test_the_demo_yields_for_good_but_a_new_one_may_command(cell: InProcess) -> None:
    demo, client = await cell.client("demo", user=DEMO_NAME), await cell.client("PLC")
    await command(client)
    await client.disconnect()
    assert await read_value(demo, "Cell.Control") == "nobody"
    # it may not have seen the visitor, who was gone before it looked
    assert await command(demo) == "BadUserAccessDenied"
    next_demo = await cell.client("demo", user=DEMO_NAME)
    assert await command(next_demo) == "Good"
    assert await read_value(demo, "Cell.Control") == "demo"


async def test_a_session_that_is_gone_commands_no_more(cell: InProcess) -> None:
    class Gone:
        session_id = ua.NodeId(99)
        client_name = "PLC"
        is_closed = True
        identity = Identity("plc", Role.OPERATOR)

    control = Control(cell.link)
    with pytest.raises(ua.uaerrors.BadSessionClosed):
        control.command(Gone(), [])  # as a call does that was still planning a move
    assert control.text == "nobody"


async def test_whoever_commanded_last_is_named(cell: InProcess) -> None:
    plc, panel = await cell.client("PLC"), await cell.client("Panel")
    assert await command(plc) == "Good"
    assert await command(panel, False) == "Good"
    assert await read_value(plc, "Cell.Control") == "session Panel Session1"
    await plc.disconnect()  # it does not command any more
    assert await read_value(panel, "Cell.Control") == "session Panel Session1"


async def test_commands_stay_when_their_client_has_gone(cell: InProcess, client: Client) -> None:
    plc = await cell.client("PLC")
    await command(plc)
    await plc.disconnect()
    cell.tick(3)
    assert cell.newest(CLOSED) == 1.0
    assert await read_value(client, "Cell.Control") == "nobody"


async def test_a_session_s_name_cannot_spoil_a_status_line(cell: InProcess) -> None:
    client = await cell.client("bad\nname\x1b[2J" + "x" * 400)
    await command(client)
    name = await read_value(client, "Cell.Control")
    assert name.startswith("session badname[2Jxxx")
    assert len(name) < 120


async def test_a_bridge_is_named_and_its_end_is_a_lost_controller(cell: InProcess) -> None:
    user = f"{BRIDGE_NAMES}Plc1"
    cell.security.users.admit(user, PASSWORD, Role.OPERATOR)
    bridge, panel = await cell.client("x", user=user), await cell.client("Panel")
    assert await command(bridge) == "Good"
    assert await read_value(panel, "Cell.Control") == "bridge Plc1"
    assert await command(panel) == "Good"
    await bridge.disconnect()
    # somebody else commanded last; the controller behind the bridge is lost all the same
    assert await read_value(panel, "Cell.Control") == "session Panel Session1"
    assert await read_value(panel, "Simulation.ControllerLost") is True
    assert await command(panel) == "Good"
    assert await read_value(panel, "Simulation.ControllerLost") is False


async def test_a_bridge_that_stays_does_not_hide_that_another_one_was_lost(cell: InProcess) -> None:
    users = [f"{BRIDGE_NAMES}{name}" for name in ("Plc1", "Plc2")]
    for user in users:
        cell.security.users.admit(user, PASSWORD, Role.OPERATOR)
    gone, stays = [await cell.client("x", user=user) for user in users]
    control = cell.server.control
    assert await command(gone) == await command(stays) == "Good"
    await gone.disconnect()
    control.look()
    assert control.is_controller_lost
    assert control.text == "bridge Plc2"
    assert await command(stays) == "Good"
    assert not control.is_controller_lost
    await stays.disconnect()
    assert control.is_controller_lost
