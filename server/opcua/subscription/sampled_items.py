"""The monitored items of one subscription whose values come from rows.

Items that report are in groups with others of their kind. One that only samples has a group of its
own, which is left alone until another item triggers it: its samples wait in the ring.
"""

from collections.abc import Iterator
from dataclasses import replace

from asyncua import ua
from asyncua.ua import MonitoringMode as Mode

from twincell.server.opcua.attribute import index_range
from twincell.server.opcua.fault.protocol_fault import SignalFault
from twincell.server.opcua.space.layout import WORD_BITS, Layout, Shape, array, bits
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.subscription.faulty_group import FaultyGroup
from twincell.server.opcua.subscription.item_rules import (
    Asking,
    ItemRefused,
    Revised,
    check_encoding,
    data_filter,
    is_number,
    queue_size,
    sampling_ticks,
)
from twincell.server.opcua.subscription.notification import Waiting
from twincell.server.opcua.subscription.sample_choice import Items
from twincell.server.opcua.subscription.sample_encoding import Times
from twincell.server.opcua.subscription.sample_losses import SampleLosses
from twincell.server.opcua.subscription.sampling import Asked, Group, Moment
from twincell.server.opcua.subscription.sources import Sources

MOVED_AT_ONCE = 200  # items to other groups: some 3 ms; measured
GroupKey = tuple[Layout, Times, int, tuple[SignalFault, ...]]


class SampledItems:
    """Items on variables."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._asked: dict[int, Asked] = {}
        self._modes: dict[int, Mode] = {}
        self._keys: dict[int, GroupKey] = {}  # of those that are not disabled: what they share
        self._groups: dict[GroupKey, Group] = {}  # of those that report
        self._held: dict[int, Group] = {}  # of those that only sample, one each
        self._watched: dict[int, Group] = {}  # copies of these, of those that trigger others
        self._faults_seen = sources.faults.version

    def __contains__(self, number: int) -> bool:
        return number in self._asked

    def handle_of(self, number: int) -> int:
        """What the client calls an item."""
        return self._asked[number].handle

    def create(
        self,
        number: int,
        item: ua.ReadValueId,
        parameters: ua.MonitoringParameters,
        asking: Asking,
    ) -> Revised:
        """Create an item that is disabled."""
        variable = self._sources.variables[item.NodeId]
        check_encoding(item, variable.layout.shape is Shape.STRUCTURE)
        asked = self._revised(number, _part(variable, item.IndexRange), parameters, asking)
        self._asked[number] = asked
        self._modes[number] = Mode.Disabled
        return self._told(asked)

    def modify(self, number: int, parameters: ua.MonitoringParameters, asking: Asking) -> Revised:
        """Change what an item was asked; what it has reported stays reported."""
        asked = self._revised(number, self._asked[number].variable, parameters, asking)
        mode = self._modes[number]
        state = self._leave(number, mode)
        self._asked[number] = asked
        self._enter(number, mode, state)
        return self._told(asked)

    def set_mode(self, number: int, mode: Mode) -> None:
        """Report, only sample, or do nothing."""
        old, self._modes[number] = self._modes[number], mode
        if mode is not old:
            self._enter(number, mode, self._leave(number, old))

    def delete(self, number: int) -> None:
        """Remove an item."""
        self._leave(number, self._modes.pop(number))
        del self._asked[number]

    def collect(self, moment: Moment, waiting: Waiting, triggering: set[int]) -> Iterator[set[int]]:
        """Append what items report, step by step; numbers of those that have something new.

        Of the items that only sample, just the triggering ones are looked at. Between two steps
        items may come and go.
        """
        if self._faults_seen != self._sources.faults.version:
            yield from self._follow_faults()
        for group in list(self._groups.values()):
            for blocks, numbers in group.take_by_parts(moment):
                for block in blocks:
                    waiting.append(block)
                yield numbers
        for number in triggering:
            if number in self._held:
                yield self._watch(number).take(moment)[1]

    def collect_triggered(
        self, numbers: set[int], moment: Moment, waiting: Waiting
    ) -> Iterator[None]:
        """Append what has waited in items that only sample, one after the other."""
        for number in numbers:
            if number in self._held:
                for block in self._held[number].take(moment)[0]:
                    waiting.append(block)
                yield

    def numbers_due(self, moment: Moment) -> int:
        """How many numbers of rows are to be looked at."""
        oldest = self._sources.link.ring.oldest
        groups = self._groups.values()
        return sum(one.width * (moment.end - max(one.first, oldest)) for one in groups)

    def report_again(self) -> None:
        """Let every item report, even if nothing has changed."""
        for group in self._groups.values():
            group.report_again()

    def _revised(
        self,
        number: int,
        variable: Variable,
        parameters: ua.MonitoringParameters,
        asking: Asking,
    ) -> Asked:
        trigger, deadband = data_filter(
            parameters.Filter, True, is_number(variable.layout), variable.limits
        )
        interval_ms, step_s = parameters.SamplingInterval, self._sources.step_s
        rows = self._sources.link.ring.readable
        period = sampling_ticks(interval_ms, asking.publishing_ms, step_s, rows)
        return Asked(
            number,
            variable,
            parameters.ClientHandle,
            asking.times,
            period,
            queue_size(parameters.QueueSize, period, rows),
            parameters.DiscardOldest,
            trigger,
            deadband,
        )

    def _told(self, asked: Asked) -> Revised:
        return Revised(round(asked.period * self._sources.step_s * 1e3, 9), asked.queue)

    def _leave(self, number: int, mode: Mode) -> Items | None:
        """Take an item out of its group, with its state."""
        self._watched.pop(number, None)
        if mode is Mode.Disabled:
            return None
        key = self._keys.pop(number)
        if mode is Mode.Sampling:
            return self._held.pop(number).remove(number)
        state = self._groups[key].remove(number)
        if not len(self._groups[key]):
            del self._groups[key]
        return state

    def _enter(self, number: int, mode: Mode, state: Items | None) -> None:
        """Put an item into the group where it belongs; without a state it begins anew."""
        if mode is Mode.Disabled:
            return
        asked = self._asked[number]
        key = self._keys[number] = self._key(asked)
        if mode is Mode.Sampling:
            group = self._held[number] = self._new_group(key, self._sources.losses)
        elif key in self._groups:
            group = self._groups[key]
        else:
            group = self._groups[key] = self._new_group(key, self._sources.losses)
        if state is None:
            group.add(asked, self._sources.moment())
        else:
            group.adopt(state, asked)

    def _watch(self, number: int) -> Group:
        """A copy of an item that only samples, to see when it would have reported."""
        if number not in self._watched:
            group = self._watched[number] = self._new_group(self._keys[number])
            group.adopt(self._held[number].items.copy(), self._asked[number])
        return self._watched[number]

    def _follow_faults(self) -> Iterator[set[int]]:
        """Put the items whose faults are others than before into other groups, step by step."""
        self._faults_seen = self._sources.faults.version
        for count, number in enumerate(list(self._keys)):
            if count % MOVED_AT_ONCE == MOVED_AT_ONCE - 1:
                yield set()
            if number not in self._keys or self._keys[number] == self._key(self._asked[number]):
                continue
            mode, watched = self._modes[number], self._watched.get(number)
            self._enter(number, mode, self._leave(number, mode))
            if watched is not None:
                group = self._watched[number] = self._new_group(self._keys[number])
                group.adopt(watched.items.copy(), self._asked[number])

    def _key(self, asked: Asked) -> GroupKey:
        faults = self._sources.faults.of_signals.get(asked.variable.name, ())
        return asked.variable.layout, asked.times, asked.period, faults

    def _new_group(self, key: GroupKey, losses: SampleLosses | None = None) -> Group:
        """A group without items; what they lose is counted, or not."""
        layout, times, period, faults = key
        ring = self._sources.link.ring
        if faults:
            return FaultyGroup(layout, times, period, ring, faults, losses)
        return Group(layout, times, period, ring, losses)


def _part(variable: Variable, text: str | None) -> Variable:
    """The elements of an array that an IndexRange asks for."""
    if not text:
        return variable
    try:
        first, end = index_range.parse(text)
    except ua.uaerrors.UaStatusCodeError as error:
        raise ItemRefused(error.code) from None
    if variable.layout.shape is Shape.BITS and first < variable.layout.count:
        columns = variable.columns[first * WORD_BITS : end * WORD_BITS]
        return replace(variable, layout=bits(len(columns)), columns=columns)
    columns = variable.columns[first:end]
    if variable.layout.shape is not Shape.ARRAY or not columns:
        raise ItemRefused(ua.StatusCodes.BadIndexRangeNoData)
    scalar = replace(variable.layout, head=b"", count=1, columns=1)
    return replace(variable, layout=array(scalar, len(columns)), columns=columns)
