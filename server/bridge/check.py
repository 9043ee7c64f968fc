"""Tests a bridge without carrying anything: connection, certificate, login, nodes, types, rights.

Nothing is written to the controller, and no cell has to run.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from twincell.server.bridge.bridge import wires_of
from twincell.server.bridge.listening import FASTEST, Changes, Listening
from twincell.server.bridge.peer import PLAIN, connected_peer, told
from twincell.server.bridge.route import Found, find_routes
from twincell.server.bridge.wire import Unfit, variant_of
from twincell.server.client.session import Session, status_of, value_of
from twincell.server.client.values import shown
from twincell.server.security.folder import SecurityFolder
from twincell.sim.signals import SignalTable
from twincell.sim.spec.bridge import Bridge

SLOWER = 1.5  # granted over asked: less is rounding


class Line(NamedTuple):
    """What was tested, and what came of it."""

    bridge: str
    what: str  # connection, or a wire
    type: str  # of the controller's node
    value: str  # that it has now
    problem: str = ""  # "" if all is well
    remedy: str = ""

    @property
    def is_ok(self) -> bool:
        return not self.problem


async def check_bridge(
    bridge: Bridge, cell_file: Path, signals: SignalTable, folder: SecurityFolder | None
) -> list[Line]:
    """Everything there is to say about a bridge."""
    try:
        async with connected_peer(bridge, cell_file, folder) as peer:
            connection = Line(bridge.name, "connection", "", _security(peer, bridge))
            found = await find_routes(peer, None, wires_of(bridge, signals))
            pace = await _pace(bridge, peer, found)
            return [connection, pace, *(_of_wire(bridge.name, one) for one in found)]
    except Exception as error:  # of a network, a library, a controller
        problem, remedy = told(error, bridge.endpoint)
        return [Line(bridge.name, "connection", "", "", problem, remedy)]


def _security(peer: Session, bridge: Bridge) -> str:
    policy = peer.client.security_policy.URI.rpartition("#")[2]
    how = policy if policy == PLAIN else f"{policy}, {bridge.mode}"
    return f"{how}, {f'user {bridge.user}' if bridge.user else 'anonymous'}"


async def _pace(bridge: Bridge, peer: Session, found: Sequence[Found]) -> Line:
    """How fast the controller tells of changes."""

    def nobody_hears(_: Changes) -> None:
        pass

    listening = Listening(nobody_hears)
    sources = {one.route.source for one in found if one.route and one.wire.is_command}
    await listening.begin(peer, bridge.publishing_ms)
    await listening.add(list(sources), FASTEST, 1)
    granted = f"publishing {listening.publishing_ms:g} ms, sampling {listening.sampling_ms:g} ms"
    line = Line(bridge.name, "subscription", "", granted)
    if listening.refused:
        (status, *_) = listening.refused.values()
        problem = f"{len(listening.refused)} nodes cannot be monitored: {status.name}"
        return line._replace(problem=problem, remedy="see what the controller limits")
    slowest_ms = max(listening.publishing_ms, listening.sampling_ms)
    if slowest_ms > SLOWER * bridge.publishing_ms:
        problem = f"slower than the {bridge.publishing_ms:g} ms that were asked for"
        remedy = "lower the least interval in the controller's project, or raise publishing_ms"
        return line._replace(problem=problem, remedy=remedy)
    return line


def _of_wire(bridge: str, found: Found) -> Line:
    value = shown(found.value) if found.value is not None else ""
    line = Line(bridge, found.wire.name, found.type, value, found.problem, found.remedy)
    if found.route is None or found.value is None or not found.wire.is_command:
        return line
    status = status_of(found.value)
    if status.is_bad():
        return line._replace(problem=f"is {status.name}", remedy="see why it is Bad there")
    try:
        variant_of(found.wire.carried(value_of(found.value)), found.route.type)
    except Unfit as unfit:
        return line._replace(problem=str(unfit), remedy=unfit.remedy)
    return line
