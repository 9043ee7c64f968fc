"""What the OPC UA server tells everybody: events, and the faults that act now.

One connection for all pages, as an observer whom this server knows by itself: what it hears is
shown only to visitors who may look.
"""

import asyncio
import logging
from collections import deque
from datetime import UTC
from typing import Any, NamedTuple

from asyncua import Node, ua

from twincell.server.client.faults import ACTIVE, named
from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.nodes import CELL
from twincell.server.client.session import Session, connected
from twincell.server.security.folder import SecurityFolder
from twincell.server.web.data.event_kinds import OVERRUNS, kind_of, level_of
from twincell.server.web.showing import WEB_NAME

MOST_EVENTS = 1_000  # that are remembered
MOST_OVERRUNS = 100
AGAIN_S = 1.0  # after a lost connection
PUBLISHING_MS = 100.0


log = logging.getLogger("twincell.web")


class Event(NamedTuple):
    """Something that happened."""

    number: int
    ms: int  # since 1970
    tick: int | None
    kind: str
    source: str
    text: str
    level: str


class Watcher:
    """Listens, and connects again when the server was restarted."""

    def __init__(self, endpoint: str, password: str, folder: SecurityFolder) -> None:
        self._endpoint = endpoint
        self._login = Login(WEB_NAME, password, folder=folder)
        self._count = 0
        self.events: deque[Event] = deque(maxlen=MOST_EVENTS)
        # apart: a busy machine has many, and would push out everything else
        self.overruns: deque[Event] = deque(maxlen=MOST_OVERRUNS)
        self.faults: dict[str, str] = {}  # that act now, with their values
        self.is_connected = False

    async def run(self) -> None:
        """Listen for ever."""
        while True:
            try:
                async with connected(self._endpoint, "web page events", self._login) as session:
                    await self._listen(session)
            except (TimeoutError, OSError, ua.UaError, Mistake):
                pass  # it is down, or starts
            except Exception:
                log.exception("the events of the page were lost for a moment")
            self.is_connected = False
            await asyncio.sleep(AGAIN_S)

    async def _listen(self, session: Session) -> None:
        subscription = await session.client.create_subscription(PUBLISHING_MS, self)
        await subscription.subscribe_events(session.node_id(CELL))
        await subscription.subscribe_data_change(
            session.client.get_node(session.node_id(ACTIVE)), sampling_interval=PUBLISHING_MS
        )
        self.is_connected = True
        await session.unless_lost(asyncio.Event().wait())

    def datachange_notification(self, node: Node, value: Any, _: object) -> None:
        """The list of faults has changed."""
        self.faults = named(value or [])

    def event_notification(self, event: Any) -> None:
        """Something happened."""
        self._count += 1
        told = str(event.Message.Text or "")
        text, _, tick = told.removesuffix(")").rpartition(" (tick ")
        type_name = str(event.EventType.Identifier)
        heard = Event(
            self._count,
            round(event.Time.replace(tzinfo=UTC).timestamp() * 1000),
            int(tick) if text and tick.isdigit() else None,
            kind_of(type_name),
            str(event.SourceName or ""),
            text or told,
            level_of(type_name),
        )
        (self.overruns if heard.kind == OVERRUNS else self.events).append(heard)
