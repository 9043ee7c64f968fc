"""Requests take turns, and whoever has used least goes first."""

import asyncio
import time

import pytest

from twincell.server.opcua.wire.turns import TimeUsed, Turns

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def work(turns: Turns, used: TimeUsed, name: str, seconds: float, done: list[str]) -> None:
    async with turns.of(used):
        done.append(name)
        time.sleep(seconds)  # as a request does that is being answered


async def test_there_is_one_turn_at_a_time():
    turns, inside = Turns(), []

    async def visit() -> None:
        async with turns.of(TimeUsed()):
            inside.append(1)
            assert len(inside) == 1
            await asyncio.sleep(0.001)
            inside.pop()

    await asyncio.gather(*(visit() for _ in range(20)))


async def test_equals_go_in_the_order_in_which_they_came():
    turns, done = Turns(), []
    names = list("abcdef")
    await asyncio.gather(*(work(turns, TimeUsed(), name, 0.0, done) for name in names))
    assert done == names


async def test_who_asks_for_little_goes_past_who_asks_for_much():
    turns, greedy, modest, done = Turns(), TimeUsed(), TimeUsed(), []
    await work(turns, modest, "modest", 0.0001, done)
    requests = [work(turns, greedy, "greedy", 0.01, done) for _ in range(5)]
    tasks = [asyncio.create_task(requests[0])]
    await asyncio.sleep(0.02)
    tasks += [asyncio.create_task(request) for request in requests[1:]]
    tasks.append(asyncio.create_task(work(turns, modest, "modest", 0.0001, done)))
    await asyncio.gather(*tasks)
    assert done.index("modest", 1) <= 3  # at most one of the four was before it


async def test_many_with_one_account_count_as_one():
    turns, crowd, known, done = Turns(), TimeUsed(), TimeUsed(), []
    tasks = [asyncio.create_task(work(turns, crowd, "crowd", 0.002, done)) for _ in range(20)]
    tasks += [asyncio.create_task(work(turns, known, "known", 0.002, done)) for _ in range(3)]
    await asyncio.gather(*tasks)
    last_known = max(n for n, name in enumerate(done) if name == "known")
    assert last_known <= 8  # about every other turn was theirs


async def test_nobody_saves_up_turns_by_being_silent():
    turns, silent, busy, done = Turns(), TimeUsed(), TimeUsed(), []
    for _ in range(10):
        last_turn_s = busy.finish_s
        await work(turns, busy, "busy", 0.002, done)
    assert silent.finish_s == 0.0
    await work(turns, silent, "silent", 0.0, done)
    assert silent.finish_s >= last_turn_s  # it starts where the others are, however long they took


async def test_whoever_gives_up_waiting_leaves_the_turn_to_others():
    turns, done = Turns(), []

    async def hold() -> None:
        async with turns.of(TimeUsed()):
            await asyncio.sleep(0.02)

    holder = asyncio.create_task(hold())
    await asyncio.sleep(0)
    leaving = asyncio.create_task(work(turns, TimeUsed(), "leaving", 0.0, done))
    staying = asyncio.create_task(work(turns, TimeUsed(), "staying", 0.0, done))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.gather(holder, staying)
    assert done == ["staying"]


async def test_a_turn_that_was_called_and_cancelled_at_once_is_passed_on():
    turns, done = Turns(), []

    async def hold() -> None:
        async with turns.of(TimeUsed()):
            await asyncio.sleep(0)

    holder = asyncio.create_task(hold())
    await asyncio.sleep(0)
    leaving = asyncio.create_task(work(turns, TimeUsed(), "leaving", 0.0, done))
    await asyncio.sleep(0)
    await holder
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)
    async with asyncio.timeout(5):
        await work(turns, TimeUsed(), "next", 0.0, done)
    assert done[-1] == "next"
