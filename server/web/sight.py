"""One browser's page: who looks, what is selected, and how the page does what he asks for."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from nicegui import ui

from server.client.mistake import Mistake
from server.realtime.ring import Floats
from server.security.roles import Role
from server.web.cell_view import CellView
from server.web.visitors import Visitor

MAY = {
    Role.OPERATOR: "Log in as an operator or engineer to command the cell.",
    Role.ENGINEER: "Log in as an engineer to do that.",
}


class Panel(Protocol):
    """A part of the page."""

    def refresh(self) -> None:
        """Bring it up to date; called some times a second while it is seen."""


class Sight:
    """What the parts of one page share."""

    def __init__(self, view: CellView, visitor: Visitor) -> None:
        self.view = view
        self.visitor = visitor
        self.selected = ""  # name of an object, "" for none
        self._on_select: list[Callable[[str], object]] = []

    @property
    def row(self) -> Floats | None:
        """The newest row; None before the first tick."""
        newest = self.view.link.ring.newest()
        return newest.values[0] if newest else None

    def on_select(self, listener: Callable[[str], object]) -> None:
        self._on_select.append(listener)

    def select(self, name: str) -> None:
        """Select an object everywhere; the same once more: none."""
        self.selected = "" if name == self.selected else name
        for listener in self._on_select:
            listener(self.selected)

    async def act(self, role: Role, deed: Callable[[], Awaitable[Any]], done: str = "") -> bool:
        """Do something for the visitor, and tell him when it could not be done."""
        if not self.visitor.may(role):
            self._refuse(role)
            return False
        try:
            await deed()
        except Mistake as mistake:
            ui.notify(str(mistake), caption=mistake.hint, type="negative", position="bottom-left")
            return False
        if done:
            ui.notify(done, type="positive", position="bottom-left")
        return True

    def _refuse(self, role: Role) -> None:
        ui.notify(
            MAY[role],
            type="warning",
            position="bottom-left",
            actions=[
                {"label": "Log in", "color": "white", ":handler": "() => location.assign('/login')"}
            ],
        )


def group(title: str) -> ui.element:
    """A framed part of a panel, known to screen readers by its title."""
    return ui.element("section").classes("tc-group").props(f'aria-label="{title}"')
