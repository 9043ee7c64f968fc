"""Time control: pause, go on, step, speed, reset."""

from asyncua import ua
from nicegui import ui

from twincell.server.realtime.limits import MOST_STEPS
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.realtime.time_mode import TimeMode
from twincell.server.security.roles import Role
from twincell.server.web.page.page_session import PageSession, labelled

SPEEDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


class TimeBar:
    """What moves simulated time."""

    def __init__(self, page_session: PageSession) -> None:
        self._page_session = page_session
        with ui.element("div").classes("tc-time") as self._bar:
            self._bar.props('role="toolbar" aria-label="Time"')
            self._pause = ui.button(icon="pause", on_click=self._toggle)
            self._pause.props('round dense unelevated aria-label="Pause"')
            self._steps = ui.number(value=1, min=1, max=MOST_STEPS, precision=0)
            self._steps.props('outlined dense aria-label="Ticks a step" hide-bottom-space')
            self._steps.style("width: 5.5rem")
            self._step = ui.button("Step", icon="skip_next", on_click=self._do_step)
            self._step.props("outline dense")
            self._speed = ui.select(
                {speed: f"{speed:g} ×" for speed in SPEEDS},
                value=1.0,
                label="Speed",
                on_change=self._set_speed,
            )
            self._speed.props('outlined dense options-dense aria-label="Speed"')
            self._speed.style("width: 6.5rem")
            ui.button("Reset", icon="restart_alt", on_click=self._reset).props("outline dense")
            ui.element("div").classes("tc-grow")
            self._mode = ui.label().classes("tc-dim")

    def set_visibility(self, is_visible: bool) -> None:
        self._bar.set_visibility(is_visible)

    @property
    def _is_paused(self) -> bool:
        return self._page_session.view.link.vitals.state is LoopState.PAUSED

    async def _toggle(self) -> None:
        await self._order("Resume" if self._is_paused else "Pause")

    async def _do_step(self) -> None:
        count = min(max(int(self._steps.value or 1), 1), MOST_STEPS)
        await self._order("Step", ua.Variant(count, ua.VariantType.UInt32))

    async def _set_speed(self) -> None:
        speed = float(self._speed.value or 1.0)
        if speed == self._page_session.view.link.vitals.speed:
            return  # it shows what is there already
        await self._order("SetSpeed", ua.Variant(speed, ua.VariantType.Double))

    async def _reset(self) -> None:
        await self._order("Reset")

    async def _order(self, method: str, *arguments: ua.Variant) -> None:
        user_session = self._page_session.visitor.user_session
        await self._page_session.act(
            Role.ENGINEER, lambda: user_session.call("Simulation", method, *arguments)
        )
        self.refresh()

    def refresh(self) -> None:
        vitals = self._page_session.view.link.vitals
        is_free = vitals.mode is TimeMode.FREE_RUN
        icon, label = ("play_arrow", "Go on") if self._is_paused else ("pause", "Pause")
        self._pause.set_icon(icon)
        labelled(self._pause, label)
        self._step.set_enabled(self._is_paused or vitals.mode is TimeMode.LOCK_STEP)
        if vitals.speed in self._speed.options and vitals.speed != self._speed.value:
            self._speed.set_value(vitals.speed)
        self._mode.set_text("" if is_free else f"time mode: {vitals.mode.text}")
