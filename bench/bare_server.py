"""asyncua as it comes: `python -m bench.bare_server`.

It serves a method that does nothing, and a variable that can be written.
"""

import asyncio
import logging
import socket
import sys

from asyncua import Server, ua, uamethod

NAMESPACE = 2  # the first one that a server may choose
LOOPBACK = "127.0.0.1"


@uamethod  # type: ignore[untyped-decorator]
def _step(_parent: ua.NodeId, count: int) -> int:
    """As Simulation.Step has it: a number goes in, a number comes out."""
    return count


async def serve() -> None:
    """Serve until the process is ended."""
    server = Server()
    await server.init()
    with socket.create_server((LOOPBACK, 0)) as found:
        port = found.getsockname()[1]
    endpoint = f"opc.tcp://{LOOPBACK}:{port}"
    server.set_endpoint(endpoint)
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
    await server.register_namespace("urn:twincell:bench")
    thing = await server.nodes.objects.add_object(ua.NodeId("Simulation", NAMESPACE), "Simulation")
    await thing.add_method(
        ua.NodeId("Simulation.Step", NAMESPACE),
        "Step",
        _step,
        [ua.VariantType.UInt32],
        [ua.VariantType.Int64],
    )
    command = ua.NodeId("Simulation.Command", NAMESPACE)
    await (await thing.add_variable(command, "Command", False)).set_writable()
    async with server:
        sys.stdout.write(f"ready: {endpoint}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)  # it warns of what is meant: no security
    asyncio.run(serve())
