"""The demo's process: connect like any client, play the story, say why it ends."""

import asyncio

from asyncua import ua

from server.client.login import Login
from server.client.mistake import Mistake
from server.client.session import connected
from server.demo.player import Player, Yielded
from server.demo.story import story_of
from server.opcua.attribute.control import DEMO_NAME
from sim.build import Compiled
from sim.spec.cell import CellSpec

CONNECT_S = 10.0  # a server that is started again needs a few seconds
AGAIN_S = 0.2
CONTENT, FAILED = 0, 1  # exit codes


async def play_demo(spec: CellSpec, compiled: Compiled, endpoint: str, password: str) -> int:
    """Play the cell's timeline until somebody else commands; return the exit code."""
    story = story_of(spec, compiled)
    if not story.scenes:
        print("demo: the cell file has no timeline: there is nothing to play")
        return CONTENT
    try:
        await _wait_for_server(endpoint)
        async with connected(endpoint, DEMO_NAME, Login(DEMO_NAME, password)) as session:
            await Player(session, story, list(spec.robot)).play()
    except Yielded as to:
        print(f"demo: {to} commands now; the demo has stopped")
        return CONTENT
    except (OSError, TimeoutError, ua.UaError, Mistake) as error:
        print(f"demo: {str(error) or type(error).__name__}")
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
