"""Contacts: the paper's experiments, boxes that rest, a pile against MuJoCo, a steel heap."""

import time
from collections.abc import Iterator
from statistics import median

import numpy as np

from bench.bench_stories import ROUNDS, story
from bench.contact_cells import STEP_S, Integrator, pile, resting_boxes, tower
from bench.own_cell import contestant, rewind
from bench.peer_mujoco_pile import MujocoPile, check_pile, pile_finalists
from bench.proof.families import find_case
from bench.result import Result
from bench.rounds import median_ratio, take_turns
from twincell.sim.cell import Cell

EXPERIMENTS = ("contact_sphere_cylinder", "contact_cylinder_disc", "contact_box_rectangle")
BOXES = 100
BOX_TICKS = 200
SPHERES = 50
PILE_TICKS = 1000  # falls, hits, settles and rests
PILE_ROUNDS = 30  # both are nearly equal: five rounds gave ratios of 0.93 to 1.05
EQUAL_ACCURACY = 2e-5  # share of the forces that MuJoCo's default tolerance leaves over
TOWER = 10
TOWER_S = 60
HEAP = "heap/steel/300/ball/0.02kg/0"
HEAP_TICKS = 500
HEAP_ROUNDS = 3  # the least time of a tick counts: the others were disturbed


def experiments() -> Iterator[Result]:
    """The three experiments of the contact paper, 1 s of each."""
    times = take_turns([story(name, 1.0) for name in EXPERIMENTS], ROUNDS)
    for k, own in enumerate(times, start=1):
        yield Result(f"contact_experiment_{k}_s", median(own), "s")


def boxes() -> Iterator[Result]:
    """A hundred boxes that rest on a table."""
    integrators: tuple[Integrator, ...] = ("rk4", "semi_implicit")
    cells = [Cell(resting_boxes(BOXES, integrator)) for integrator in integrators]
    times = take_turns([contestant(cell, BOX_TICKS) for cell in cells], ROUNDS)
    rk4, semi_implicit = (median(own) / BOX_TICKS * 1e6 for own in times)
    yield Result("contact_100_boxes_tick_us", rk4, "us/tick")
    yield Result("contact_100_boxes_semi_implicit_tick_us", semi_implicit, "us/tick")
    yield Result("contact_100_boxes_real_time", 1000.0 / rk4, "s/s")


def pile_against_mujoco() -> Iterator[Result]:
    """Fifty spheres fall into a bin, ours and MuJoCo's in turns."""
    finalists = pile_finalists(SPHERES, PILE_TICKS)
    for setting in finalists:
        check_pile(SPHERES, setting)
    names = "pile_vs_mujoco", "pile_rk4_vs_mujoco", "pile_2e-5_vs_mujoco"
    *ours, first, second = take_turns(
        [
            contestant(Cell(pile(SPHERES, "semi_implicit")), PILE_TICKS),
            contestant(Cell(pile(SPHERES, "rk4")), PILE_TICKS),
            contestant(Cell(pile(SPHERES, "semi_implicit", EQUAL_ACCURACY)), PILE_TICKS),
            *(MujocoPile(SPHERES, setting).contestant(PILE_TICKS) for setting in finalists),
        ],
        PILE_ROUNDS,
    )
    fastest, setting = min(
        zip((first, second), finalists, strict=True), key=lambda entry: median(entry[0])
    )
    peer = f"MuJoCo Euler ({setting}): {median(fastest) / PILE_TICKS * 1e6:.4g} us/tick"
    for name, own in zip(names, ours, strict=True):
        value = median(own) / PILE_TICKS * 1e6
        yield Result(name, value, "us/tick", peer, median_ratio(fastest, own))


def tower_of_ten() -> Iterator[Result]:
    """How far any of ten boxes on each other goes within a minute."""
    cell = Cell(tower(TOWER))
    start = cell.state.p_WB.copy()
    cell.run(round(TOWER_S / STEP_S))
    drift = float(np.abs(cell.state.p_WB - start).max())
    yield Result("tower_drift_um", drift * 1e6, "um")


def heap_of_300() -> Iterator[Result]:
    """Three hundred steel balls fall into a bin: the worst tick beside the usual one."""
    cell = Cell(find_case(HEAP).spec())
    begin = rewind(cell)
    rounds = []
    for _ in range(HEAP_ROUNDS):
        begin()
        rounds.append([_seconds_of_tick(cell) for _ in range(HEAP_TICKS)])
    ticks = np.min(rounds, axis=0)
    yield Result("heap_300_tick_us", float(np.median(ticks)) * 1e6, "us/tick")
    yield Result("heap_300_worst_over_median", float(ticks.max() / np.median(ticks)), "")


def _seconds_of_tick(cell: Cell) -> float:
    started = time.perf_counter()
    cell.run(1)
    return time.perf_counter() - started
