"""How the bridges are, as clients read it."""

from collections.abc import Callable, Mapping
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace

from twincell.server.opcua.attribute.simulation_values import attach
from twincell.server.realtime.shared.bridge_board import BridgeBoard, BridgeState


def show_bridges(board: BridgeBoard, aspace: AddressSpace, slow: Mapping[str, ua.NodeId]) -> None:
    """Let the nodes of all bridges answer with what their processes say."""
    for bridge in board.bridges:
        attach({f"{bridge.name}.{n}": one for n, one in _values(bridge).items()}, aspace, slow)


def _values(bridge: BridgeState) -> dict[str, Callable[[], Any]]:
    return {
        "Connected": lambda: bridge.is_connected,
        "Reconnects": lambda: bridge["reconnects"],
        "Received": lambda: bridge["received"],
        "Sent": lambda: bridge["sent"],
        "Problems": lambda: bridge["problems"],
        "LastError": lambda: bridge.error,
    }
