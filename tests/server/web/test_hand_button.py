"""A button that is held: what it moves follows the hand, in order and not too shortly."""

import asyncio
import time
from itertools import pairwise

import pytest

from twincell.server.web.page.hand_button import SHORTEST_S, Hold


class Lever:
    """What a button moves: a lever at the other end of a slow or a fast wire."""

    def __init__(self, slow_s: float) -> None:
        self._slow_s = slow_s
        self.moves: list[str] = []
        self.moved_at_s: list[float] = []

    async def move(self, value: str) -> None:
        await asyncio.sleep(self._slow_s)
        self.moves.append(value)
        self.moved_at_s.append(time.monotonic())


async def play(lever: Lever, hand: str) -> None:
    """Press (p) and release (r), each at once after the other, as events of a browser come."""
    hold = Hold(lever.move)
    events = [hold.press() if one == "p" else hold.release() for one in hand]
    await asyncio.gather(*events)


slow_or_fast = pytest.mark.parametrize("slow_s", [0.0, 2 * SHORTEST_S])


@slow_or_fast
@pytest.mark.parametrize(
    ("hand", "moves"),
    [("p", "1"), ("ppp", "1"), ("r", ""), ("pr", "10"), ("prrr", "10"), ("ppr", "10")],
)
async def test_a_lever_moves_with_the_hand_and_no_more_often(slow_s, hand, moves):
    lever = Lever(slow_s)
    await play(lever, hand)
    assert "".join(lever.moves) == moves


@slow_or_fast
@pytest.mark.parametrize(("hand", "moves"), [("prp", "101"), ("prpr", "1010")])
async def test_no_release_overtakes_the_next_press(slow_s, hand, moves):
    lever = Lever(slow_s)
    await play(lever, hand)
    assert "".join(lever.moves) == moves


@slow_or_fast
async def test_a_quick_click_still_lasts_however_late_its_press_arrives(slow_s):
    lever = Lever(slow_s)
    await play(lever, "prpr")
    lasted_s = [after - before for before, after in pairwise(lever.moved_at_s)]
    assert min(lasted_s[::2]) >= SHORTEST_S
