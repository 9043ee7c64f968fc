"""twincell as a client of what is no cell: another server, no OPC UA at all, nobody."""

import asyncio
import socket
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from asyncua import Server

from tests.server.twincell_command import Ended, run_in


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


async def twincell(folder: Path, *arguments: object) -> Ended:
    return await asyncio.to_thread(run_in, folder, *arguments)


def test_nobody_listens(tmp_path, free_port):
    ended = run_in(tmp_path, "read", f"opc.tcp://localhost:{free_port}", "Tool1.Pose.X")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"opc.tcp://localhost:{free_port}: nobody listens there\n")
    assert "twincell run" in ended.err


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
async def test_something_else_listens(tmp_path, greeting):
    async def answer(_, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        ended = await twincell(tmp_path, "browse", f"localhost:{port}")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"opc.tcp://localhost:{port}: ")
    assert ended.err.count("\n") <= 2


@pytest_asyncio.fixture
async def stranger() -> AsyncIterator[str]:
    """Another OPC UA server, with a variable of its own."""
    server = Server()
    await server.init()
    server.set_endpoint("opc.tcp://127.0.0.1:0")
    number = await server.nodes.objects.add_variable("ns=1;s=Number", "1:Number", 7)
    await number.set_writable()
    async with server:
        yield f"opc.tcp://127.0.0.1:{server.bserver.port}"


async def test_another_server_is_read_and_written_by_node_ids(tmp_path, stranger):
    ended = await twincell(tmp_path, "read", stranger, "Number")
    assert (ended.code, ended.out) == (2, "")
    assert "has no twincell cell" in ended.err

    ended = await twincell(tmp_path, "write", stranger, "ns=1;s=Number=8")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[1].split()[:3] == ["ns=1;s=Number", "8", "Int64"]

    ended = await twincell(tmp_path, "browse", stranger)
    assert (ended.code, ended.err) == (0, "")
    assert "  Number" in ended.out
