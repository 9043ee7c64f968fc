"""Inverse kinematics: how long until joint positions for a pose are found.

Poses are those of random joint positions, so each can be reached.

    near    from where a set point 10 ms earlier would be, at up to the joints' greatest speed
    far     from other random joint positions, many of them half a turn away

A search from far may end at the limits of joints: it goes one way, and does not try another.
These are counted, and left out of the time per solution.
"""
# mypy: disallow-untyped-calls=False

from collections.abc import Iterator
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.arm_cells import working_arms
from bench.result import Result
from bench.rounds import Contestant, take_turns
from twincell.sim.cell import Cell
from twincell.sim.jit import entry
from twincell.sim.motion.inverse_kinematics import REACHED, find_joints

POSES = 2_000
ROUNDS = 9
PERIOD_S = 0.010
INNER = 0.95  # of the way to a joint's limits: a step away must still be within


def inverse_kinematics() -> Iterator[Result]:
    """Microseconds per solution, and how many were reached."""
    cell = Cell(working_arms(1))
    arm = cell.compiled.arms[0]
    random = np.random.default_rng(2024)
    middle, half = (arm.upper + arm.lower) / 2, (arm.upper - arm.lower) / 2
    joints = middle + INNER * half * random.uniform(-1, 1, (POSES, len(middle)))
    poses = np.array([np.concatenate(arm.forward(q)) for q in joints])
    step = arm.velocity * PERIOD_S * random.uniform(-1, 1, joints.shape)
    for name, starts in (("near", joints + step), ("far", np.roll(joints, 1, axis=0))):
        found = np.zeros(POSES, dtype=np.intp)
        _search(cell, starts, poses, found)
        ends_well = found == 1
        (times,) = take_turns([_contestant(cell, starts[ends_well], poses[ends_well])], ROUNDS)
        yield Result(f"ik_{name}_us", median(times) / int(found.sum()) * 1e6, "us/pose")
        yield Result(f"ik_{name}_reached", float(found.mean()), "share")


def _contestant(cell: Cell, starts: NDArray[np.float64], poses: NDArray[np.float64]) -> Contestant:
    found = np.zeros(len(poses), dtype=np.intp)
    return Contestant(lambda: None, lambda: _search(cell, starts, poses, found))


def _search(
    cell: Cell,
    starts: NDArray[np.float64],
    poses: NDArray[np.float64],
    found: NDArray[np.intp],
) -> None:
    model, _, _, _, scratch, _ = cell._packs.values()
    _find_all(model, scratch, starts, poses, found)


@entry
def _find_all(model: Any, scratch: Any, starts: Any, poses: Any, found: Any) -> None:
    """Search for every pose from its start, all in one call; note which are found."""
    for k in range(poses.shape[0]):
        for axis in range(starts.shape[1]):
            scratch.chain.q[axis] = starts[k, axis]
        p_T = (poses[k, 0], poses[k, 1], poses[k, 2])
        q_T = (poses[k, 3], poses[k, 4], poses[k, 5], poses[k, 6])
        found[k] = 1 if find_joints(model, scratch, 0, p_T, q_T) == REACHED else 0
