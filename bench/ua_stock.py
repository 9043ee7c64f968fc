"""asyncua as it comes, serving n Doubles: `python -m bench.ua_stock N`.

Values are written with `write_attribute_value`, all of them with the same source time, round after
round, as fast as it can: so every second of its processor time goes into serving samples.
"""

import asyncio
import logging
import socket
import sys
from datetime import UTC, datetime

from asyncua import Server, ua

NAMESPACE = 2  # the first one that a server may choose
LOOPBACK = "127.0.0.1"


def node_name(number: int) -> str:
    """Name of a variable."""
    return f"Variable{number}"


async def serve(n: int) -> None:
    """Serve until the process is ended."""
    server = Server()
    await server.init()
    with socket.create_server((LOOPBACK, 0)) as found:
        port = found.getsockname()[1]
    endpoint = f"opc.tcp://{LOOPBACK}:{port}"
    server.set_endpoint(endpoint)
    server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
    await server.register_namespace("urn:twincell:bench")
    nodes = []
    for number in range(n):
        node_id = ua.NodeId(node_name(number), NAMESPACE)
        await server.nodes.objects.add_variable(node_id, node_name(number), 0.0)
        nodes.append(node_id)

    async with server:
        sys.stdout.write(f"ready: {endpoint}\n")
        sys.stdout.flush()
        while not server.iserver.subscription_service.subscriptions:
            await asyncio.sleep(0.05)
        value = 0.0
        while True:
            value += 1.0
            now = datetime.now(UTC)
            for node in nodes:
                sample = ua.DataValue(ua.Variant(value, ua.VariantType.Double), SourceTimestamp=now)
                await server.write_attribute_value(node, sample)
            await asyncio.sleep(0)  # its turn to publish


if __name__ == "__main__":
    logging.basicConfig(level=logging.ERROR)  # it warns of what is meant: no security
    asyncio.run(serve(int(sys.argv[1])))
