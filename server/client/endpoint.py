"""The address of an OPC UA server, as people write it and as it is whole."""

from urllib.parse import urlsplit

from twincell.server.errors import Refusal

SCHEME = "opc.tcp"
USUAL_PORT = 4840


def endpoint_of(url: str) -> str:
    """The whole address: what is left out is as usual."""
    hint = f"such as {SCHEME}://localhost:{USUAL_PORT}"
    try:
        parts = urlsplit(url if "://" in url else f"{SCHEME}://{url}")
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise Refusal(f"{url}: is no address: {error}", hint) from None
    if parts.username is not None:
        raise Refusal("an address has no user and no password in it", "give --user NAME")
    if parts.scheme != SCHEME or not host:
        raise Refusal(f"{url}: is no address of an OPC UA server", hint)
    host = f"[{host}]" if ":" in host else host
    return f"{SCHEME}://{host}:{port or USUAL_PORT}{parts.path}"
