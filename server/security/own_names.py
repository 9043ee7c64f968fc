"""What this machine is called: the names and addresses under which clients may reach it."""

import fcntl
import socket
import struct

_GET_ADDRESS = 0x8915  # SIOCGIFADDR of Linux: the IPv4 address of a network interface


def default_application_uri() -> str:
    """A name for this application that no other machine uses."""
    return f"urn:{socket.gethostname()}:twincell"


def host_names() -> list[str]:
    """Names and addresses of this machine, without asking the network."""
    found = [socket.gethostname(), "localhost", "127.0.0.1", "::1", *_addresses()]
    return list(dict.fromkeys(found))


def _addresses() -> list[str]:
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        for _, name in socket.if_nameindex():
            asked = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(any_socket, _GET_ADDRESS, asked)
            except OSError:
                continue  # an interface without an address
            found.append(socket.inet_ntoa(answer[20:24]))
    return found
