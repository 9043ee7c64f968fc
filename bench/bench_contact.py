"""Contacts: the paper's experiments, boxes that rest, and a pile against MuJoCo."""

from collections.abc import Iterator
from statistics import median

from bench.bench_stories import ROUNDS, story
from bench.contact_cells import Integrator, pile, resting_boxes
from bench.own_cell import contestant
from bench.peer_mujoco_pile import MujocoPile, check_pile, pile_finalists
from bench.result import Result
from bench.rounds import median_ratio, take_turns
from sim.cell import Cell

EXPERIMENTS = ("contact_sphere_cylinder", "contact_cylinder_disc", "contact_box_rectangle")
BOXES = 100
BOX_TICKS = 200
SPHERES = 50
PILE_TICKS = 1000  # falls, hits, settles and rests
PILE_ROUNDS = 30  # both are nearly equal: five rounds gave ratios of 0.93 to 1.05


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
    semi_implicit, rk4, *peers = take_turns(
        [
            contestant(Cell(pile(SPHERES, "semi_implicit")), PILE_TICKS),
            contestant(Cell(pile(SPHERES, "rk4")), PILE_TICKS),
            *(MujocoPile(SPHERES, setting).contestant(PILE_TICKS) for setting in finalists),
        ],
        PILE_ROUNDS,
    )
    fastest, setting = min(zip(peers, finalists, strict=True), key=lambda entry: median(entry[0]))
    peer = f"MuJoCo Euler ({setting}): {median(fastest) / PILE_TICKS * 1e6:.4g} us/tick"
    for name, own in (("pile_vs_mujoco", semi_implicit), ("pile_rk4_vs_mujoco", rk4)):
        value = median(own) / PILE_TICKS * 1e6
        yield Result(name, value, "us/tick", peer, median_ratio(fastest, own))
