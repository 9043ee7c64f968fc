"""One cycle of the cell for each cycle of a controller: the handshake, from Python.

pip install asyncua
twincell run tool_change_single --time handshake --cycle-ms 10
python docs/clients/handshake.py [opc.tcp://localhost:4840]

It writes commands, for which a user needs the role operator: the environment variables
TWINCELL_USER and TWINCELL_PASSWORD say who you are.

twincell user add me --role operator
"""

import asyncio
import os
import sys
from typing import Any

from asyncua import Client, ua

USER = os.environ.get("TWINCELL_USER", "")  # without one we are anonymous
PASSWORD = os.environ.get("TWINCELL_PASSWORD", "")

CELL = "urn:twincell:cell"
COUNTER, ECHO = "Simulation.CycleCounter", "Simulation.CycleEcho"
TIMEOUT_S = 2.0  # without an echo for so long, the counter is written again
MOST_CYCLES = 3000  # the tool change takes 1000 of 10 ms

OVER_TOOL, OVER_HOLDER = (1.0, 0.0), (0.7, 0.45)  # where the robot is then, x and y [m]
DOWN = 0.781  # and not higher than this


class Handshake:
    """Moves the cell cycle by cycle."""

    def __init__(self, client: Client, namespace: int, feedback: list[str]) -> None:
        self._client = client
        self._namespace = namespace
        self._names = [ECHO, *feedback]
        self._counter = 0

    async def begin(self) -> dict[str, Any]:
        """Go on from where the cell is; the feedback now."""
        values = await self._read()
        self._counter = values[ECHO]
        return values

    async def cycle(self, commands: dict[str, Any]) -> dict[str, Any]:
        """Let the cell advance by one cycle with these commands; the feedback of its end."""
        self._counter = (self._counter + 1) % 2**32
        while True:
            await self._write(commands)
            try:
                return await asyncio.wait_for(self._echoed(), TIMEOUT_S)
            except TimeoutError:
                # was the request lost, or its answer? The same counter again does nothing twice
                print("no echo, trying again", file=sys.stderr)

    async def _write(self, commands: dict[str, Any]) -> None:
        """Commands and counter in one request: they take effect together."""
        values = [ua.Variant(value) for value in commands.values()]
        values.append(ua.Variant(self._counter, ua.VariantType.UInt32))
        nodes = [self._node(name) for name in (*commands, COUNTER)]
        await self._client.write_values(nodes, [ua.DataValue(value) for value in values])

    async def _echoed(self) -> dict[str, Any]:
        """The feedback that belongs to the echo: read in one request, it is of one tick."""
        while True:
            values = await self._read()
            if values[ECHO] == self._counter:
                return values

    async def _read(self) -> dict[str, Any]:
        values = await self._client.read_values([self._node(name) for name in self._names])
        return dict(zip(self._names, values, strict=True))

    def _node(self, name: str) -> Any:
        return self._client.get_node(ua.NodeId(name, self._namespace))


def is_over(place: tuple[float, float], now: dict[str, Any]) -> bool:
    """Whether the robot is down at a place."""
    x, y = now["Robot1.Pose.X"] - place[0], now["Robot1.Pose.Y"] - place[1]
    return abs(x) < 0.001 and abs(y) < 0.001 and now["Robot1.Pose.Z"] < DOWN


async def change_tool(handshake: Handshake) -> None:
    """The robot follows its way by itself; we close and open its flange."""
    now = await handshake.begin()
    closed, has_tool = False, False
    for _ in range(MOST_CYCLES):
        if is_over(OVER_TOOL, now):
            closed = True
        elif is_over(OVER_HOLDER, now):
            closed = False
        now = await handshake.cycle({"Robot1Flange.Closed": closed})
        time_s, partner = now["Simulation.Time"], now["Tool1.Partner"]
        if not has_tool and partner == "Robot1Flange":
            has_tool = True
            print(f"Robot1Flange has the tool at {time_s:.3f} s")
        if has_tool and partner == "Holder2":
            print(f"the tool lies in Holder2 at {time_s:.3f} s")
            return
    sys.exit("the tool did not arrive")


async def main(url: str) -> None:
    """Connect, and change the tool."""
    client = Client(url)
    client.description = "handshake example"  # Cell.Control shows who commands
    client.session_timeout = 60_000  # ms
    if USER:
        client.set_user(USER)
        client.set_password(PASSWORD)
    feedback = ["Simulation.Time", "Tool1.Partner", *(f"Robot1.Pose.{axis}" for axis in "XYZ")]
    async with client:
        namespace = await client.get_namespace_index(CELL)
        await change_tool(Handshake(client, namespace, feedback))


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "opc.tcp://localhost:4840"))
    except ua.uaerrors.BadUserAccessDenied:
        sys.exit("not allowed: run twincell user add me --role operator, then set TWINCELL_USER")
    except ua.uaerrors.BadInvalidState:
        sys.exit("the cell is not in handshake: start it with --time handshake")
