"""Shares: the sums that are kept are those that counting everybody anew would give."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.shares import LEFT_FREE, PART, Holding, Rank, Shared, Shares, makes_room

CLIENTS = ("user anna", "user bert", "nameless on this machine")
WHAT = (Shared.SESSIONS, Shared.SUBSCRIPTIONS, Shared.WAITING)
SESSIONS = 7  # so that a session is sure of no whole number, nor of one that a float can hold
LIMITS = replace(Limits(), sessions=SESSIONS, subscriptions=50)


@dataclass(eq=False)
class Holder:
    """A session of somebody."""

    client: str
    rank: Rank
    is_closed: bool = False
    is_lost: bool = False


class Everybody:
    """Sessions that come, take, give back, become somebody else's, and go."""

    def __init__(self) -> None:
        self.shares = Shares(LIMITS)
        self.holdings: list[tuple[Holder, Holding]] = []

    def come(self, client: str, rank: Rank) -> None:
        holder = Holder(client, rank)
        self.holdings.append((holder, Holding(self.shares.account(holder))))

    def take(self, which: int, what: Shared, amount: int) -> None:
        _, holding = self._one(which)
        holding.set(what, amount)

    def change(self, which: int, client: str, rank: Rank) -> None:
        holder, holding = self._one(which)
        holder.client, holder.rank = client, rank
        holding._account.holder_changed()

    def lose(self, which: int) -> None:
        holder, _ = self._one(which)
        holder.is_lost = not holder.is_lost

    def end(self, which: int, leaves_something: bool) -> None:
        holder, holding = self._one(which)
        holder.is_closed = True
        holding._account.holder_changed()
        if not leaves_something:
            holding.close()

    def move(self, which: int, to: int) -> None:
        _, holding = self._one(which)
        _, other = self._one(to)
        holding.move_to(other._account)

    def limit(self, subscriptions: int, sessions: int) -> None:
        self.shares.limits = replace(LIMITS, subscriptions=subscriptions, sessions=sessions)

    def _one(self, which: int) -> tuple[Holder, Holding]:
        if not self.holdings:
            self.come(CLIENTS[0], Rank.NAMED)
        return self.holdings[which % len(self.holdings)]

    def room_counted_anew(
        self, what: Shared, rank: Rank, client: str, without_silent: bool
    ) -> tuple[float, float]:
        """What a client may have, and what is free; from the definition at the head of shares."""
        shares, of_rank, of_client = self.shares, [0.0] * len(Rank), 0.0
        for account in {holding._account for _, holding in self.holdings}:
            holder = account.holder
            own = 0.0 if holder.is_closed else shares.own(what)
            beyond = max(account.has[what] - own, 0.0)
            if not (without_silent and makes_room(holder, rank, client)):
                of_rank[holder.rank] += beyond
                of_client += beyond if holder.client == client else 0.0
        common = shares.common(what)
        free = min(common * PART[Rank(r)] - sum(of_rank[: r + 1]) for r in range(rank, len(Rank)))
        return (LEFT_FREE * free - of_client) / (1.0 + LEFT_FREE), free


which = st.integers(0, 11)
ranks, clients = st.sampled_from(Rank), st.sampled_from(CLIENTS)
deeds = st.one_of(
    st.tuples(st.just("come"), clients, ranks),
    st.tuples(st.just("take"), which, st.sampled_from(WHAT), st.integers(0, 30)),
    st.tuples(st.just("take"), which, st.just(Shared.WAITING), st.integers(0, 400_000_000)),
    st.tuples(st.just("change"), which, clients, ranks),
    st.tuples(st.just("lose"), which),
    st.tuples(st.just("end"), which, st.booleans()),
    st.tuples(st.just("move"), which, which),
    st.tuples(st.just("limit"), st.integers(10, 60), st.integers(4, 11)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(deeds, max_size=40))
def test_the_sums_that_are_kept_are_those_of_counting_everybody_anew(done: list[tuple]):
    everybody = Everybody()
    for deed, *arguments in done:
        getattr(everybody, deed)(*arguments)
    for what in WHAT:
        for rank in Rank:
            for client in (*CLIENTS, "user who has nothing"):
                for without_silent in (False, True):
                    asked = what, rank, client, without_silent
                    room, free = everybody.room_counted_anew(*asked)
                    if 0.0 < room < 1.0 <= free:
                        room = 1.0  # of what is counted there is one, where there is a part of one
                    # counting anew rounds, with as many digits as a float has
                    near = 1e-12 * everybody.shares.there_is(what)
                    if abs(room) > near and abs(free - 1.0) > near:
                        kept = everybody.shares.room_of_client(*asked)
                        assert kept == pytest.approx(room, rel=1e-9, abs=near)


@settings(max_examples=100, deadline=None)
@given(st.lists(deeds, max_size=40))
def test_when_all_have_given_everything_back_nothing_is_left_in_the_sums(done: list[tuple]):
    everybody = Everybody()
    for deed, *arguments in done:
        getattr(everybody, deed)(*arguments)
    for _, holding in everybody.holdings:
        holding.close()
    shares, untouched = everybody.shares, Shares(everybody.shares.limits)
    assert shares._of_ranks == untouched._of_ranks
    assert shares._of_clients == untouched._of_clients
    assert not shares._accounts
