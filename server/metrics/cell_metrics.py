"""All metrics of a running cell, as Prometheus collects them. docs/use/metrics.md lists them."""

from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from twincell import __version__
from twincell.server.metrics.health import health_of, silent_s
from twincell.server.metrics.row_watch import LATENESS_S, RowWatch
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.sim.signals import Signal


class CellMetrics(Collector):
    """Reads the memory that the processes of a cell share, each time that somebody asks."""

    def __init__(
        self,
        link: Link,
        watch: RowWatch,
        cell: str,
        step_s: float,
        levers: Iterable[Signal],
    ) -> None:
        self._link = link
        self._watch = watch
        self._cell = cell
        self._step_s = step_s
        self._levers = [lever.column for lever in levers]

    def collect(self) -> Iterator[Metric]:
        self._watch.look()
        yield InfoMetricFamily(
            "twincell", "What runs.", {"version": __version__, "cell": self._cell}
        )
        yield from self._loop()
        yield self._lateness()
        yield from self._processes()
        yield from self._opcua()
        yield from self._events()
        yield from self._recording()

    def _loop(self) -> Iterator[Metric]:
        link, vitals = self._link, self._link.vitals
        yield _gauge("healthy", "1 while /health answers 200.", health_of(link).is_well)
        yield _by_label(
            GaugeMetricFamily,
            "state",
            "1 for the state that the loop is in.",
            "state",
            {one.name.lower(): one is vitals.state for one in LoopState},
        )
        yield _counter("ticks", "Ticks so far, through resets and restarts.", link.ring.written)
        yield _gauge("tick_rate_hertz", "Ticks a second, lately.", self._watch.tick_rate_hz)
        yield _gauge("step_seconds", "Simulated time of one tick.", self._step_s)
        reset = "Simulated time; a reset sets it to 0."
        yield _gauge("simulated_seconds", reset, link.ring.time_s)
        yield _gauge("speed_ratio", "Simulated over real time, as wanted.", vitals.speed)
        yield _gauge(
            "loop_silence_seconds",
            "Since the loop's last sign of life.",
            silent_s(vitals["beat_ns"]),
        )
        yield _counter("overruns", "Ticks that ended after the next was due.", vitals["overruns"])
        yield _counter("slips", "Times that simulated time fell behind.", vitals["slips"])
        unsettled = "Sub-steps whose contact forces were found nearly only."
        yield _counter("contacts_unsettled", unsettled, vitals["unsettled"])
        left_out = "Contact points for which there was no room."
        yield _counter("contacts_left_out", left_out, vitals["left_out"])
        yield _counter("faults", "Times that the mechanics failed.", vitals["faults"])
        lost = bool(vitals["controller_lost"])
        yield _gauge("controller_lost", "1 from the loss of the controller on.", lost)

    def _lateness(self) -> Metric:
        watch = self._watch
        ends = [*(f"{end:g}" for end in LATENESS_S), "+Inf"]
        counts = np.cumsum(watch.late).tolist()
        made = HistogramMetricFamily(
            "twincell_tick_lateness_seconds",
            "How late ticks began; those without a deadline are not counted.",
        )
        made.add_metric([], list(zip(ends, counts, strict=True)), watch.late_sum_s)
        return made

    def _processes(self) -> Iterator[Metric]:
        vitals = self._link.vitals
        worst_s = vitals["worst_late_ns"] * 1e-9
        yield _gauge("tick_lateness_worst_seconds", "The worst since the start.", worst_s)
        yield _counter(
            "unwatched_ticks",
            "Ticks that the metrics came too late for; lateness and events lack them.",
            self._watch.missed,
        )
        yield _by_label(
            CounterMetricFamily,
            "process_restarts",
            "Times that a process ended and was started again.",
            "process",
            {
                "loop": vitals["restarts"],
                "opcua": vitals["server_restarts"],
                "record": vitals["recorder_restarts"],
                "metric": vitals["metrics_restarts"],
            },
        )

    def _opcua(self) -> Iterator[Metric]:
        vitals = self._link.vitals
        yield _gauge("opcua_connections", "Connections of clients.", vitals["clients"])
        yield _gauge("opcua_sessions", "Sessions, with those that wait.", vitals["sessions"])
        yield _gauge("opcua_subscriptions", "Subscriptions.", vitals["subscriptions"])
        yield _gauge("opcua_monitored_items", "Items of all subscriptions.", vitals["items"])
        yield _counter("opcua_samples_sent", "Values sent to clients.", vitals["notifications"])
        yield _by_label(
            CounterMetricFamily,
            "opcua_samples_dropped",
            "Values that clients did not get: their queue was full, or they asked too late.",
            "reason",
            {"queue_full": vitals["dropped"], "too_late": vitals["overtaken"]},
        )
        refused = vitals["refused_sessions"], vitals["refused_requests"]
        yield _counter("opcua_sessions_refused", "Sessions refused, for any reason.", refused[0])
        yield _counter("opcua_requests_refused", "Requests refused, for any reason.", refused[1])

    def _events(self) -> Iterator[Metric]:
        events, vitals = self._watch.events, self._link.vitals
        attached, released = events["ToolAttachedEventType"], events["ToolReleasedEventType"]
        swapped = events["PartnerChangedEventType"]
        yield _counter("attached", "Objects that were caught out of free air.", attached)
        yield _counter("released", "Objects that were let go.", released)
        yield _counter("handed_over", "Objects that went from one holder to another.", swapped)
        overloads = events["OverloadEventType"]
        yield _counter("drive_overloads", "Drives that reached their greatest torque.", overloads)
        yield _by_label(
            CounterMetricFamily,
            "faults_injected",
            "Faults that somebody put in on purpose.",
            "kind",
            {
                "lever": events["FaultInjectedEventType"],
                "protocol": vitals["protocol_faults_injected"],
            },
        )
        yield _by_label(
            GaugeMetricFamily,
            "injected_faults_active",
            "Of these, the ones that act now.",
            "kind",
            {"lever": self._active_levers(), "protocol": vitals["protocol_faults"]},
        )

    def _active_levers(self) -> int:
        newest = self._link.ring.newest()
        return int(np.count_nonzero(newest.values[0, self._levers])) if newest else 0

    def _recording(self) -> Iterator[Metric]:
        box = self._link.recording
        yield _gauge("recording", "1 while a recording goes on.", bool(box.file))
        yield _gauge("recording_rows", "Rows in that file, or the last one.", box.rows)
        lost = "Rows that the recorder came too late for, in that file."
        yield _gauge("recording_lost_rows", lost, box.lost)


def _gauge(name: str, text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"twincell_{name}", text, float(value))


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"twincell_{name}", text, float(value))


def _by_label(
    kind: type[CounterMetricFamily] | type[GaugeMetricFamily],
    name: str,
    text: str,
    label: str,
    values: Mapping[str, float],
) -> Metric:
    """One metric with a value for each value of a label."""
    made = kind(f"twincell_{name}", text, labels=[label])
    for key, value in values.items():
        made.add_metric([key], float(value))
    return made
