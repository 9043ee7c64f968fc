"""Where clients find a server that listens at an address."""

EVERYWHERE = "0.0.0.0"  # all addresses of this machine
THIS_MACHINE = "127.0.0.1"


def endpoint_of(host: str, port: int) -> str:
    """URL of a server, as a client on the same machine uses it."""
    name = "localhost" if host in (EVERYWHERE, THIS_MACHINE) else host
    return f"opc.tcp://{name}:{port}"
