"""Groups of items report what each of them would report alone."""

import time
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from asyncua import ua
from asyncua.common.utils import Buffer
from asyncua.ua.ua_binary import struct_from_binary
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.server.opcua.sampling_oracle import Notice, OracleItem, Row
from twincell.server.opcua.space.layout import (
    BOOLEAN,
    DOUBLE,
    FRAME,
    INT32,
    INT64,
    TEXT,
    VECTOR,
    array,
    bits,
    numbers_of,
)
from twincell.server.opcua.space.variable import Variable
from twincell.server.opcua.subscription import sampling
from twincell.server.opcua.subscription.notification import Encoded
from twincell.server.opcua.subscription.sample_choice import Trigger
from twincell.server.opcua.subscription.sample_encoding import Times
from twincell.server.opcua.subscription.sampling import Asked, Group, Moment
from twincell.server.opcua.wire.wire_time import to_datetime
from twincell.server.realtime.shared import ring
from twincell.server.realtime.shared.link import Link

N_SIGNAL = 14
TEXTS = ("", "Holder1", "Flänsch")
VARIABLES = [
    Variable("Double", DOUBLE, (3,)),
    Variable("Double2", DOUBLE, (0,)),
    Variable("Int32", INT32, (6,)),
    Variable("Int64", INT64, (7,)),
    Variable("Boolean", BOOLEAN, (8,)),
    Variable("Array", array(DOUBLE, 3), (4, 1, 2)),
    Variable("Booleans", array(BOOLEAN, 2), (9, 12)),
    Variable("Frame", FRAME, (0, 1, 2, 3, 4, 5)),
    Variable("Vector", VECTOR, (5, 1, 0)),
    Variable("Bits", bits(5), (8, 9, 10, 11, 12)),
    Variable("Text", TEXT, (13,), TEXTS),
    Variable("Text2", TEXT, (13,), ("other", "texts", "here")),
]
WITH_DEADBAND = ("Double", "Double2", "Int32", "Int64", "Array")
STATUSES = [0, 0, 0, ua.StatusCodes.BadNoCommunication, ua.StatusCodes.UncertainLastUsableValue]
RING_ROWS, GUARD = 24, 4
START = 133_000_000_000_000_000


def random_row(seed: int) -> np.ndarray:
    """Few different values, so that many repeat and deadbands matter."""
    random = np.random.default_rng(seed)
    numbers = random.integers(-2, 3, 6) / 4.0
    return np.concatenate(
        [numbers, random.integers(-2, 3, 2), random.integers(0, 2, 5), random.integers(0, 3, 1)]
    )


def rules() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "handle": st.just(0),
            "times": st.booleans(),  # one or the other of two
            "period": st.booleans(),
            "queue": st.sampled_from([1, 2, 3, 5, 100]),
            "discard_oldest": st.booleans(),
            "trigger": st.sampled_from(Trigger),
            "deadband": st.sampled_from([0.0, 0.0, 0.25, 0.3, 1.0]),
        }
    )


def decoded(blocks: list[Encoded]) -> list[ua.MonitoredItemNotification]:
    """asyncua reads our bytes."""
    parts = [b.tobytes() if isinstance(b, np.ndarray) else b"".join(b) for b in blocks]
    data = Buffer(b"".join(parts))
    notifications = []
    while len(data):
        notifications.append(struct_from_binary(ua.MonitoredItemNotification, data))
    return notifications


def as_notice(asked: Asked, value: ua.DataValue) -> tuple[Any, ...]:
    """A notification in the oracle's words."""
    numbers: Any = None
    if value.Value is not None and value.Value.VariantType is not ua.VariantType.Null:
        texts, layout = asked.variable.texts, asked.variable.layout
        content = value.Value.Value
        numbers = tuple([texts.index(content)] if texts else numbers_of(layout, value.Value) or ())
    return value.StatusCode.value, numbers, value.SourceTimestamp, value.ServerTimestamp


def expected(notice: Notice) -> tuple[Any, ...]:
    times = (None if t is None else to_datetime(t) for t in notice[2:])
    return notice.status, notice.value, *times


class GroupsAgainstOracle(RuleBasedStateMachine):
    """Items come, go and change while the cell runs; now and then they are asked for reports."""

    def __init__(self) -> None:
        super().__init__()
        self.link = Link(N_SIGNAL, RING_ROWS)
        self.ring = self.link.ring
        self.rows: list[Row] = []
        self.groups: dict[tuple[Any, ...], Group] = {}
        self.items: dict[int, OracleItem] = {}
        self.status = 0
        self.counter = 0
        self.held: set[int] = set()

    @initialize(
        seed=st.integers(0, 10**6),
        variables=st.lists(st.sampled_from(VARIABLES), min_size=1, max_size=3),
        times=st.tuples(st.sampled_from(Times), st.sampled_from(Times)),
        periods=st.tuples(st.just(1), st.sampled_from([1, 2, 3, 7])),
    )
    def begin(
        self,
        seed: int,
        variables: list[Variable],
        times: tuple[Times, Times],
        periods: tuple[int, int],
    ) -> None:
        """Few kinds of items at a time, so that many of them meet in one group."""
        self.append(seed)
        self.variables, self.times, self.periods = variables, times, periods

    def asked(self, number: int, variable: Variable, rules: dict[str, Any]) -> Asked:
        rules = {**rules, "handle": 1000 + number}
        rules["times"], rules["period"] = self.times[rules["times"]], self.periods[rules["period"]]
        if variable.name not in WITH_DEADBAND:
            rules["deadband"] = 0.0
        return Asked(number, variable, **rules)

    def append(self, seed: int) -> None:
        row = random_row(seed)
        self.ring.next_row()[0] = row
        stamp = START + 10_000 * len(self.rows)
        self.ring.append(len(self.rows), 0.001 * len(self.rows), stamp, 0)
        self.rows.append(Row(stamp, row.tolist()))

    @property
    def moment(self) -> Moment:
        return Moment(len(self.rows), self.status, START + 10_000 * len(self.rows) + 5_000)

    def key(self, asked: Asked) -> tuple[Any, ...]:
        """Where an item is: with others of its kind, or, while it is held, alone."""
        alone = asked.number if asked.number in self.held else 0
        return asked.variable.layout, asked.times, asked.period, alone

    def group(self, asked: Asked) -> Group:
        key = self.key(asked)
        if key not in self.groups:
            self.groups[key] = Group(*key[:3], self.ring)
        return self.groups[key]

    @rule(seed=st.integers(0, 10**6), count=st.integers(1, 6), still=st.booleans())
    def tick(self, seed: int, count: int, still: bool) -> None:
        for k in range(count):
            self.append(seed if still else seed + k)

    @rule(seed=st.integers(0, 10**6), count=st.integers(1, 6), still=st.booleans())
    def tick_and_take(self, seed: int, count: int, still: bool) -> None:
        self.tick(seed, count, still)
        self.take_all()

    @rule(seed=st.integers(0, 10**6), count=st.integers(15, 50))
    def tick_long(self, seed: int, count: int) -> None:
        """The ring may be overtaken."""
        self.tick(seed, count, False)
        self.take_all()

    @rule(which=st.lists(st.integers(0, 2), min_size=1, max_size=5), rules=rules())
    def add(self, which: list[int], rules: dict[str, Any]) -> None:
        for variable in (self.variables[k % len(self.variables)] for k in which):
            self.counter += 1
            asked = self.asked(self.counter, variable, rules)
            self.items[asked.number] = OracleItem.created(asked, self.moment)
            self.group(asked).add(asked, self.moment)

    @precondition(lambda self: self.items)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.items)))
        self.group(self.items.pop(number).asked).remove(number)

    @precondition(lambda self: self.items)
    @rule(data=st.data(), rules=rules())
    def change(self, data: st.DataObject, rules: dict[str, Any]) -> None:
        number = data.draw(st.sampled_from(sorted(self.items)))
        item = self.items[number]
        state = self.group(item.asked).remove(number)
        item.asked = self.asked(number, item.asked.variable, rules)
        self.group(item.asked).adopt(state, item.asked)

    @precondition(lambda self: self.items)
    @rule(data=st.data())
    def hold_or_let_go(self, data: st.DataObject) -> None:
        """While others are asked for reports it is not, and so falls behind."""
        number = data.draw(st.sampled_from(sorted(self.items)))
        asked = self.items[number].asked
        state = self.group(asked).remove(number)
        self.held ^= {number}
        self.group(asked).adopt(state, asked)

    @rule(status=st.sampled_from(STATUSES))
    def set_status(self, status: int) -> None:
        self.status = int(status)
        self.take_all()

    @rule()
    def report_again(self) -> None:
        for group in self.groups.values():
            group.report_again()
        for item in self.items.values():
            item.status = None

    @precondition(lambda self: self.held & self.items.keys())
    @rule(data=st.data())
    def take_held(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.held & self.items.keys())))
        self.take([self.key(self.items[number].asked)])

    @rule()
    def take_all(self) -> None:
        self.take([key for key in self.groups if not key[-1]])

    def take(self, keys: list[tuple[Any, ...]]) -> None:
        got: dict[int, list[Any]] = defaultdict(list)
        reporting: set[int] = set()
        for key in keys:
            blocks, numbers = self.groups[key].take(self.moment)
            reporting |= numbers
            for notification in decoded(blocks):
                number = notification.ClientHandle - 1000
                asked = self.items[number].asked
                got[number].append(as_notice(asked, notification.Value))
        oldest = self.ring.oldest
        wanted = {
            number: [expected(n) for n in item.take(self.rows, oldest, self.moment)]
            for number, item in self.items.items()
            if self.key(item.asked) in keys
        }
        assert dict(got) == {number: notices for number, notices in wanted.items() if notices}
        assert reporting == set(got)


@pytest.mark.parametrize(
    ("most_numbers", "examples"), [(4_000_000, 100), (30, 30)], ids=["together", "in-portions"]
)
def test_a_group_reports_what_each_item_would_alone(
    most_numbers: int, examples: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ring, "GUARD_ROWS", GUARD)
    monkeypatch.setattr(sampling, "MOST_NUMBERS", most_numbers)
    run_state_machine_as_test(
        GroupsAgainstOracle,
        settings=settings(max_examples=examples, stateful_step_count=40, deadline=None),
    )


def test_ten_thousand_items_come_and_go_in_a_moment():
    """One after the other; copying all of them for each would take a hundred times as long."""
    link = Link(N_SIGNAL)
    link.ring.append(0, 0.0, START, 0)
    moment = Moment(1, 0, START)
    group = Group(DOUBLE, Times.SOURCE, 1, link.ring)
    start = time.monotonic()
    for number in range(10_000):
        rules = (number, Times.SOURCE, 1, 1, True, Trigger.STATUS_VALUE, 0.0)
        group.add(Asked(number, VARIABLES[0], *rules), moment)
    for number in range(0, 10_000, 2):
        group.remove(number)
    assert time.monotonic() - start < 5.0
    blocks, reporting = group.take(moment)
    assert reporting == set(range(1, 10_000, 2))
    assert sum(map(len, blocks)) == 5_000
