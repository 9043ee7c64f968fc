"""Shares: one client never takes all, each session is sure of its part, ranks leave reserves."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.shares import Account, Holding, Rank, Shared, Shares

LIMITS = Limits()
PAGE = Path(__file__).parents[3] / "docs" / "server" / "limits.md"
WHAT = [Shared.SUBSCRIPTIONS, Shared.ITEMS, Shared.LINKS, Shared.CLAUSES]


@dataclass(eq=False)
class Holder:
    """A session of somebody."""

    client: str = "user anna"
    rank: Rank = Rank.NAMED
    is_closed: bool = False
    is_lost: bool = False


@pytest.fixture
def shares() -> Shares:
    return Shares(LIMITS)


def account(shares: Shares, client: str, rank: Rank = Rank.NAMED) -> Account:
    return shares.account(Holder(client, rank))


def take_all(one: Account, what: Shared) -> int:
    """One after the other, as long as there is room."""
    count = 0
    while one.room(what) >= 1.0:
        one.add(what, 1)
        count += 1
    return count


def take_sessions(shares: Shares, client: str, rank: Rank) -> int:
    count = 0
    while shares.room_of_client(Shared.SESSIONS, rank, client) >= 1.0:
        account(shares, client, rank).add(Shared.SESSIONS, 1)
        count += 1
    return count


def test_those_without_a_name_on_one_machine_have_a_hundred_sessions(shares: Shares):
    assert take_sessions(shares, "nameless here", Rank.NAMELESS) == 100


def test_whoever_comes_after_a_greedy_one_has_sessions_and_an_engineer_after_all(shares: Shares):
    counts = [take_sessions(shares, f"nameless on {n}", Rank.NAMELESS) for n in range(9)]
    counts += [take_sessions(shares, f"user {n}", Rank.NAMED) for n in range(9)]
    assert min(take_sessions(shares, "user boss", Rank.ENGINEER), counts[9]) >= 10
    assert sum(counts) < LIMITS.sessions


@pytest.mark.parametrize("what", WHAT)
def test_every_session_is_sure_of_its_part_whatever_others_have_taken(shares: Shares, what: Shared):
    own = int(shares.own(what))
    assert own >= 3
    for _ in range(LIMITS.sessions - 1):
        greedy = account(shares, "nameless here", Rank.NAMELESS)
        greedy.add(what, int(greedy.room(what)))
    late = account(shares, "nameless here", Rank.NAMELESS)
    assert take_all(late, what) >= own


@pytest.mark.parametrize("what", WHAT)
def test_all_together_never_have_more_than_there_is(shares: Shares, what: Shared):
    accounts = []
    for rank in Rank:
        for n in range(LIMITS.sessions // 3):
            one = account(shares, f"client {n % 7} {rank}", rank)
            one.add(what, int(one.room(what)))
            accounts.append(one)
    total = sum(one.has[what] for one in accounts)
    assert 0.8 * shares.there_is(what) < total <= shares.there_is(what)


@pytest.mark.parametrize("what", WHAT)
def test_a_session_leaves_something_to_the_others_of_its_client(shares: Shares, what: Shared):
    first, second = account(shares, "anna"), account(shares, "anna")
    first.add(what, int(first.room(what)))
    assert second.room(what) > first.has[what] / 3


def test_a_rank_leaves_something_to_those_above_it(shares: Shares):
    for rank in (Rank.NAMELESS, Rank.NAMED):
        for n in range(50):
            one = account(shares, f"{rank} {n}", rank)
            one.add(Shared.ITEMS, int(one.room(Shared.ITEMS)))
        boss = account(shares, f"boss {rank}", Rank(rank + 1))
        free = shares.common(Shared.ITEMS) / 8
        assert boss.room(Shared.ITEMS) > 0.4 * free


def test_what_is_given_back_is_there_again(shares: Shares):
    one = account(shares, "anna")
    before = one.room(Shared.ITEMS)
    holding = Holding(one)
    assert holding.take(Shared.ITEMS, before)
    assert not holding.take(Shared.ITEMS, before)
    holding.close()
    assert one.room(Shared.ITEMS) == before
    assert not shares._accounts


def test_a_session_that_has_ended_is_sure_of_nothing(shares: Shares):
    """Else whoever comes, leaves something behind and comes again would have it all."""
    left = []
    for _ in range(2_000):
        one = account(shares, "anna")
        while one.room(Shared.SUBSCRIPTIONS) >= 1.0 and one.has[Shared.SUBSCRIPTIONS] < 3:
            one.add(Shared.SUBSCRIPTIONS, 1)
        one.holder.is_closed = True  # type: ignore[misc]
        one.holder_changed()
        left.append(one)
        if shares.room_of_client(Shared.SUBSCRIPTIONS, Rank.NAMED, "anna") < 0.0:
            break  # now the oldest has to go
    assert sum(one.has[Shared.SUBSCRIPTIONS] for one in left) <= LIMITS.subscriptions / 2


def test_a_subscription_moves_with_all_it_has_to_a_session_that_has_room(shares: Shares):
    old, new = account(shares, "anna"), account(shares, "anna")
    holding = Holding(old)
    holding.add(Shared.ITEMS, 100)
    assert holding.move_to(new)
    assert (old.has[Shared.ITEMS], new.has[Shared.ITEMS]) == (0, 100)
    new.add(Shared.ITEMS, int(new.room(Shared.ITEMS)))
    greedy = Holding(old)
    greedy.add(Shared.ITEMS, int(old.room(Shared.ITEMS)))
    assert new.why_short == ""
    assert not greedy.move_to(new)
    assert old.has[Shared.ITEMS] > 0
    assert "monitored items" in new.why_short  # who asked for it can read why


def test_few_of_something_can_be_had_by_few():
    shares = Shares(replace(LIMITS, sessions=4, subscriptions=10))
    assert take_sessions(shares, "user boss", Rank.ENGINEER) >= 3
    assert take_all(account(shares, "user boss", Rank.ENGINEER), Shared.SUBSCRIPTIONS) >= 3


@pytest.mark.parametrize("what", [*WHAT, Shared.CYCLES])
def test_the_page_lists_the_shares_as_they_are(what: Shared):
    shares = Shares(LIMITS)
    of_ranks = [int(shares.room_of_client(what, rank, "anna")) for rank in Rank]
    figures = [int(shares.there_is(what)), int(shares.own(what)), *of_ranks]
    wanted = " | ".join(map(str, figures))
    assert re.search(rf"\| {re.escape(wanted)} \|$", PAGE.read_text(encoding="utf-8"), re.M)
