"""Viewers of the web page without a screen: `python -m bench.web_viewers URL N SECONDS`.

Each opens the page, its two WebSockets included, as a browser does, and takes every message; but it
draws nothing. Software that draws five 3-D views would take both cores of a small machine, and what
is measured is what the cell pays for being looked at. Prints the frames a second of each, as JSON.
"""

import asyncio
import json
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

import aiohttp
import socketio

ROOT = Path(__file__).parent.parent
FRAME = 1


def start_viewers(url: str, count: int, seconds: float) -> "subprocess.Popen[str]":
    """Let a process of its own look; `frames_seen` reads what it says in the end."""
    command = [sys.executable, "-m", "bench.web_viewers", url, str(count), str(seconds)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def frames_seen(viewers: "subprocess.Popen[str]") -> list[float]:
    """Frames a second of each viewer."""
    said, _ = viewers.communicate()
    if viewers.returncode:
        raise RuntimeError(f"the viewers ended with exit code {viewers.returncode}")
    return [float(rate) for rate in json.loads(said)]


async def _view(url: str, seconds: float) -> float:
    async with aiohttp.ClientSession() as http:
        async with http.get(url) as answer:
            page = await answer.text()
        found = re.search(r'"client_id": ?"([^"]+)"', page) or re.search(
            r"'client_id': ?'([^']+)'", page
        )
        assert found, "no page of NiceGUI"
        query = f"client_id={found[1]}&next_message_id=0&implicit_handshake=true"
        own = f"document_id={uuid.uuid4()}&tab_id={uuid.uuid4()}"
        page_socket = socketio.AsyncClient()
        await page_socket.connect(
            f"{url}?{query}&{own}",
            socketio_path="/_nicegui_ws/socket.io",
            transports=["websocket"],
        )
        frames = 0
        async with http.ws_connect(f"{url}/live") as socket:
            await socket.receive()
            began_s = time.monotonic()
            while (elapsed_s := time.monotonic() - began_s) < seconds:
                message = await socket.receive()
                assert message.type is aiohttp.WSMsgType.BINARY, message
                frames += message.data[0] == FRAME
        await page_socket.disconnect()
        return frames / elapsed_s


async def _main(url: str, count: int, seconds: float) -> None:
    rates = await asyncio.gather(*(_view(url, seconds) for _ in range(count)))
    sys.stdout.write(json.dumps(rates))


if __name__ == "__main__":
    asyncio.run(_main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3])))
