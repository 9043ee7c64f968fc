"""How a cell is served: where, to whom, and within which limits."""

from collections.abc import Iterator
from dataclasses import dataclass

from twincell.server.listening import EVERYWHERE
from twincell.server.opcua.limits import Limits
from twincell.server.security.origin import is_loopback
from twincell.server.security.roles import Role
from twincell.server.security.security import Security

RIGHTS = {  # of a client that gives no name
    Role.NOBODY: "may do nothing",
    Role.OBSERVER: "may read",
    Role.OPERATOR: "may read and write commands",
    Role.ENGINEER: "may do everything",
}


@dataclass(frozen=True)
class Serving:
    """What the OPC UA process has to know besides the cell."""

    security: Security
    limits: Limits
    host: str  # address to listen at
    port: int
    demo_password: str  # made up anew for every start: nobody else is the demo
    lab: bool  # everybody may do everything
    bridge_password: str = ""  # likewise made up, for the bridges

    def told(self) -> Iterator[str]:
        """What a person must know about it, loud where it is dangerous."""
        security = self.security
        if self.lab:
            where = "any address of this machine" if self.host == EVERYWHERE else self.host
            yield f"WARNING:    lab mode: whoever reaches {where} may do everything"
            return
        users = len(security.users.entries())
        command = security.trust.folder.command
        users_command = command("user", "list") if users else command("user", "add", "NAME")
        yield f"users:      {users or 'none yet'}: {users_command}"
        yield f"no login:   a client on this machine {RIGHTS[security.anonymous_here]}"
        if self.host == "localhost" or is_loopback(self.host):
            reach = "--listen with an address of the network lets them"
            yield f"network:    other machines cannot connect; {reach}"
        else:
            trusting = command("trust", "list")
            yield f"network:    other machines need a login and to be trusted: {trusting}"
        if security.plain_elsewhere:
            yield (
                "WARNING:    the cell file lets other machines connect without encryption:"
                " whoever is in between can read and change everything"
            )
