"""A robot takes a tool from one holder and puts it into another, commanded from Python.

pip install asyncua
twincell run tool_change_multi
python docs/clients/python_client.py [opc.tcp://localhost:4840]

It calls methods, for which a user needs the role engineer: the environment variables
TWINCELL_USER and TWINCELL_PASSWORD say who you are.

twincell user add me --role engineer
"""

import asyncio
import math
import os
import sys
from typing import Any

from asyncua import Client, ua

USER = os.environ.get("TWINCELL_USER", "")  # without one we are anonymous
PASSWORD = os.environ.get("TWINCELL_PASSWORD", "")

CELL = "urn:twincell:cell"
NOT_ALLOWED = (
    "not allowed: it needs a user with the role engineer, and the right password: run twincell user"
    " add me --role engineer, then set TWINCELL_USER and TWINCELL_PASSWORD"
)
LOOK_AGAIN_S = 0.01
PATIENCE_S = 60.0

UPRIGHT = [1.0, 0.0, 0.0, 0.0]  # quaternions: w, x, y, z
TURNED = [math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)]  # by 90 degrees about z
TCP_SPEED, TCP_TURN = 0.5, 1.0  # m/s, rad/s


class Cell:
    """A cell, whose nodes are called by the names of their signals."""

    def __init__(self, client: Client, namespace: int) -> None:
        self._client = client
        self._namespace = namespace

    def node(self, name: str) -> Any:
        return self._client.get_node(ua.NodeId(name, self._namespace))

    async def read(self, *names: str) -> list[Any]:
        """Values of one tick, as they come with one Read request."""
        return await self._client.read_values([self.node(name) for name in names])

    async def command(self, values: dict[str, Any]) -> None:
        """Set commands: those of one Write request take effect in the same tick."""
        await self._client.write_values([self.node(n) for n in values], list(values.values()))

    async def call(self, name: str, *arguments: Any) -> Any:
        """Call a method of an object, such as Simulation.Reset."""
        thing = self.node(name.rpartition(".")[0])
        return await thing.call_method(self.node(name).nodeid, *arguments)

    async def wait_for(self, wanted: dict[str, Any]) -> None:
        """Wait until signals have values, all of them in the same tick."""
        async with asyncio.timeout(PATIENCE_S):
            while await self.read(*wanted) != list(wanted.values()):
                await asyncio.sleep(LOOK_AGAIN_S)

    async def move(self, robot: str, position: list[float], quaternion: list[float]) -> None:
        """Move a robot on a straight line, and wait until it has arrived."""
        (moves,) = await self.read(f"{robot}.MoveCount")
        await self.call(f"{robot}.MoveLinear", position, quaternion, TCP_SPEED, TCP_TURN)
        await self.wait_for({f"{robot}.MoveCount": moves + 1, f"{robot}.Moving": False})


class Peak:
    """The greatest force on the tool; the server sends every change, a thousand a second."""

    def __init__(self) -> None:
        self.changes = 0
        self.newton = 0.0

    def datachange_notification(self, _node: Any, force: Any, _data: Any) -> None:
        self.changes += 1
        self.newton = max(self.newton, math.hypot(force.X, force.Y, force.Z))


async def watch_force(client: Client, cell: Cell) -> Peak:
    """Subscribe to the force on the tool."""
    peak = Peak()
    often = ua.CreateSubscriptionParameters(
        RequestedPublishingInterval=50.0,  # ms
        RequestedMaxKeepAliveCount=100,
        RequestedLifetimeCount=1000,
        PublishingEnabled=True,
    )
    subscription = await client.create_subscription(often, peak)
    # a queue that holds more than one publishing interval has samples: nothing is lost
    await subscription.subscribe_data_change(
        cell.node("Tool1.Force"), queuesize=1000, sampling_interval=1.0
    )
    return peak


async def take_over(cell: Cell) -> None:
    """Command the cell from now on, and put everything back to its start."""
    # the first command from outside ends the demo, or the timeline of the cell file
    await cell.command({"Robot1Flange.Closed": False, "Robot2Flange.Closed": False})
    await cell.call("Simulation.Reset")


async def change_tool(cell: Cell) -> None:
    """Take the tool out of Holder1 and put it into Holder3."""
    await cell.move("Robot1", [1.0, 0.0, 1.1], UPRIGHT)
    await cell.move("Robot1", [1.0, 0.0, 0.78], UPRIGHT)
    await cell.command({"Robot1Flange.Closed": True})
    await cell.wait_for({"Tool1.Constrained": True, "Tool1.Partner": "Robot1Flange"})
    print("Robot1 has the tool")

    await cell.move("Robot1", [1.0, 0.0, 1.1], UPRIGHT)
    await cell.move("Robot1", [0.7, 0.45, 1.1], TURNED)
    await cell.move("Robot1", [0.7, 0.45, 0.78], TURNED)
    await cell.command({"Robot1Flange.Closed": False})
    await cell.wait_for({"Tool1.Constrained": True, "Tool1.Partner": "Holder3"})
    print("the tool lies in Holder3")

    await cell.move("Robot1", [0.7, 0.45, 1.1], TURNED)


async def main(url: str) -> None:
    """Connect, change the tool, and say what it felt."""
    client = Client(url)
    client.description = "python example"  # Cell.Control shows who commands
    client.session_timeout = 60_000  # ms
    if USER:
        client.set_user(USER)
        client.set_password(PASSWORD)
    async with client:
        cell = Cell(client, await client.get_namespace_index(CELL))
        await take_over(cell)
        peak = await watch_force(client, cell)
        await change_tool(cell)
        print(f"greatest force on it: {peak.newton:.2f} N, in {peak.changes} changes")


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "opc.tcp://localhost:4840"))
    except ua.uaerrors.BadUserAccessDenied:
        sys.exit(NOT_ALLOWED)
