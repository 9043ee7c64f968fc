"""Begin a planned move: from the plan into the state, from where the tick samples it."""

import numpy as np

from twincell.sim.model import Model
from twincell.sim.motion.robot_orders import NONE_REFUSED
from twincell.sim.motion.targets import HOLD, MOVE
from twincell.sim.plan.plan import Plan, Refused
from twincell.sim.state import State

AT_START = 1.0e-9  # [m, rad] between a robot's target and where its move begins; chosen: rounding


def begin_move(model: Model, state: State, robot: int, plan: Plan) -> None:
    """Let a robot that holds begin a move with the next tick; Refused changes nothing."""
    own = slice(int(model.robots.first[robot]), int(model.robots.end[robot]))
    if state.robots.mode[robot] != HOLD:
        raise Refused("the robot is moving: wait until it is at rest, or stop it")
    if np.abs(state.robots.hold[own] - plan.pieces[:, 0, 0]).max() > AT_START:
        raise Refused("the robot is not where the move begins")
    n_piece, n_law = plan.pieces.shape[1], len(plan.law)
    state.robots.knots[robot, : n_piece + 1] = plan.knots
    state.robots.pieces[own, :n_piece] = plan.pieces
    state.robots.n_piece[robot] = n_piece
    state.robots.law[robot, :n_law] = plan.law
    state.robots.n_law[robot] = n_law
    state.robots.brakes[robot] = plan.limits
    state.robots.began[robot] = state.tick[0]
    state.robots.mode[robot] = MOVE
    state.robots.moves[robot] += 1
    state.robots.refusal[robot] = NONE_REFUSED
    state.robots.lost[robot] = 0
