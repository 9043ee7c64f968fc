"""All subscriptions together hold no more than the server can spare."""

import time
from dataclasses import dataclass, field

import pytest

from server.opcua.subscription import budget as budgets
from server.opcua.subscription.budget import Budget
from server.opcua.subscription.item_links import MOST_LINKS, ItemLinks
from server.opcua.subscription.item_rules import queue_size


@dataclass(eq=False)
class Keeper:
    """Keeps messages, of which only sizes are known."""

    budget: Budget
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
    monkeypatch.setattr(budgets, "QUEUED_BYTES", 1000)
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


def test_queues_get_shorter_when_others_have_taken_all(small: Budget):
    small.queued = 900
    assert queue_size(1000, 1000, 10, 1, 0, small.left_for_queues) == 10
    small.queued = 5000
    assert queue_size(1000, 1000, 10, 1, 0, small.left_for_queues) == 1


def test_filters_of_events_have_an_end(small: Budget):
    assert small.can_take(budgets.CLAUSES)
    small.clauses = budgets.CLAUSES
    assert not small.can_take(1)


def test_links_between_items_have_an_end():
    budget = Budget()
    greedy = [ItemLinks(budget) for _ in range(budgets.LINKS // MOST_LINKS)]
    for links in greedy:
        assert all(links.add(1, number) for number in range(MOST_LINKS))
        assert not links.add(2, 1)
    other = ItemLinks(budget)
    assert not other.add(1, 2)
    greedy[0].close()
    assert other.add(1, 2)
    assert budget.links == budgets.LINKS - MOST_LINKS + 1


def test_an_item_goes_without_a_look_at_the_links_of_others():
    links = ItemLinks(Budget())
    for number in range(MOST_LINKS):
        links.add(number, number + 1)
    start_s = time.perf_counter()
    for number in range(0, MOST_LINKS, 20):
        links.forget(number)
    assert time.perf_counter() - start_s < 0.25  # 6 ms; a look at all of them takes 3.6 s
    assert len(links) == MOST_LINKS - 2 * (MOST_LINKS // 20) + 1  # the first one had a single link
