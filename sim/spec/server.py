"""What a cell file says about serving the cell: who may connect, and how much they may ask for."""

from typing import Literal

from pydantic import Field

from twincell.sim.spec.table import Table


class Server(Table):
    """The OPC UA server of the cell."""

    anonymous: Literal["nobody", "observer", "operator", "engineer"] = "observer"
    """What a client on this machine may do without logging in."""
    unencrypted_network: bool = False
    """Whether clients on other machines may connect without encryption."""
    limits: dict[str, int | float] = Field(default={})
    """What clients may ask for; docs/server/limits.md lists all limits."""
