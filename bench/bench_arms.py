"""Arms with tools: a tick of two against MuJoCo, and whether twenty keep up with the clock."""

from collections.abc import Iterator
from statistics import median

from bench.arm_agreement import check_arms
from bench.arm_cells import holding_arms, working_arms
from bench.own_cell import contestant
from bench.peer_mujoco_arms import MujocoArms, arm_finalists
from bench.result import Result
from bench.rounds import median_ratio, take_turns
from twincell.sim.cell import Cell

TICKS = 500  # of a round: from the disturbed start to rest, or half a second of the long move
ROUNDS = 15
MANY = 20
MANY_ROUNDS = 9


def two_arms() -> Iterator[Result]:
    """Two arms, two tools, four holders: doing the same as MuJoCo's, and all that ours can do."""
    cell = holding_arms(2)
    settings = arm_finalists(cell)
    for setting in settings:
        check_arms(2, setting)
    holding, working, *peers = take_turns(
        [
            contestant(cell, TICKS),
            contestant(Cell(working_arms(2)), TICKS),
            *(MujocoArms(cell, setting).contestant(TICKS) for setting in settings),
        ],
        ROUNDS,
    )
    peer, setting = min(zip(peers, settings, strict=True), key=lambda entry: median(entry[0]))
    what = f"MuJoCo RK4 ({setting}): {median(peer) / TICKS * 1e6:.4g} us/tick"
    for name, own in (("arms", holding), ("working_arms", working)):
        tick_us = median(own) / TICKS * 1e6
        ratio = median_ratio(peer, own)
        yield Result(f"{name}_tick_vs_mujoco_rk4", tick_us, "us/tick", what, ratio)


def twenty_arms() -> Iterator[Result]:
    """Twenty arms on the move, each with its tool."""
    (times,) = take_turns([contestant(Cell(working_arms(MANY)), TICKS)], MANY_ROUNDS)
    tick_s = median(times) / TICKS
    yield Result(f"arms_{MANY}_tick_us", tick_s * 1e6, "us/tick")
    yield Result(f"arms_{MANY}_real_time", 1e-3 / tick_s, "ticks/ms")
