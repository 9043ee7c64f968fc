"""All subscriptions together hold no more than the server can spare."""

import asyncio
import time
from dataclasses import dataclass, field

import pytest

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.shares import Holding, Rank, Shares
from twincell.server.opcua.subscription import budget as budgets
from twincell.server.opcua.subscription.budget import Budget
from twincell.server.opcua.subscription.item_links import MOST_LINKS, ItemLinks


@dataclass(eq=False)
class Holder:
    """A session."""

    client: str = "anna"
    rank: Rank = Rank.NAMED
    is_closed: bool = False
    is_lost: bool = False


@dataclass(eq=False)
class Keeper:
    """Keeps messages, of which only sizes are known."""

    budget: Budget
    client: str = "anna"
    kept: list[int] = field(default_factory=list)

    @property
    def kept_bytes(self) -> int:
        return sum(self.kept)

    def keep(self, size: int) -> None:
        self.kept.append(size)
        self.budget.keep(self, size)

    def forget_oldest(self) -> None:
        self.budget.let_go(self.kept.pop(0))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Budget:
    monkeypatch.setattr(budgets, "KEPT_BYTES", 100)
    return Budget()


def test_whoever_keeps_most_gives_up_its_oldest_messages(small: Budget):
    modest, greedy = Keeper(small), Keeper(small)
    modest.keep(10)
    for _ in range(20):
        greedy.keep(9)
    assert modest.kept == [10]
    assert small.kept == 10 + greedy.kept_bytes <= 100


def test_who_leaves_gives_everything_back(small: Budget):
    one, other = Keeper(small), Keeper(small)
    one.keep(60)
    small.leave(one)
    other.keep(90)
    assert other.kept == [90] and small.kept == 90


def test_whoever_keeps_little_in_many_subscriptions_pushes_out_nobody(small: Budget):
    modest = Keeper(small, "modest")
    modest.keep(30)
    for _ in range(20):
        Keeper(small, "greedy").keep(9)
    assert modest.kept == [30]
    assert small.kept <= 100


def test_much_work_of_one_holds_up_nobody():
    done = []

    async def work() -> None:
        budget = Budget()
        for n in range(5):
            budget.in_turn("greedy", lambda n=n: done.append(f"greedy {n}"))
        budget.in_turn("modest", lambda: done.append("modest"))
        while len(done) < 6:
            await asyncio.sleep(0.001)

    asyncio.run(work())
    assert done == ["greedy 0", "modest", *(f"greedy {n}" for n in range(1, 5))]


def test_work_that_fails_does_not_end_the_work_of_others():
    done = []

    async def work() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        budget = Budget()
        budget.in_turn("one", lambda: 1 // 0)
        budget.in_turn("other", lambda: done.append("other"))
        while not done:
            await asyncio.sleep(0.001)

    asyncio.run(work())


def test_an_item_goes_without_a_look_at_the_links_of_others():
    links = ItemLinks(Holding(Shares(Limits()).account(Holder())))
    for number in range(MOST_LINKS):
        links.add(number, number + 1)
    start_s = time.perf_counter()
    for number in range(0, MOST_LINKS, 20):
        links.forget(number)
    assert time.perf_counter() - start_s < 0.25  # 6 ms; a look at all of them takes 3.6 s
    assert len(links) == MOST_LINKS - 2 * (MOST_LINKS // 20) + 1  # the first one had a single link
