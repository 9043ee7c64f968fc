"""twincell as a client of what is no cell: another server, no OPC UA at all, nobody."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from asyncua import Server

from tests.server.twincell_command import run_in
from twincell.server.cli import client
from twincell.server.errors import Refusal


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_nobody_listens(tmp_path, free_port):
    ended = run_in(tmp_path, "read", f"opc.tcp://localhost:{free_port}", "Tool1.Pose.X")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"opc.tcp://localhost:{free_port}: nobody listens there\n")
    assert "twincell run" in ended.err


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
async def test_something_else_listens(greeting):
    async def answer(_, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        with pytest.raises(Refusal, match=f"^opc.tcp://localhost:{port}: .*\n?.*$"):
            await asyncio.to_thread(client.browse, f"localhost:{port}")


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


async def test_another_server_is_read_and_written_by_node_ids(stranger, capsys):
    with pytest.raises(Refusal, match="has no twincell cell"):
        await asyncio.to_thread(client.read, stranger, ["Number"])

    await asyncio.to_thread(client.write, stranger, ["ns=1;s=Number=8"])
    assert capsys.readouterr().out.splitlines()[1].split()[:3] == ["ns=1;s=Number", "8", "Int64"]

    await asyncio.to_thread(client.browse, stranger)
    assert "\n  Number" in capsys.readouterr().out
