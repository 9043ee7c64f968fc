"""What is selected: a small card in the corner of the 3-D view."""

from nicegui import ui

from twincell.server.report.signal_text import value_text
from twincell.server.web.page.page_session import PageSession
from twincell.server.web.page.panel_moves import StopButtons
from twincell.sim.signals import Kind, SignalTable

FORCES = {"Force": "force", "ContactForce": "pushed by"}
WANTED = ("Partner", "State", "Holding", "IsClosed", "Moving", "Deviation", "Refusal")


class SelectedCard:
    """Name, partner and load of the selected object."""

    def __init__(self, page_session: PageSession) -> None:
        self._page_session = page_session
        with (
            ui.element("aside").classes("tc-card-over").props('aria-label="Selected"') as self._card
        ):
            with ui.element("div").classes("tc-row tight"):
                self._name = ui.label().classes("tc-grow").style("font-weight: 700")
                self._stop = StopButtons(page_session, lambda: page_session.selected)
                ui.button(
                    icon="close", on_click=lambda: page_session.select(page_session.selected)
                ).props('flat dense round size=sm aria-label="Select nothing"')
            self._lines = [ui.label().classes("tc-value") for _ in range(4)]
        self._card.set_visibility(False)
        page_session.on_select(lambda _: self.refresh())

    def refresh(self) -> None:
        name, (signals, row) = self._page_session.selected, self._page_session.shown
        self._card.set_visibility(bool(name))
        if not name or row is None:
            return
        self._name.set_text(name)
        # who looks at a recording does not stop the robot of the running cell with it
        is_live = self._page_session.replay is None
        is_robot = name in self._page_session.view.spec.robot
        self._stop.show(is_robot and is_live)
        if is_robot and is_live:
            self._stop.refresh(row)
        texts = list(_texts(signals, name, row.tolist()))
        for label, text in zip(self._lines, [*texts, "", "", "", ""], strict=False):
            label.set_text(text)
            label.set_visibility(bool(text))


def _texts(signals: SignalTable, name: str, row: list[float]) -> list[str]:
    """The most telling values of an object."""
    found = []
    where = [f"{name}.{part}.{axis}" for part in ("Pose", "TcpPose") for axis in "XYZ"]
    place = [row[signals[one].column] for one in where if one in signals]
    if place:
        found.append("at  " + "  ".join(f"{x:+.3f}" for x in place) + " m")
    for quantity, what in FORCES.items():
        force = [f"{name}.{quantity}.{axis}" for axis in "XYZ"]
        if force[0] in signals:
            numbers = [row[signals[one].column] for one in force]
            size = sum(x * x for x in numbers) ** 0.5
            found.append(f"{what}  {size:.2f} N")
    for quantity in WANTED:
        signal = signals.by_name.get(f"{name}.{quantity}")
        if signal:
            number = row[signal.column]
            is_small = signal.kind is Kind.DOUBLE
            text = f"{number:.6f} {signal.unit}" if is_small else value_text(signal, number)
            if not text and quantity == "Refusal":
                continue  # the last order was not refused
            text = text or "–"
            found.append(f"{quantity.lower()}  {text}")
    return found[:4]
