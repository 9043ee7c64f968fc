"""The OPC UA server of a cell: asyncua with the cell's address space and our services."""

import asyncio
import socket
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from asyncua import Server, ua
from asyncua.server.internal_server import InternalServer
from asyncua.ua.object_ids import ObjectIds

from server import __version__
from server.opcua.attributes import CellAttributes
from server.opcua.commands import CommandWriter
from server.opcua.control import Control
from server.opcua.events import EventScanner
from server.opcua.methods import CellMethods
from server.opcua.namespaces import CELL_URI, TYPES_URI
from server.opcua.ordering import Orders
from server.opcua.processor import CellBinaryServer
from server.opcua.robot_methods import RobotMethods
from server.opcua.session import CellSession, PlainUsers, Services
from server.opcua.simulation_methods import SimulationMethods
from server.opcua.simulation_values import SimulationValues
from server.opcua.sources import Sources
from server.opcua.space import CellSpace
from server.opcua.subscription_service import CellSubscriptions
from server.opcua.values import CellValues
from server.realtime.link import Link
from sim.build.compile import Compiled
from sim.spec.cell import CellSpec

LOOPBACK = "127.0.0.1"  # until sessions are safe, nobody else may connect
APPLICATION_URI = "urn:twincell:server"
EVENT_SCAN_S = 0.005  # chosen: the shortest publishing interval
VITALS_S = 0.1


class _InternalServer(InternalServer):
    """asyncua's core, whose sessions are ours."""

    services: Services

    def create_session(self, name: Any, *_: Any, **__: Any) -> CellSession:
        return CellSession(self, self.services, str(name))


class _Server(Server):
    """asyncua's server, whose connections are ours."""

    services: Services
    listening: socket.socket

    async def start(self) -> None:
        await self._setup_server_nodes()
        await self.iserver.start()
        self.bserver = CellBinaryServer(self.iserver, *self.listening.getsockname(), self.limits)
        self.bserver.listening = self.listening
        self.bserver.subscriptions = self.services.subscriptions
        self.bserver.set_policies(self._policies)
        await self.bserver.start()


class CellServer:
    """Serves one cell at opc.tcp://localhost."""

    def __init__(self, spec: CellSpec, compiled: Compiled, link: Link, port: int = 4840) -> None:
        self._spec = spec
        self._compiled = compiled
        self._link = link
        self.port = port
        self._server: _Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def endpoint(self) -> str:
        return f"opc.tcp://localhost:{self.port}"

    async def start(self) -> None:
        """Listen; an OSError says that the port is in use."""
        listening = socket.create_server((LOOPBACK, self.port))
        self.port = listening.getsockname()[1]
        try:
            await self._start(listening)
        except BaseException:
            listening.close()
            raise

    async def _start(self, listening: socket.socket) -> None:
        core = _InternalServer(user_manager=PlainUsers())
        core.disabled_clock = True  # the time is read when it is asked for
        server = _Server(iserver=core)
        server.listening = listening
        server._application_uri = APPLICATION_URI
        server.set_endpoint(self.endpoint)
        server.set_server_name(f"twincell: {self._spec.name}")
        server.set_security_policy([ua.SecurityPolicyType.NoSecurity])
        server.set_identity_tokens([ua.AnonymousIdentityToken])
        await server.init()
        await server.set_build_info(
            "urn:twincell", "twincell", "twincell", __version__, __version__, datetime.now(UTC)
        )
        for uri in (TYPES_URI, CELL_URI):
            await server.register_namespace(uri)

        aspace, link, signals = core.aspace, self._link, self._compiled.signals
        space = CellSpace(aspace, self._spec, signals)
        notifiers = frozenset({space.cell, ua.NodeId(ObjectIds.Server)})
        step_s = self._compiled.model.step
        values = CellValues(link)
        control = Control(link)
        subscriptions = CellSubscriptions(Sources(link, space.variables, aspace, notifiers, step_s))
        commands = CommandWriter(aspace, space.variables, signals, link, control)
        attributes = CellAttributes(aspace, space.variables, values, commands)
        orders = Orders(link)
        by_name = SimulationMethods(orders, control).by_name()
        by_name |= RobotMethods(self._compiled, link, control, orders).by_name()
        methods = CellMethods(aspace, {space.methods[n]: method for n, method in by_name.items()})
        simulation = SimulationValues(link, control, step_s)
        simulation.attach(aspace, space.slow)
        core.attribute_service = attributes
        core.method_service = methods
        core.subscription_service = subscriptions
        core.services = server.services = Services(attributes, methods, subscriptions, control)
        for node, variable in space.variables.items():
            core.set_attribute_value_callback(node, lambda *_, v=variable: values.read(v))
        _tell_time(core)
        await server.start()
        self._server = server
        scanner = EventScanner(link, signals, self._spec, space, control)
        self._tasks = [
            asyncio.create_task(self._scan_events(scanner, subscriptions)),
            asyncio.create_task(self._show_vitals(server, subscriptions, simulation)),
        ]

    async def failure(self) -> None:
        """Wait until one of its own tasks fails, and raise what it raised."""
        await asyncio.gather(*self._tasks)

    async def stop(self) -> None:
        """Close all connections and the port."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._server is not None:
            self._server.services.subscriptions.stop()
            await self._server.stop()

    async def _scan_events(self, scanner: EventScanner, subscriptions: CellSubscriptions) -> None:
        while True:
            for event in scanner.scan():
                subscriptions.put_event(event)
            await asyncio.sleep(EVENT_SCAN_S)

    async def _show_vitals(
        self, server: _Server, subscriptions: CellSubscriptions, simulation: SimulationValues
    ) -> None:
        self._link.vitals["port"] = self.port
        while True:
            simulation.look()
            self._link.vitals["clients"] = len(server.bserver.clients) if server.bserver else 0
            self._link.vitals["notifications"] = subscriptions.notifications
            await asyncio.sleep(VITALS_S)


def _tell_time(core: InternalServer) -> None:
    """Let CurrentTime and ServerStatus tell the time at which they are read."""
    status_node = ua.NodeId(ObjectIds.Server_ServerStatus)

    def now(*_: Any) -> ua.DataValue:
        moment = datetime.now(UTC)
        return ua.DataValue(ua.Variant(moment), SourceTimestamp=moment)

    core.set_attribute_value_callback(ua.NodeId(ObjectIds.Server_ServerStatus_CurrentTime), now)
    held = core.aspace[status_node].attributes[ua.AttributeIds.Value]

    def status(*_: Any) -> ua.DataValue:
        moment = datetime.now(UTC)
        told = replace(held.value.Value.Value, CurrentTime=moment)
        return ua.DataValue(ua.Variant(told), SourceTimestamp=moment)

    held.value_callback = status
