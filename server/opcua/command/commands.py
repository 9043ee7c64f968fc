"""Commands that a client writes: checked one by one, then handed over together.

What is wrong gets a Bad status, and its last good value stays. All good values of one request
are one batch, which a tick latches as a whole; of two values for one command the last one counts.
The controller's cycle counter is one of them, in one batch with what was written with it.

Time stamps that come with a value are ignored: many clients, PLCs among them, send them without
being asked to, and a command has the time of the tick that latches it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from asyncua import ua
from asyncua.server.address_space import AddressSpace

from twincell.server.opcua.attribute import index_range
from twincell.server.opcua.attribute.loop_status import is_down
from twincell.server.opcua.command.arbitration import Commander, Control
from twincell.server.opcua.command.cycle_counter import COUNTER, counter_of
from twincell.server.opcua.command.forced_commands import ForcedCommands
from twincell.server.opcua.operations import in_portions
from twincell.server.opcua.session.rights import WRITER
from twincell.server.opcua.space.layout import WORD_BITS, Layout, Shape, numbers_of
from twincell.server.opcua.space.variable import Variable
from twincell.server.realtime.shared.command_queue import CYCLE
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.signals import WHOLE, Kind, Signal, SignalTable


class CommandWriter:
    """Takes the values of Write requests."""

    def __init__(
        self,
        aspace: AddressSpace,
        variables: Mapping[ua.NodeId, Variable],
        signals: SignalTable,
        link: Link,
        control: Control,
        forced: ForcedCommands,
    ) -> None:
        self._aspace = aspace
        self._variables = variables
        self._signals = signals.commands
        self._link = link
        self._control = control
        self._forced = forced

    async def write(
        self, wanted: Sequence[ua.WriteValue], session: Commander
    ) -> list[ua.StatusCode]:
        """Check the values of one request and hand over the good ones."""
        batch: dict[int, float] = {}
        codes: list[int] = []
        async for one in in_portions(wanted):
            try:
                batch.update(self._commands_of(one, session))
            except ua.uaerrors.UaStatusCodeError as refusal:
                codes.append(refusal.code)
            else:
                codes.append(ua.StatusCodes.Good)
        try:
            self._hand_over(batch, session)
        except ua.uaerrors.UaStatusCodeError as refusal:
            codes = [refusal.code if code == ua.StatusCodes.Good else code for code in codes]
        return [ua.StatusCode(code) for code in codes]

    def _hand_over(self, batch: Mapping[int, float], session: Commander) -> None:
        if not batch:
            return
        if is_down(self._link.vitals):
            raise ua.uaerrors.BadNoCommunication
        if self._link.vitals.state is LoopState.FAULT:
            raise ua.uaerrors.BadInvalidState  # no tick will latch it
        self._control.command(session, list(self._forced.passed_on(batch).items()))
        self._forced.note(batch)
        if CYCLE in batch:
            self._link.vitals["counter"] = int(batch[CYCLE])
            self._link.loop_wake_signal.ring()

    def _commands_of(
        self, wanted: ua.WriteValue, session: Commander
    ) -> Iterator[tuple[int, float]]:
        """Commands and their values that a client wants to write."""
        variable = self._writable(wanted)
        if session.role < WRITER:
            raise ua.uaerrors.BadUserAccessDenied
        if wanted.Value.StatusCode is not None and wanted.Value.StatusCode.value != 0:
            raise ua.uaerrors.BadWriteNotSupported  # a command has no status of its own
        if variable is None:
            counter = counter_of(wanted, self._link.vitals.mode)
            return iter([(CYCLE, float(counter))])
        layout, columns = variable.layout, variable.columns
        variant = wanted.Value.Value
        if wanted.IndexRange:
            layout, columns, variant = _part(variable, wanted.IndexRange, variant)
        numbers = numbers_of(layout, variant)
        if numbers is None:
            raise ua.uaerrors.BadTypeMismatch
        if layout.shape is Shape.BITS and not _has_no_other_bits(layout, numbers, variant):
            raise ua.uaerrors.BadOutOfRange
        for column, number in zip(columns, numbers, strict=True):
            check_number(self._signals[column], number)
        return zip(columns, numbers, strict=True)

    def _writable(self, wanted: ua.WriteValue) -> Variable | None:
        """The variable to write; None: the cycle counter, which is in no row."""
        node = self._aspace.get(wanted.NodeId)
        if node is None:
            raise ua.uaerrors.BadNodeIdUnknown
        if wanted.AttributeId not in node.attributes:
            raise ua.uaerrors.BadAttributeIdInvalid
        variable = self._variables.get(wanted.NodeId)
        is_command = wanted.NodeId == COUNTER or (variable is not None and variable.is_command)
        if wanted.AttributeId != ua.AttributeIds.Value or not is_command:
            raise ua.uaerrors.BadNotWritable
        return variable


def _part(
    variable: Variable, text: str, variant: ua.Variant
) -> tuple[Layout, tuple[int, ...], ua.Variant]:
    """Layout, columns and value of some elements of an array."""
    first, end = index_range.parse(text)
    layout = variable.layout
    if layout.shape not in (Shape.ARRAY, Shape.BITS) or end > layout.count:
        raise ua.uaerrors.BadIndexRangeNoData
    if not variant.is_array and end - first == 1:
        # one element as a scalar: not as the standard has it, but what it means is clear
        variant = ua.Variant([variant.Value], variant.VariantType, is_array=True)
    if variant.is_array and len(variant.Value or ()) != end - first:
        raise ua.uaerrors.BadIndexRangeDataMismatch
    width = WORD_BITS if layout.shape is Shape.BITS else 1
    columns = variable.columns[first * width : end * width]
    return replace(layout, count=end - first, columns=len(columns)), columns, variant


def _has_no_other_bits(layout: Layout, numbers: list[float], variant: ua.Variant) -> bool:
    """Whether a word sets only bits that mean a command."""
    return bool(np.array_equal(layout.numbers(np.array(numbers)), variant.Value))


def check_number(signal: Signal, number: float) -> None:
    """Refuse what the type of a signal has no value for."""
    # Bulk.CommandValues has whole numbers among its Doubles
    if signal.kind is Kind.DOUBLE:
        has_value = math.isfinite(number)
    else:
        texts = (0, len(signal.texts) - 1)
        least, most = {Kind.BOOLEAN: (0, 1), Kind.STRING: texts, **WHOLE}[signal.kind]
        has_value = number.is_integer() and least <= number <= most
    if not has_value:
        raise ua.uaerrors.BadOutOfRange
