"""Who commands the cell: nobody, the timeline, the demo, a bridge, or a client's session.

The timeline and the demo yield to the first command from outside. Sessions from outside do not
keep each other away, as a PLC and an operator's panel may share a cell: whoever commanded last is
named. When that session ends, its commands stay as they are and nobody commands; it is lost, and so
is one that says nothing for too long. A bridge ends its session when it loses its controller, and
speaks only when that changes something: as long as it has its controller, it is not silent.
"""

from collections.abc import Sequence
from typing import Protocol

from asyncua import ua

from twincell.server.logging.log_line import printable
from twincell.server.opcua.command.supervision import Loss, Supervision
from twincell.server.realtime.shared.command_queue import CYCLE, TIMELINE_OFF
from twincell.server.realtime.shared.link import Link
from twincell.server.security.roles import Identity, Role

DEMO_NAME = "twincell demo"  # the user that the demo logs in as: nobody else can
BRIDGE_NAMES = "twincell bridge "  # what the users begin with that bridges log in as
LONGEST_NAME = 100  # characters of a session's name that are shown; chosen
SESSION, BRIDGE = "session ", "bridge "  # what names begin with that are clients'


class Commander(Protocol):
    """A client's session, as far as commanding goes."""

    session_id: ua.NodeId
    client_name: str  # the SessionName that the client gave
    outside_before: int  # commands from outside, when it began

    @property
    def connection(self) -> object | None:
        """Over which it talks; none while that is lost."""

    @property
    def is_closed(self) -> bool:
        """Whether it has ended."""

    @property
    def identity(self) -> Identity:
        """Who it acts for."""

    @property
    def role(self) -> Role:
        """What its user may do."""


class Control:
    """Decides who may command, and remembers who does."""

    def __init__(self, link: Link, supervision: Supervision | None = None) -> None:
        self._link = link
        self._session: Commander | None = None
        self._supervision = supervision or Supervision(link)
        self.outside_commands = 0  # batches so far that were not the demo's
        self._lost: list[Loss] = []
        self._bridges: dict[ua.NodeId, str] = {}  # sessions of bridges that have commanded
        # a controller is watched until it is lost; also one of a server that ended before this one
        before = link.vitals.text("control")
        self._watched = before if before.startswith((SESSION, BRIDGE)) else ""
        if self._watched and not self._supervision.waits:
            # its session has ended with that server, and nobody waits for its return
            self._lose(self._supervision.gone(self._watched))
        self.show()

    @property
    def text(self) -> str:
        """Who commands, in words."""
        if self._session is not None:
            return shown_name(self._session)
        return "timeline" if self._link.vitals["timeline_on"] else "nobody"

    def check(self, session: Commander) -> None:
        """Refuse who is gone meanwhile, and a demo that has somebody to yield to."""
        if session.is_closed:
            raise ua.uaerrors.BadSessionClosed
        if not _is_demo(session):
            return
        somebody_commands = self._session is not None and not _is_demo(self._session)
        if somebody_commands or session.outside_before < self.outside_commands:
            raise ua.uaerrors.BadUserAccessDenied

    def command(self, session: Commander, batch: Sequence[tuple[int, float]]) -> None:
        """Hand over a session's batch, and let it command from now on; else raise Bad..."""
        self.check(session)
        # who only moves time on leaves the timeline to command
        only_counts = [command for command, _ in batch] == [CYCLE]
        ends_timeline = self._link.vitals["timeline_on"] and not only_counts
        end_timeline = [(TIMELINE_OFF, 1.0)] if ends_timeline else []
        if not self._link.commands.put([*end_timeline, *batch]):
            raise ua.uaerrors.BadResourceUnavailable
        self._session = session
        if _is_bridge(session):
            self._bridges[session.session_id] = self.text
        self.show()
        self.outside_commands += not _is_demo(session)
        self.heard(session)

    def heard(self, session: Commander) -> None:
        """Take a sign of life of the session that commands; what others do is none."""
        if session is self._session and not _is_demo(session):
            self._watched = self.text
            self._supervision.heard()

    def look(self) -> None:
        """Notice when the controller has been silent for too long; let the cell react."""
        if self._watched and not self.is_controller_lost:  # one that is lost has to command
            if self._link.bridges.is_connected(self._watched.removeprefix(BRIDGE)):
                self._supervision.heard()
            else:
                self._lose(self._supervision.silent(self._watched))
        self._lose(self._supervision.make_up())

    def session_closed(self, session_id: ua.NodeId) -> None:
        """A session has ended, by itself or by its connection.

        A bridge that has ever commanded is lost, also when somebody else commands by now.
        """
        bridge = self._bridges.pop(session_id, "")
        if self._session is not None and self._session.session_id == session_id:
            if _is_demo(self._session):
                self._lose(Loss(self.text, 0.0, has_gone=True, reaction="nothing"))
            else:
                self._lose(self._supervision.gone(self.text))
            self._session = None
            self.show()
        elif bridge:
            self._lose(self._supervision.gone(bridge))

    @property
    def is_controller_lost(self) -> bool:
        """Whether nobody has commanded since the controller was lost."""
        return self._supervision.is_lost

    def take_lost(self) -> list[Loss]:
        """Who commanded and was lost since this was last asked."""
        lost, self._lost = self._lost, []
        return lost

    def _lose(self, loss: Loss | None) -> None:
        if loss is not None:
            self._lost.append(loss)
            if loss.who == self._watched:
                self._watched = ""  # it is lost once

    def show(self) -> None:
        """Write who commands where the other processes see it."""
        self._link.vitals.write_text("control", self.text)


def _is_demo(session: Commander) -> bool:
    return session.identity.name == DEMO_NAME


def _is_bridge(session: Commander) -> bool:
    return session.identity.name.startswith(BRIDGE_NAMES)


def shown_name(session: Commander) -> str:
    """What a session is called wherever people see it."""
    if _is_demo(session):
        return "demo"
    if _is_bridge(session):
        return BRIDGE + session.identity.name.removeprefix(BRIDGE_NAMES)
    # the client chose it: no line breaks and no novels on a status line
    name = printable(session.client_name)[:LONGEST_NAME]
    return f"{SESSION}{name or session.session_id.to_string()}"
