"""A button for what a person does at a device: it does so for as long as it is held."""

import asyncio
import time

from nicegui import ui

from twincell.server.client import faults
from twincell.server.web.page.page_session import PageSession, labelled
from twincell.sim.signals import Signal

SHORTEST_S = 0.1  # a quick click still is a press that a PLC with a debounced contact sees; chosen
DOWN = ("pointerdown", "keydown.space")
UP = ("pointerup", "pointerleave", "pointercancel", "keyup.space", "blur")


class HandButton:
    """Moves a lever up while it is held down, and back."""

    def __init__(self, page_session: PageSession, lever: Signal) -> None:
        self._page_session = page_session
        self._lever = lever
        self._turn = asyncio.Lock()  # release comes after its press, however slow that was
        self._is_down = False
        self._since_s = 0.0
        with ui.element("div").classes("line"):
            with ui.element("div").classes("tc-grow"):
                ui.label(lever.name.rpartition(".")[2]).classes("name")
                ui.label(lever.description).classes("about")
            button = ui.button("Hold", icon="touch_app").props("outline dense")
            labelled(button, lever.name)
        for event in DOWN:
            button.on(event, self._press)
        for event in UP:
            button.on(event, self._release)

    async def _press(self) -> None:
        if self._is_down:
            return  # a key repeats
        self._is_down, self._since_s = True, time.monotonic()
        async with self._turn:
            await self._move("1")

    async def _release(self) -> None:
        if not self._is_down:
            return
        self._is_down = False
        await asyncio.sleep(max(0.0, self._since_s + SHORTEST_S - time.monotonic()))
        async with self._turn:
            await self._move("0")

    async def _move(self, value: str) -> None:
        await self._page_session.do(
            lambda session: faults.move_lever(session, self._lever.name, value)
        )
