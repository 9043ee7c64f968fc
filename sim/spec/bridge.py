"""What a cell file says about controllers that are OPC UA servers themselves.

A bridge reaches out to such a server. A wire of it leads from a node there to a command of ours, or
from a signal of ours to a node there.
"""

from typing import Annotated, Literal

from pydantic import Field

from twincell.sim.spec.table import Name, Number, Positive, Table

Endpoint = Annotated[
    str,
    Field(pattern=r"^opc\.tcp://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._\-]+)(:[0-9]{1,5})?(/[^\s@]*)?$"),
]
PeerNode = Annotated[str, Field(pattern=r"^(ns=[0-9]{1,5};|nsu=[^;]+;)?(i=[0-9]{1,10}|[sgb]=.+)$")]
Text = Annotated[str, Field(min_length=1)]
Bit = Annotated[int, Field(ge=0, le=63)]


class BridgeWire(Table):
    """One value that goes from one side to the other."""

    node: PeerNode
    """Node of the controller; nsu= names its namespace, which may change its number."""
    signal: Text
    """Signal of the cell."""
    scale: Number = 1.0
    """The number that arrives is the one that leaves times scale plus offset."""
    offset: Number = 0.0
    """Added after scale."""
    invert: bool = False
    """Whether true arrives as false; of Booleans only."""
    bit: Bit | None = None
    """Bit of a whole number at the controller; left out: the node is the value itself."""


class Bridge(Table):
    """A connection to a controller that is an OPC UA server."""

    name: Name
    """What to call it, in the address space and in messages."""
    endpoint: Endpoint
    """Where the controller's server listens."""
    security: Literal[
        "best", "Basic256Sha256", "Aes128_Sha256_RsaOaep", "Aes256_Sha256_RsaPss", "None"
    ] = "best"
    """Security policy; best: the strongest that both know."""
    mode: Literal["SignAndEncrypt", "Sign"] = "SignAndEncrypt"
    """Whether messages are encrypted as well as signed."""
    user: Text | None = None
    """Who to log in as; left out: anonymous."""
    password_env: Text | None = None
    """Environment variable that holds the user's password."""
    password_file: Text | None = None
    """File that holds the user's password, seen from the folder of the cell file."""
    publishing_ms: Annotated[Positive, Field(le=60_000)] = 5.0
    """How often to ask for changes."""
    command: list[BridgeWire] = Field(default=[])
    """From the controller's nodes to our commands."""
    feedback: list[BridgeWire] = Field(default=[])
    """From our signals to the controller's nodes."""
