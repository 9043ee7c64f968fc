"""All benches, one after the other: `make bench`, or `python -m bench.run [part of a name ...]`.

Writes bench/results/latest.json (the figures), cells.json (every shipped cell), stages.json (every
line of the tick) and machine.json; a selection of benches is only printed.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.agreement import Disagreement
from bench.attack_messages import attack_messages
from bench.bench_arms import twenty_arms, two_arms
from bench.bench_contact import (
    boxes,
    experiments,
    heap_of_300,
    pile_against_mujoco,
    tower_of_ten,
)
from bench.bench_memory import Allocates, memory
from bench.bench_peers import against_mujoco, against_pinocchio
from bench.bench_reach import inverse_kinematics
from bench.bench_scaling import scaling
from bench.bench_start import start
from bench.bench_stories import arm_tool_change, spring, tool_change
from bench.bridge_effect import bridge_to_effect
from bench.cell_table import CellTimes, cell_times
from bench.held_objects import held_objects
from bench.lock_step import lock_step
from bench.loop_lateness import lateness
from bench.machine import machine
from bench.recording import recording
from bench.result import GOALS, Result, least_of, write_json, write_results
from bench.stages import COUNTS, stage_table, stage_times
from bench.ua_effect import NoEffect, closed_to_effect
from bench.ua_orphans import orphans
from bench.ua_running import NotReady
from bench.ua_samples import one_client, ten_clients
from bench.ua_start import server_ready
from bench.web_page import first_picture, looked_at
from twincell.server.cli.warm_up import compile_apart
from twincell.sim.cell import Cell

RESULTS = Path(__file__).parent / "results"
Bench = Callable[[], Iterator[Result]]

BENCHES: dict[str, Bench] = {
    "tool change": tool_change,
    "tool change by arms": arm_tool_change,
    "spring-borne objects": spring,
    **{f"MuJoCo, {n} objects": partial(against_mujoco, n) for n in (2, 10, 100, 1000)},
    **{f"Pinocchio, {n} objects": partial(against_pinocchio, n) for n in (2, 10, 100)},
    "MuJoCo, two arms": two_arms,
    "twenty arms": twenty_arms,
    "contact experiments": experiments,
    "contact, resting boxes": boxes,
    "contact, pile against MuJoCo": pile_against_mujoco,
    "contact, tower of ten": tower_of_ten,
    "contact, heap of 300": heap_of_300,
    "inverse kinematics": inverse_kinematics,
    "scaling": scaling,
    "memory": memory,
    "start": start,
    "OPC UA, every sample": one_client,
    "OPC UA, ten clients": ten_clients,
    "OPC UA, command to effect": closed_to_effect,
    "OPC UA, subscriptions without a client": orphans,
    "OPC UA, bridge to effect": bridge_to_effect,
    "OPC UA, lock step": lock_step,
    "OPC UA, server ready": server_ready,
    "OPC UA, attack": attack_messages,
    "loop, lateness": lateness,
    "recording": recording,
    "web page, first picture": first_picture,
    "web page, looked at": looked_at,
}


def main(wanted: Sequence[str]) -> int:
    """Run the benches whose name contains one of the words, or all of them."""
    notes = Console(stderr=True)
    console = Console(width=None if sys.stdout.isatty() else 180)
    compile_apart(Cell(held_objects(2)).to_compile(everything=True))

    benches = {
        name: bench
        for name, bench in BENCHES.items()
        if not wanted or any(word.lower() in name.lower() for word in wanted)
    }
    results: list[Result] = []
    began = time.perf_counter()
    for number, (name, bench) in enumerate(benches.items(), start=1):
        started = time.perf_counter()
        notes.print(f"{number:2}/{len(benches)} {name} ...", end=" ", highlight=False)
        try:
            results += bench()
        except (Disagreement, Allocates, NoEffect, NotReady) as problem:
            notes.print(f"\nbench stopped: {problem}", style="bold red", highlight=False)
            return 1
        notes.print(f"{time.perf_counter() - started:.1f} s", highlight=False)

    for family in ("tick_vs_mujoco_rk4", "tick_vs_mujoco_euler", "tick_vs_pinocchio"):
        results += least_of(family, results)
    console.print(_result_table(results))
    cells = list(cell_times()) if not wanted or "cells" in wanted else []
    if cells:
        console.print(_cell_table(cells))
    stages = []
    if not wanted or "stages" in wanted:
        notes.print("lines of the tick; compiles the first time ...", highlight=False)
        stages = list(stage_times())
        console.print(stage_table(stages))
    if not wanted:
        write_results(results, RESULTS / "latest.json")
        write_json([asdict(row) for row in cells], RESULTS / "cells.json")
        write_json(
            {"objects": COUNTS, "lines": [asdict(row) for row in stages]},
            RESULTS / "stages.json",
        )
        write_json(machine(), RESULTS / "machine.json")
    notes.print(f"all in {time.perf_counter() - began:.0f} s", highlight=False)
    return 0


def _result_table(results: Sequence[Result]) -> Table:
    table = Table(title="twincell")
    for heading in ("figure", "value", "unit", "times faster", "to reach", "peer"):
        table.add_column(
            heading,
            justify="right" if heading in ("value", "times faster") else "left",
            no_wrap=heading == "figure",
        )
    for result in results:
        goal = GOALS.get(result.name)
        verdict = "" if goal is None else f"{goal} {'✓' if goal.is_met(result) else 'missed'}"
        table.add_row(
            result.name,
            f"{result.value:.4g}",
            result.unit,
            "" if result.ratio is None else f"{result.ratio:.2f}",
            verdict,
            result.peer or "",
            style="yellow" if verdict.endswith("missed") else None,
        )
    return table


def _cell_table(cells: Sequence[CellTimes]) -> Table:
    table = Table(title="one tick of every shipped cell [µs]")
    for heading in ("cell", "p50", "p99", "worst", "missed 1 ms", "ticks", "compile [ms]"):
        is_name = heading == "cell"
        table.add_column(heading, justify="left" if is_name else "right", no_wrap=is_name)
    for row in cells:
        table.add_row(
            row.cell,
            f"{row.p50_us:.2f}",
            f"{row.p99_us:.2f}",
            f"{row.worst_us:.1f}",
            str(row.missed_deadlines),
            str(row.ticks),
            f"{row.compile_ms:.1f}",
        )
    return table


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
