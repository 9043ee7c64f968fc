"""A controller that is an OPC UA server: asyncua's, with variables of its own, in a thread.

Its namespace is urn:plc; a variable Close has the node id nsu=urn:plc;s=Close. It can be cut off,
stopped and started again at the same port, with its variables as they were.
"""

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from asyncua import Server, ua

URI = "urn:plc"
WAIT_S = 20.0

Result = TypeVar("Result")


class PlcServer:
    """The server, for as long as the `with` block lasts."""

    def __init__(self, variables: Mapping[str, ua.Variant], port: int = 0) -> None:
        self._values = {name: ua.DataValue(variant) for name, variant in variables.items()}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: Server | None = None
        self.port = port
        self.read_only: set[str] = set()
        self.missing: set[str] = set()
        self.mute: set[str] = set()  # those of which no value is sent, not even a first one
        self.unmonitored: set[str] = set()  # those that it does not monitor

    def __enter__(self) -> Self:
        self._thread.start()
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._do(_cancel_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()

    @property
    def endpoint(self) -> str:
        return f"opc.tcp://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Listen, at the port of before."""
        self._do(self._start())

    def stop(self) -> None:
        """End, and keep the values of all variables."""
        if self._server is not None:
            for name in self._values.keys() - self.missing:
                self._values[name] = self.found(name)
            self._do(self._server.stop())
            self._server = None

    def cut(self) -> None:
        """Cut all connections, as a pulled cable does; who connects again is let in."""
        self._loop.call_soon_threadsafe(self._cut)

    def __setitem__(self, name: str, value: Any) -> None:
        """Write a variable, as the PLC's program does."""
        variant = self._values[name].Value
        assert variant is not None
        self.write(name, ua.DataValue(ua.Variant(value, variant.VariantType)))

    def __getitem__(self, name: str) -> Any:
        variant = self.found(name).Value
        return None if variant is None else variant.Value

    def write(self, name: str, value: ua.DataValue) -> None:
        """Write a variable with a status, or of another type."""
        self._do(self._node(name).write_value(value))

    def found(self, name: str) -> ua.DataValue:
        """A variable with its status."""
        found: ua.DataValue = self._do(
            self._node(name).read_attribute(ua.AttributeIds.Value, raise_on_bad_status=False)
        )
        return found

    def add(self, name: str) -> None:
        """Have a variable that was missing."""
        self.missing.discard(name)
        assert self._server is not None
        self._do(self._add(self._server, name))

    def let_write(self, name: str) -> None:
        """Let clients write a variable that they could not."""
        self.read_only.discard(name)
        self._do(self._node(name).set_writable())

    def _node(self, name: str) -> Any:
        assert self._server is not None
        return self._server.get_node(ua.NodeId(name, 2))

    def _do(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    async def _start(self) -> None:
        server = Server()
        await server.init()
        server.set_endpoint(self.endpoint)
        server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
        namespace = await server.register_namespace(URI)
        assert namespace == 2
        for name in self._values.keys() - self.missing:
            await self._add(server, name)
        self._restrict(server)
        await server.start()
        assert server.bserver is not None
        self.port = server.bserver._server.sockets[0].getsockname()[1]
        self._server = server

    async def _add(self, server: Server, name: str) -> None:
        value = self._values[name]
        assert value.Value is not None
        node = await server.nodes.objects.add_variable(ua.NodeId(name, 2), name, value.Value)
        await node.write_value(value)
        if name not in self.read_only:
            await node.set_writable()

    def _restrict(self, server: Server) -> None:
        """Monitor only what shall be, as small PLCs do."""
        service = server.iserver.subscription_service
        create = service.create_monitored_items

        async def create_some(
            params: ua.CreateMonitoredItemsParameters,
        ) -> list[ua.MonitoredItemCreateResult]:
            for item in params.ItemsToCreate:
                name = item.ItemToMonitor.NodeId.Identifier
                if name in self.mute:
                    item.MonitoringMode = ua.MonitoringMode.Disabled
                if name in self.unmonitored:
                    item.ItemToMonitor.NodeId = ua.NodeId("nobody", 2)
            return await create(params)

        service.create_monitored_items = create_some

    def _cut(self) -> None:
        if self._server is not None and self._server.bserver is not None:
            for client in list(self._server.bserver.clients):
                client.transport.abort()


async def _cancel_all() -> None:
    """End what the library has left behind."""
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)
