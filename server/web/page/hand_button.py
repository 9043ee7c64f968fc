"""A button for what a person does at a device: it does so for as long as it is held."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from nicegui import ui

from twincell.server.client import faults
from twincell.server.web.page.page_session import PageSession, labelled
from twincell.sim.signals import Signal

SHORTEST_S = 0.1  # a quick click still is a press that a PLC with a debounced contact sees; chosen
DOWN = ("pointerdown", "keydown.space")
UP = ("pointerup", "pointerleave", "pointercancel", "keyup.space", "blur")


class Hold:
    """Moves something up while it is held down, and back, in the order of presses and releases."""

    def __init__(self, move: Callable[[str], Awaitable[object]]) -> None:
        self._move = move
        self._turn = asyncio.Lock()  # however slow a move is, the next one comes after it
        self._is_down = False
        self._since_s = 0.0

    async def press(self) -> None:
        """It is pressed; once more if it is already: a key repeats."""
        if self._is_down:
            return
        self._is_down = True
        async with self._turn:
            await self._move("1")
            self._since_s = time.monotonic()

    async def release(self) -> None:
        """It is let go, if it was pressed."""
        if not self._is_down:
            return
        self._is_down = False
        async with self._turn:
            await asyncio.sleep(max(0.0, self._since_s + SHORTEST_S - time.monotonic()))
            await self._move("0")


class HandButton:
    """Moves a lever up while it is held down, and back."""

    def __init__(self, page_session: PageSession, lever: Signal) -> None:
        self._page_session = page_session
        self._lever = lever
        hold = Hold(self._move)
        with ui.element("div").classes("line"):
            with ui.element("div").classes("tc-grow"):
                ui.label(lever.name.rpartition(".")[2]).classes("name")
                ui.label(lever.description).classes("about")
            button = ui.button("Hold", icon="touch_app").props("outline dense")
            labelled(button, lever.name)
        for event in DOWN:
            button.on(event, hold.press)
        for event in UP:
            button.on(event, hold.release)

    async def _move(self, value: str) -> None:
        await self._page_session.do(
            lambda session: faults.move_lever(session, self._lever.name, value)
        )
