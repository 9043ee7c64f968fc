"""A client's connection to a cell: nodes by their names, and to notice when it is lost."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from asyncua import ua

from twincell.server.client.login import CarefulClient, Login, connect
from twincell.server.opcua.space.namespaces import CELL_URI

ANSWER_S = 4.0  # how long to wait for an answer
PROBE_S = 1.0  # how often to see whether the server is there, and how long that may take
SESSION_MS = 60_000  # how long the server keeps the session of a client that is gone
AT_ONCE = 1_000  # nodes in one request; chosen: far below what servers allow

Result = TypeVar("Result")


class Session:
    """An open connection."""

    def __init__(self, client: CarefulClient, namespaces: list[str]) -> None:
        self.client = client
        self.user = client.login.user  # "" if we gave no name
        self.has_cell = CELL_URI in namespaces  # else it is some other server
        self._namespace = namespaces.index(CELL_URI) if self.has_cell else 0
        self._lost = asyncio.get_running_loop().create_future()
        client.connection_lost_callback = self._note_loss

    @property
    def is_open(self) -> bool:
        """Whether nobody has noticed a loss of the connection."""
        return not self._lost.done()

    def node_id(self, name: str) -> ua.NodeId:
        """Id of a signal or an object of the cell."""
        return ua.NodeId(name, self._namespace)

    def name_of(self, node: ua.NodeId) -> str:
        """The name of a signal or object of the cell, or the whole id of any other node."""
        if self.has_cell and node.NamespaceIndex == self._namespace:
            return str(node.Identifier)
        return node.to_string()

    async def read(
        self,
        nodes: Sequence[ua.NodeId],
        attribute: ua.AttributeIds = ua.AttributeIds.Value,
        at_once: int = AT_ONCE,
    ) -> list[ua.DataValue]:
        """Read an attribute of many nodes, so many of them in one request."""
        found: list[ua.DataValue] = []
        for first in range(0, len(nodes), at_once):
            part = list(nodes[first : first + at_once])
            found += await self.client.uaclient.read_attributes(part, attribute)
        return found

    async def value(self, name: str) -> Any:
        """Value of one signal of the cell; raises its Bad status."""
        (found,) = await self.read([self.node_id(name)])
        status_of(found).check()
        return value_of(found)

    async def unless_lost(self, wanted: Awaitable[Result]) -> Result:
        """Wait for something; raise ConnectionError if the connection is lost meanwhile."""
        task = asyncio.ensure_future(wanted)
        try:
            await asyncio.wait({task, self._lost}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            raise ConnectionError("the connection was lost")
        finally:
            task.cancel()

    async def _note_loss(self, _: Exception) -> None:
        if not self._lost.done():
            self._lost.set_result(None)


def status_of(found: ua.DataValue) -> ua.StatusCode:
    """Status of a value; none was sent when it is good."""
    return found.StatusCode or ua.StatusCode()


def value_of(found: ua.DataValue) -> Any:
    """What a value is without its status and times."""
    return found.Value.Value if found.Value is not None else None


@asynccontextmanager
async def connected(
    url: str, name: str, login: Login | None = None, patience_s: float = 0.0
) -> AsyncIterator[Session]:
    """Connect and log in, under the name that the server will show; without a login: as nobody.

    With patience, a server on a busy machine may take so long for an answer.
    """
    logging.getLogger("asyncua").setLevel(logging.CRITICAL + 1)  # what matters is raised as well
    client = CarefulClient(url, patience_s or ANSWER_S, watchdog_intervall=patience_s or PROBE_S)
    client.name = client.description = name
    client.session_timeout = SESSION_MS
    await connect(client, login or Login())
    try:
        yield Session(client, await client.get_namespace_array())
    finally:
        await client.disconnect()
