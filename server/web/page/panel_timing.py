"""How punctual the cell is: rate, lateness, overruns, who is connected."""

import time

import numpy as np
from nicegui import ui

from twincell.server.realtime.rates import Rates
from twincell.server.realtime.shared.ring import Floats
from twincell.server.web.page.elements import LocalTime
from twincell.server.web.page.page_session import PageSession, group

WINDOW_S = 2.0  # over which rates are measured
CHART_S = 1.0  # between two pictures
MOST_LISTED = 20  # overruns
EDGES_US = np.array([0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000])


class TimingPanel:
    """Figures and a histogram."""

    def __init__(self, page_session: PageSession) -> None:
        self._page_session = page_session
        self._rates = Rates(WINDOW_S)
        self._chart_s = 0.0
        kept_s = page_session.view.link.ring.readable * page_session.view.spec.step_s
        with ui.element("div").classes("tc-panel"):
            with ui.element("div").classes("tc-figures"):
                self._rate = _figure("Ticks", "1/s")
                self._factor = _figure("Real time", "×")
                self._p50 = _figure("Late, median", "µs")
                self._p99 = _figure("Late, 99 %", "µs")
                self._worst = _figure("Late, worst", "µs")
                self._overruns = _figure("Overruns", "")
                self._clients = _figure("Clients", "")
                self._sent = _figure("Notifications", "1/s")
                self._restarts = _figure("Restarts", "")
            ui.label(f"How late ticks began, the last {kept_s:.0f} s").classes("tc-title")
            self._chart = ui.echart(_options()).classes("tc-chart")
            self._rights = ui.label().classes("tc-dim")
            with group("Ticks that took too long"):
                with ui.element("div").classes("head"):
                    ui.label("Ticks that took too long")
                self._overrun_list = ui.element("div")
        self._newest = -1  # overrun that is listed

    def refresh(self) -> None:
        link = self._page_session.view.link
        vitals, ring = link.vitals, link.ring
        self._rates.look(ring.written, vitals["notifications"], ring.time_s)
        ticks, sent, factor = self._rates.a_second()
        late_us = ring.lateness(ring.readable) / 1e3
        late_us = late_us if len(late_us) else np.zeros(1)
        self._rate.set_text(f"{ticks:.0f}")
        self._factor.set_text(f"{factor:.2f}")
        self._p50.set_text(f"{np.percentile(late_us, 50):.0f}")
        self._p99.set_text(f"{np.percentile(late_us, 99):.0f}")
        self._worst.set_text(f"{vitals['worst_late_ns'] / 1e3:.0f}")
        self._overruns.set_text(str(vitals["overruns"]))
        self._clients.set_text(str(vitals["clients"]))
        self._sent.set_text(f"{sent:.0f}")
        self._restarts.set_text(str(vitals["restarts"]))
        self._rights.set_text(vitals.text("rights"))
        self._list_overruns()
        if time.monotonic() - self._chart_s > CHART_S:
            self._chart_s = time.monotonic()
            self._chart.options["series"][0]["data"] = _counted(late_us)
            self._chart.update()

    def _list_overruns(self) -> None:
        overruns = self._page_session.view.watcher.overruns
        newest = overruns[-1].number if overruns else 0
        if newest == self._newest:
            return
        self._newest = newest
        self._overrun_list.clear()
        with self._overrun_list:
            if not overruns:
                with ui.element("div").classes("line"):
                    ui.label("None since the page's process began.").classes("tc-dim")
            for overrun in list(overruns)[: -MOST_LISTED - 1 : -1]:
                with ui.element("div").classes("line").props('data-testid="overrun"'):
                    LocalTime(overrun.ms, precise=True).classes("tc-value")
                    ui.label(overrun.text).classes("tc-grow")
                    ui.label(f"tick {overrun.tick}").classes("tc-value tc-dim")


def _figure(name: str, unit: str) -> ui.label:
    with ui.element("div").classes("tc-figure"):
        ui.label(name).classes("tc-title")
        with ui.element("div").classes("tc-row tight"):
            value = ui.label("–").classes("value")
            ui.label(unit).classes("unit")
    return value


def _counted(late_us: Floats) -> list[int]:
    """How many ticks began so late, bar by bar; the last bar has all that were later."""
    counts, _ = np.histogram(late_us, [*EDGES_US, np.inf])
    return [int(count) for count in counts]


def _options() -> dict[str, object]:
    names = [f"< {edge}" for edge in EDGES_US[1:]] + [f"≥ {EDGES_US[-1]}"]
    grey = "#8795a5"
    return {
        "animation": False,
        "grid": {"left": 64, "right": 12, "top": 12, "bottom": 58},
        "tooltip": {"trigger": "axis"},
        "xAxis": {
            "type": "category",
            "data": names,
            "name": "µs",
            "nameLocation": "middle",
            "nameGap": 42,
            "axisLabel": {"rotate": 45, "color": grey},
        },
        "yAxis": {
            "type": "log",
            "min": 1,
            "name": "",
            "axisLabel": {"color": grey},
            "splitLine": {"lineStyle": {"color": grey, "opacity": 0.25}},
        },
        "series": [
            {"type": "bar", "data": [], "itemStyle": {"color": "#1c7ed6"}, "barWidth": "82%"}
        ],
    }
