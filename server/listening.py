"""Where clients find a server that listens at an address."""

EVERYWHERE = "0.0.0.0"  # all addresses of this machine
LOOPBACK = "127.0.0.1"  # of those to itself, the usual one


def endpoint_of(host: str, port: int) -> str:
    """URL of a server, as a client on the same machine uses it."""
    name = "localhost" if host in (EVERYWHERE, LOOPBACK) else host
    return f"opc.tcp://{name}:{port}"
