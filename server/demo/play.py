"""Play the demo: connect like any client, play the script, say why it ends.

The demo of a running cell is a process beside it. From anywhere else it is a client like all
others: it logs in with a name, and commands under the name of its session.
"""

import asyncio
import secrets

from asyncua import ua

from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import connected
from twincell.server.demo.player import OURS, Player, Yielded
from twincell.server.demo.script import script_of
from twincell.server.opcua.command.arbitration import DEMO_NAME, SESSION
from twincell.sim.build import Compiled
from twincell.sim.spec.cell import CellSpec

CONNECT_S = 10.0  # a server that is started again needs a few seconds
AGAIN_S = 0.2
CONTENT, FAILED = 0, 1  # exit codes


async def play_demo(spec: CellSpec, compiled: Compiled, endpoint: str, password: str) -> int:
    """Play the timeline of the cell that we belong to; return the exit code."""
    return await _play(spec, compiled, endpoint, DEMO_NAME, Login(DEMO_NAME, password), OURS)


async def play_from_outside(spec: CellSpec, compiled: Compiled, endpoint: str, login: Login) -> int:
    """Play the timeline of a cell that runs somewhere; return the exit code."""
    name = f"twincell demo {secrets.token_hex(3)}"  # not that of another one
    return await _play(spec, compiled, endpoint, name, login, f"{SESSION}{name} Session1")


async def _play(
    spec: CellSpec, compiled: Compiled, endpoint: str, name: str, login: Login, own_name: str
) -> int:
    """Play the cell's timeline until somebody else commands."""
    script = script_of(spec, compiled)
    if not script.scenes:
        print("demo: the cell file has no timeline: there is nothing to play")
        return CONTENT
    try:
        await _wait_for_server(endpoint)
        async with connected(endpoint, name, login) as session:
            await Player(session, script, list(spec.robot), own_name).play()
    except Yielded as to:
        print(f"demo: {to} commands now; the demo has stopped")
        return CONTENT
    except ua.uaerrors.BadNodeIdUnknown:
        print(f"demo: the server runs another cell than {spec.name!r} (name the one that it runs)")
    except (OSError, TimeoutError, ua.UaError, Mistake) as error:
        hint = f" ({error.hint})" if isinstance(error, Mistake) and error.hint else ""
        print(f"demo: {str(error) or type(error).__name__}{hint}")
    return FAILED


async def _wait_for_server(endpoint: str) -> None:
    """Until somebody listens at the endpoint, or it has taken too long."""
    host, _, port = endpoint.removeprefix("opc.tcp://").partition(":")
    async with asyncio.timeout(CONNECT_S):
        while True:
            try:
                _, writer = await asyncio.open_connection(host, int(port))
            except OSError:
                await asyncio.sleep(AGAIN_S)
            else:
                writer.close()
                return
