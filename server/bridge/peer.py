"""How to reach the controller: address, certificate, and a password from outside the cell file."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from asyncua import ua

from twincell.server.client.bounded_protocol import MEND
from twincell.server.client.login import POLICIES, Advice, Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import Session, connected
from twincell.server.opcua.wire.decoding import TooMuch
from twincell.server.security.folder import SecurityFolder
from twincell.sim.spec.bridge import Bridge

AT_ONCE = 100  # nodes in one request, of whatever kind; chosen: less than any PLC allows
PLAIN = "None"
BEST = "best"
LONGEST_PASSWORD = 1_000  # characters in a file; chosen
SWITCHED_ON = "is it switched on, its OPC UA server activated, the address right, the port open?"

WRITTEN = Advice(  # for whoever writes the cell file
    "give user in the cell file",
    "add it in the controller's project, with the rights to read and write our nodes",
    'give security = "best" in the cell file',
    "choose security as the controller offers it, or switch its encryption on",
    "in the controller's project, or its list of rejected certificates: the one with thumbprint",
)


def password_of(bridge: Bridge, cell_file: Path) -> str:
    """The password of a bridge's user; raises Mistake if it is not where the cell file says."""
    if bridge.password_env:
        password = os.environ.get(bridge.password_env, "")
        if not password:
            hint = f"export {bridge.password_env}=... before the start"
            raise Mistake(f"the environment variable {bridge.password_env} is not set", hint)
        return password
    if bridge.password_file:
        path = cell_file.parent / bridge.password_file
        try:
            password = path.read_text(encoding="utf-8").strip("\r\n")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "is no text"
            hint = "write the password into it, readable for us alone"
            raise Mistake(f"the password file {path}: {reason}", hint) from None
        if not 0 < len(password) <= LONGEST_PASSWORD:
            raise Mistake(f"the password file {path}: holds no password", "one line is wanted")
        return password
    return ""


def login_of(bridge: Bridge, cell_file: Path, folder: SecurityFolder | None) -> Login:
    """Who we are for the controller, and how much security we want."""
    policy = next((uri for uri in POLICIES if uri.endswith(f"#{bridge.security}")), "")
    return Login(
        bridge.user or "",
        password_of(bridge, cell_file),
        secure=bridge.security != PLAIN,
        folder=folder,
        policy=policy,
        mode=ua.MessageSecurityMode[bridge.mode],
        advice=WRITTEN,
    )


@asynccontextmanager
async def connected_peer(
    bridge: Bridge, cell_file: Path, folder: SecurityFolder | None
) -> AsyncIterator[Session]:
    """A session with the controller; what keeps us from having one is a Mistake with a remedy."""
    login = login_of(bridge, cell_file, folder)
    async with connected(bridge.endpoint, f"twincell {bridge.name}", login) as session:
        yield session


def told(error: Exception, endpoint: str) -> tuple[str, str]:
    """What went wrong with a connection, and what to do about it."""
    if isinstance(error, Mistake):
        return str(error), error.hint
    if isinstance(error, TooMuch):
        return f"{endpoint}: {error}", MEND
    if isinstance(error, TimeoutError):
        return f"{endpoint}: does not answer", SWITCHED_ON
    if isinstance(error, OSError):
        number = error.errno or 0
        reason = os.strerror(number).lower() if number > 0 else str(error)
        return f"{endpoint}: {reason}", SWITCHED_ON
    if isinstance(error, ua.UaStatusCodeError):
        status = ua.StatusCode(error.code)
        return f"{endpoint}: {status.name}: {status.doc}", "see what the controller's log says"
    return f"{endpoint}: {type(error).__name__}: {error}", "see what the controller's log says"
