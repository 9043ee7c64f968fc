"""The Discovery services: where this server is, and by which endpoints it can be reached.

    OPC UA part 4, 5.5

A client is answered with the host and port that it used itself: a server has many names, and
which of them work from where the client stands only the client knows. Nonsense for an address is
answered with that of the socket.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from ipaddress import IPv6Address
from typing import Any, NamedTuple

from asyncua import ua

DEFAULT_PORT = 4840  # of opc.tcp, registered with IANA
LONGEST_URL = 4096  # OPC UA part 4, 5.6.2
LONGEST_HOST = 255
HOST_SIGNS = "-._"  # besides letters and digits

URL = re.compile(
    r"opc\.tcp://"
    r"(?:(?P<name>[^\s/:@?#\[\]]+)|\[(?P<ipv6>[0-9a-f:.]+(?:%[0-9a-z._-]+)?)\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
    r"(?:/[^\s\x00-\x1f\x7f]*)?",
    re.IGNORECASE | re.ASCII,
)


class Address(NamedTuple):
    """A host and a port, as they stand in a URL."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"opc.tcp://{self.host}:{self.port}"


def get_endpoints(
    params: ua.GetEndpointsParameters,
    endpoints: Sequence[ua.EndpointDescription],
    local_address: Sequence[Any],
) -> list[ua.EndpointDescription]:
    """The endpoints with one of the transport profiles asked for; all if none is."""
    url = answering_url(params.EndpointUrl, local_address)
    return [
        replace(endpoint, EndpointUrl=url, Server=replace(endpoint.Server, DiscoveryUrls=[url]))
        for endpoint in endpoints
        if not params.ProfileUris or endpoint.TransportProfileUri in params.ProfileUris
    ]


def find_servers(
    params: ua.FindServersParameters,
    description: ua.ApplicationDescription,
    local_address: Sequence[Any],
) -> list[ua.ApplicationDescription]:
    """This server, unless only others are asked for."""
    if params.ServerUris and description.ApplicationUri not in params.ServerUris:
        return []
    url = answering_url(params.EndpointUrl, local_address)
    return [replace(description, DiscoveryUrls=[url])]


def answering_url(endpoint_url: str | None, local_address: Sequence[Any]) -> str:
    """URL of this server for a client that used this one, on a socket with this address."""
    return (address_used(endpoint_url) or _socket_address(local_address)).url


def address_used(endpoint_url: str | None) -> Address | None:
    """Host and port in a client's URL; None if it is not one that could have led here."""
    if not endpoint_url or len(endpoint_url) > LONGEST_URL:
        return None
    match = URL.fullmatch(endpoint_url)
    if match is None:
        return None
    host = _name(match["name"]) if match["name"] else _ipv6(match["ipv6"])
    port = int(match["port"] or DEFAULT_PORT)
    return Address(host, port) if host and 0 < port <= 0xFFFF else None


def _name(name: str) -> str | None:
    """A host's name or IPv4 address, in letters of any alphabet."""
    fits = len(name) <= LONGEST_HOST and all(c.isalnum() or c in HOST_SIGNS for c in name)
    return name if fits else None


def _ipv6(host: str) -> str | None:
    try:
        return f"[{IPv6Address(host)}]"
    except ValueError:
        return None


def _socket_address(local_address: Sequence[Any]) -> Address:
    """What a socket calls its own address: host and port, and for IPv6 two numbers more."""
    host, port = local_address[:2]
    return Address(f"[{host}]" if ":" in host else host, port)
