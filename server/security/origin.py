"""Which machine a client is on: this one has many addresses, and counts as one.

Our servers listen at IPv4 addresses only, so elsewhere an address stands for a machine.
"""

from ipaddress import ip_address

THIS_MACHINE = "this machine"


def is_loopback(address: str) -> bool:
    """Whether an address is one of this machine to itself."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def origin_of(client: str, own: str) -> str:
    """The machine of a client with this address, who reached us at that one.

    No answer to our own address ever leaves the machine, so nobody else can connect from it.
    """
    return THIS_MACHINE if is_loopback(client) or client == own else client
