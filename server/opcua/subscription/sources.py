"""Where the values of monitored items come from: the ring for the cell, nodes for the rest."""

import time
from collections.abc import Mapping
from typing import Protocol

from asyncua import ua
from asyncua.server.address_space import AddressSpace

from twincell.server.opcua.attribute.loop_status import value_status
from twincell.server.opcua.fault.protocol_faults import ProtocolFaults
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.subscription.budget import Budget
from twincell.server.opcua.subscription.cell_event import CellEvent
from twincell.server.opcua.subscription.event_select import EventFields
from twincell.server.opcua.subscription.sample_losses import SampleLosses
from twincell.server.opcua.subscription.sampling import Moment
from twincell.server.opcua.wire.wire_time import wire_now
from twincell.server.realtime.shared.link import Link

SHORTEST_SAMPLING_S = 0.1  # of a node whose value does not come from rows; chosen


class Auditor(Protocol):
    """Items that hear of audits, if their owner may."""

    @property
    def hears_audits(self) -> bool: ...

    def put_audit(self, event: CellEvent) -> None: ...


class Sources:
    """Everything that can be monitored."""

    def __init__(
        self,
        link: Link,
        variables: Mapping[ua.NodeId, Variable],
        aspace: AddressSpace,
        notifiers: frozenset[ua.NodeId],
        step_s: float,
        faults: ProtocolFaults,
    ) -> None:
        self.link = link
        self.variables = variables
        self.aspace = aspace
        self.notifiers = notifiers  # nodes whose events are those of the cell
        self.event_fields = EventFields(aspace)
        self.step_s = step_s
        self.faults = faults  # on the way from there
        self.budget = Budget()
        self.losses = SampleLosses()
        self.auditors: set[Auditor] = set()

    def hear_audits(self) -> bool:
        """Whether anybody who may hears of audits."""
        return any(one.hears_audits for one in self.auditors)

    def put_audit(self, event: CellEvent) -> None:
        """Tell all who may."""
        for one in list(self.auditors):
            if one.hears_audits:
                one.put_audit(event)

    def moment(self) -> Moment:
        """The cell now."""
        end = self.link.ring.written
        self.faults.see_rows(end)
        return Moment(end, value_status(self.link), wire_now())

    def read(self, node: ua.NodeId, attribute: ua.AttributeIds) -> ua.DataValue:
        """Value of an attribute now."""
        return self.aspace.read_attribute_value(node, attribute)

    @staticmethod
    def now_s() -> float:
        return time.monotonic()
