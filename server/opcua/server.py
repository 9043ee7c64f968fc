"""The OPC UA server of a cell: asyncua's address space, and our own way to it.

Of asyncua's server its core is used: nodes, and the standard's part of the address space. All that
a client touches is ours: connections, channels, sessions and services.
"""

import asyncio
import socket
from contextlib import suppress
from datetime import UTC, datetime

from asyncua import Server, ua
from asyncua.server.internal_server import InternalServer
from asyncua.ua.object_ids import ObjectIds

from twincell import __version__
from twincell.server.listening import LOOPBACK, endpoint_of
from twincell.server.opcua.attribute.attributes import CellAttributes
from twincell.server.opcua.attribute.bridge_values import show_bridges
from twincell.server.opcua.attribute.simulation_values import SimulationValues
from twincell.server.opcua.attribute.values import CellValues
from twincell.server.opcua.command.arbitration import Control
from twincell.server.opcua.command.commands import CommandWriter
from twincell.server.opcua.command.supervision import Supervision
from twincell.server.opcua.diagnostic.audit import Audit
from twincell.server.opcua.diagnostic.diagnostics import Counters, Diagnostics, publish_diagnostics
from twincell.server.opcua.diagnostic.server_status import ServerStatus
from twincell.server.opcua.diagnostic.server_vitals import ServerVitals
from twincell.server.opcua.fault.active_faults import ActiveFaults
from twincell.server.opcua.fault.client_faults import ClientFaults
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.method.fault_methods import FaultMethods
from twincell.server.opcua.method.force_methods import ForceMethods
from twincell.server.opcua.method.methods import CellMethods
from twincell.server.opcua.method.ordering import Orders
from twincell.server.opcua.method.protocol_fault_methods import ProtocolFaultMethods
from twincell.server.opcua.method.recording_methods import RecordingMethods
from twincell.server.opcua.method.robot_methods import RobotMethods
from twincell.server.opcua.method.simulation_methods import SimulationMethods
from twincell.server.opcua.method.subscription_methods import SubscriptionMethods
from twincell.server.opcua.service_list import CellServices
from twincell.server.opcua.services import Dispatcher
from twincell.server.opcua.session.session import Session
from twincell.server.opcua.session.session_service import Sessions
from twincell.server.opcua.shares import Shares
from twincell.server.opcua.space.capabilities import publish_capabilities
from twincell.server.opcua.space.namespaces import CELL_URI, TYPES_URI
from twincell.server.opcua.space.space import CellSpace
from twincell.server.opcua.subscription.events import EventScanner
from twincell.server.opcua.subscription.item_service import CellItems
from twincell.server.opcua.subscription.sources import Sources
from twincell.server.opcua.subscription.subscription_service import CellSubscriptions
from twincell.server.opcua.view.view import CellView
from twincell.server.opcua.wire.admission import Admission
from twincell.server.opcua.wire.channel import Channel
from twincell.server.opcua.wire.connection import Connection
from twincell.server.opcua.wire.endpoints import factories
from twincell.server.realtime.shared.link import Link
from twincell.server.security.origin import origin_of
from twincell.server.security.security import Security
from twincell.sim.build.compile import Compiled
from twincell.sim.spec.cell import CellSpec

PRODUCT_URI = "urn:twincell"
EVENT_SCAN_S = 0.005  # chosen
VITALS_S = 0.1
SHUTDOWN_NOTICE_S = 0.5  # between the word that the server will end, and its end; chosen
SHUTDOWN_LOOK_S = 0.02  # whether everybody has left before; chosen


class CellServer:
    """Serves one cell."""

    def __init__(
        self,
        spec: CellSpec,
        compiled: Compiled,
        link: Link,
        security: Security,
        limits: Limits | None = None,
        host: str = LOOPBACK,
        port: int = 4840,
    ) -> None:
        self._spec = spec
        self._compiled = compiled
        self._link = link
        self.security = security
        self.limits = limits or Limits()
        self._host = host
        self.port = port
        self._listener: asyncio.Server | None = None
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def endpoint(self) -> str:
        return endpoint_of(self._host, self.port)

    async def start(self) -> None:
        """Listen; an OSError says that the port is in use."""
        listening = socket.create_server((self._host, self.port))
        self.port = listening.getsockname()[1]
        try:
            await self._start(listening)
        except BaseException:
            listening.close()
            raise

    async def _start(self, listening: socket.socket) -> None:
        core = await self._standard_space()
        aspace, link, signals = core.aspace, self._link, self._compiled.signals
        space = CellSpace(aspace, self._spec, signals)
        notifiers = frozenset({space.cell, ua.NodeId(ObjectIds.Server)})
        step_s, limits = self._compiled.model.step, self.limits
        self.faults = faults = ProtocolFaults(link, space.variables.values(), signals, step_s)
        values = CellValues(link, faults)
        for node, variable in space.variables.items():
            core.set_attribute_value_callback(node, lambda *_, v=variable: values.read(v))
        counters = Counters()
        stops = [signals[f"{robot}.Stop"].column for robot in self._spec.robot]
        supervision = Supervision(link, self._spec.controller, stops)
        self.control = control = Control(link, supervision)
        sources = Sources(link, space.variables, aspace, notifiers, step_s, faults)
        own_uri = self.security.own.application_uri
        self.audit = Audit(own_uri, aspace, sources.hear_audits, sources.put_audit)
        self.shares = shares = Shares(limits)
        self.subscriptions = CellSubscriptions(sources, limits, shares, counters)
        self.items = CellItems(self.subscriptions, limits)
        self.sessions = Sessions(self.security, limits, shares, counters, self)
        commands = CommandWriter(aspace, space.variables, signals, link, control, faults.commands)
        self._orders = orders = Orders(link)
        orders.listen()
        by_name = SimulationMethods(orders, control, step_s).by_name()
        by_name |= RecordingMethods(link, orders, control).by_name()
        by_name |= RobotMethods(self._compiled, link, control, orders).by_name()
        by_name |= ProtocolFaultMethods(faults, control).by_name()
        by_name |= ForceMethods(signals, faults, control).by_name()
        by_name |= FaultMethods(signals, link, control, faults).by_name()
        methods = {space.methods[name]: one for name, one in by_name.items()}
        methods |= SubscriptionMethods(self.subscriptions).by_node()
        services = CellServices(
            self._description(),
            self.security,
            limits,
            self.sessions,
            CellAttributes(aspace, space.variables, values, commands, limits),
            CellView(aspace, limits),
            CellMethods(aspace, methods, limits),
            self.subscriptions,
            self.items,
            control,
            ClientFaults(faults),
            self.audit,
        )
        active = ActiveFaults(link.ring, signals, faults)
        simulation = SimulationValues(link, control, step_s, active)
        simulation.attach(aspace, space.slow)
        show_bridges(link.bridges, aspace, space.slow)
        publish_capabilities(core, limits, step_s)
        diagnostics = Diagnostics(counters, self.sessions, self.subscriptions.subscriptions)
        publish_diagnostics(core, diagnostics)
        await core.start()
        self._status = ServerStatus(core)
        await self._listen(listening, services, counters)
        scanner = EventScanner(link, signals, space, control, faults)
        board = ServerVitals(
            link.vitals, self.admission, self.sessions, self.subscriptions, counters, faults
        )
        self._tasks = [
            asyncio.create_task(self._scan_events(scanner)),
            asyncio.create_task(self._show_vitals(simulation, board)),
            asyncio.create_task(self.sessions.look_after()),
        ]

    async def _standard_space(self) -> InternalServer:
        """asyncua's core with the nodes of the standard."""
        core = InternalServer()
        core.disabled_clock = True  # the time is read when it is asked for
        server = Server(iserver=core)
        server._application_uri = self.security.own.application_uri
        await server.init()
        await server.set_build_info(
            PRODUCT_URI, "twincell", "twincell", __version__, __version__, datetime.now(UTC)
        )
        for uri in (TYPES_URI, CELL_URI):
            await server.register_namespace(uri)
        return core

    def _description(self) -> ua.ApplicationDescription:
        return ua.ApplicationDescription(
            ApplicationUri=self.security.own.application_uri,
            ProductUri=PRODUCT_URI,
            ApplicationName=ua.LocalizedText(f"twincell: {self._spec.name}"),
            ApplicationType=ua.ApplicationType.Server,
            DiscoveryUrls=[self.endpoint],
        )

    async def _listen(
        self, listening: socket.socket, services: CellServices, counters: Counters
    ) -> None:
        sessions, own = self.sessions, self.security.own
        dispatcher = Dispatcher(services.all(), sessions.active, sessions.connection_lost, counters)
        self.admission = admission = Admission(self.limits, origin_of)
        policies = factories(own)

        def connection() -> Connection:
            channel = Channel(policies, own.der, self.security.trust, self.limits)
            channel.tell_refused = self.audit.certificate_refused
            return Connection(admission, dispatcher, channel, self.limits)

        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(connection, sock=listening)

    # ---------------------------------------------------------------- ends

    def session_closed(self, session: Session, delete_subscriptions: bool) -> None:
        """A session has ended; what it commanded stays, but nobody commands any more."""
        self.subscriptions.session_closed(session, delete_subscriptions)
        self.control.session_closed(session.session_id)
        self.audit.session_closed(session)

    def has_subscriptions(self, session: Session) -> bool:
        """Whether a session whose connection is lost has something to come back for."""
        return self.subscriptions.has_any(session)

    async def failure(self) -> None:
        """Wait until one of its own tasks fails, and raise what it raised."""
        await asyncio.gather(*self._tasks)

    async def stop(self) -> None:
        """Close all connections and the port."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._listener is not None:
            self._orders.stop()
            self._listener.close()
            await self._announce_shutdown()
            self.sessions.end_all()
            self.subscriptions.stop()
            self.admission.close()
            await self._listener.wait_closed()

    async def _announce_shutdown(self) -> None:
        """Tell those who watch the status that it will be over, and give them time to leave."""
        self._status.shut_down_in(SHUTDOWN_NOTICE_S)
        self.subscriptions.publish_now()
        with suppress(TimeoutError):
            async with asyncio.timeout(SHUTDOWN_NOTICE_S):
                while any(one.is_active and one.connection is not None for one in self.sessions):
                    await asyncio.sleep(SHUTDOWN_LOOK_S)

    async def _scan_events(self, scanner: EventScanner) -> None:
        while True:
            self.control.look()
            self.faults.look()
            for event in scanner.scan():
                self.subscriptions.put_event(event)
            self.audit.look()
            await asyncio.sleep(EVENT_SCAN_S)

    async def _show_vitals(self, simulation: SimulationValues, board: ServerVitals) -> None:
        board.show()
        self._link.vitals["port"] = self.port
        while True:
            simulation.look()
            board.show()
            await asyncio.sleep(VITALS_S)
