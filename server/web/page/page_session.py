"""One browser's page: who looks, what is selected, and how the page does what he asks for."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from nicegui import ui

from twincell.server.client.mistake import Mistake
from twincell.server.client.session import Session
from twincell.server.realtime.shared.ring import Floats
from twincell.server.security.roles import Role
from twincell.server.web.access.login_page import UNDONE
from twincell.server.web.access.user_session import UNREACHABLE
from twincell.server.web.access.visitors import Visitor
from twincell.server.web.data.cell_view import CellView
from twincell.server.web.data.long_history import Singles
from twincell.server.web.data.replay import Replay
from twincell.sim.signals import SignalTable

Element = TypeVar("Element", bound=ui.element)

MAY = {
    Role.OPERATOR: "Log in as an operator or engineer to command the cell.",
    Role.ENGINEER: "Log in as an engineer to do that.",
}


class Panel(Protocol):
    """A part of the page."""

    def refresh(self) -> None:
        """Bring it up to date; called some times a second while it is seen."""


class PageSession:
    """What the parts of one page share."""

    def __init__(self, view: CellView, visitor: Visitor, selected: str = "") -> None:
        self.view = view
        self.visitor = visitor
        self.selected = selected  # name of an object, "" for none
        self.replay: Replay | None = None  # the recording that the page shows instead of the cell
        self.replay_url = ""
        self.replay_at_s = 0.0  # about where the browser is in it
        self._on_select: list[Callable[[str], object]] = []
        self._on_replay: list[Callable[[], object]] = []

    @property
    def row(self) -> Floats | None:
        """The newest row; None before the first tick."""
        newest = self.view.link.ring.newest()
        return newest.values[0] if newest else None

    @property
    def shown(self) -> tuple[SignalTable, Floats | Singles | None]:
        """Signals and the row that the page shows: the newest one, or that of a recording."""
        if self.replay is not None:
            return self.replay.signals, self.replay.row_at(self.replay_at_s)
        return self.view.signals, self.row

    async def open_recording(self, name: str) -> None:
        """Show a recording instead of the running cell; a Mistake says why that cannot be."""
        key, self.replay = await self.view.replays.open(self.view.recording_list.folder / name)
        self.replay_url, self.replay_at_s = f"/replay/{key}", 0.0
        self._tell_replay()

    def back_to_live(self) -> None:
        """Show the running cell again."""
        self.replay, self.replay_url = None, ""
        self._tell_replay()

    def on_replay(self, listener: Callable[[], object]) -> None:
        """Call when a recording was opened or closed."""
        self._on_replay.append(listener)

    def _tell_replay(self) -> None:
        for listener in self._on_replay:
            listener()

    def on_select(self, listener: Callable[[str], object]) -> None:
        self._on_select.append(listener)

    def select(self, name: str) -> None:
        """Select an object everywhere; the same once more: none."""
        self.selected = "" if name == self.selected else name
        for listener in self._on_select:
            listener(self.selected)

    async def act(self, role: Role, deed: Callable[[], Awaitable[Any]], done: str = "") -> bool:
        """Do something for the visitor, and tell him when it could not be done."""
        if not self.view.visitors.is_current(self.visitor):
            ui.navigate.to(UNDONE)  # he is logged out, in another tab or by time
            return False
        if not self.visitor.may(role):
            self._refuse(role)
            return False
        try:
            await deed()
        except Mistake as mistake:
            self.tell(str(mistake), mistake.hint)
            return False
        except UNREACHABLE:
            self.tell("the connection to the OPC UA server was lost", "try again")
            return False
        except (ValueError, OverflowError):
            self.tell("no such value can be sent", "take another one")
            return False
        if done:
            ui.notify(done, type="positive", position="bottom-left")
        return True

    async def do(self, deed: Callable[[Session], Awaitable[Any]]) -> bool:
        """Do something that needs an engineer, over the visitor's own connection."""

        async def done() -> None:
            await deed(await self.visitor.user_session.connect())

        return await self.act(Role.ENGINEER, done)

    def show_selected(self, parts: Mapping[str, ui.element]) -> None:
        """Of parts by the names of objects, show only the selected one's, if it has any."""

        def show(name: str) -> None:
            for one, part in parts.items():
                part.set_visibility(name not in parts or one == name)

        self.on_select(show)
        show(self.selected)

    def tell(self, problem: str, hint: str) -> None:
        """Say why something was not done, and what to do."""
        ui.notify(problem, caption=hint, type="negative", position="bottom-left")

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
    return labelled(ui.element("section").classes("tc-group"), title)


def labelled(element: Element, text: str) -> Element:
    """Name something for screen readers.

    The text is set as it is: NiceGUI parses a string of props, and runs what follows a colon there
    as a script; names of files, faults and signals are not ours.
    """
    if element.props.get("aria-label") != text:
        element.props["aria-label"] = text
    return element
