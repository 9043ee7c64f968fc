"""The tuples that outlive a tick: what the controller asks, what the cell remembers and shows."""

from typing import TYPE_CHECKING, Annotated, NamedTuple

from twincell.sim.arrays import Floats, Ints, nest
from twincell.sim.devices import modules

LONG_AGO = -(1 << 40)  # tick of a catch that was there before the cell started
MOST_PIECES = 128  # of a move's path; chosen: a straight line of a metre needs about thirty
MOST_LAW = 10  # segments of a move in time: seven of constant jerk, and the rest after them
MOST_WAITING = 4  # set points that wait their turn; chosen: the jitter of a busy network


class Commands(NamedTuple):
    """What the controller asked and what is broken, latched at the start of a tick."""

    values: Annotated[Floats, "n_latched"]  # commands, then fault levers, as in a row


class RobotState(NamedTuple):
    """What robots are about."""

    mode: Annotated[Ints, "n_robot"]  # HOLD, MOVE, STREAM, BRAKE
    refusal: Annotated[Ints, "n_robot"]  # why the last order was refused, 0: it was not
    refusals: Annotated[Ints, "n_robot"]  # how many orders were refused
    moves: Annotated[Ints, "n_robot"]  # how many were accepted
    hold: Annotated[Floats, "n_axis"]  # target while nothing else is asked
    integral: Annotated[Floats, "n_axis"]  # integral part of the servo [N, Nm]
    # a move: a path in s, and s in time
    knots: Annotated[Floats, "n_robot", MOST_PIECES + 1]  # s where pieces begin, and the end
    pieces: Annotated[Floats, "n_axis", MOST_PIECES, 4]  # cubics in s - knot
    n_piece: Annotated[Ints, "n_robot"]
    law: Annotated[Floats, "n_robot", MOST_LAW, 5]  # begin [s], s, ṡ, s̈, jerk of s
    n_law: Annotated[Ints, "n_robot"]
    brakes: Annotated[Floats, "n_robot", 2]  # greatest s̈ and jerk of s
    began: Annotated[Ints, "n_robot"]  # tick of the move, or of the stream's segment
    # a stream of set points: joined by a spline
    spline: Annotated[Floats, "n_axis", 4]  # the last four set points
    waiting: Annotated[Floats, "n_axis", MOST_WAITING]  # set points that wait their turn
    n_waiting: Annotated[Ints, "n_robot"]
    counts: Annotated[Ints, "n_robot", 2]  # set points seen: joints, tool centre point
    heard: Annotated[Ints, "n_robot"]  # tick of the last one
    lost: Annotated[Ints, "n_robot"]  # 1 once a stream went silent, until the next order


if TYPE_CHECKING:
    from typing import Any as DeviceStates
else:
    DeviceStates = nest("DeviceStates", {d: m.STATE for d, m in modules("state").items()})


class State(NamedTuple):
    """Exactly what the next tick needs: copying it is a snapshot."""

    tick: Annotated[Ints, 1]  # number of the next tick
    p_WB: Annotated[Floats, "n_free", 3]  # centres of mass of free bodies [m]
    q_WB: Annotated[Floats, "n_free", 4]
    v_WB: Annotated[Floats, "n_free", 3]  # [m/s]
    w_WB: Annotated[Floats, "n_free", 3]  # world axes [rad/s]
    q: Annotated[Floats, "n_joint"]  # joint positions [m, rad]
    qd: Annotated[Floats, "n_joint"]  # joint velocities
    partner: Annotated[Ints, "n_constrained"]  # collision object that holds it, or NONE
    caught: Annotated[Ints, "n_constrained"]  # tick of the catch
    p_BT: Annotated[Floats, "n_constrained", 3]  # target, from the partner's centre of mass
    q_BT: Annotated[Floats, "n_constrained", 4]  # target, in the axes of the partner's body
    robots: RobotState
    devices: DeviceStates


class Feedback(NamedTuple):
    """What the controller sees besides the row of a tick."""

    fault: Annotated[Ints, 3]  # kind (0: none), number of the object, tick
    unsettled: Annotated[Ints, 1]  # sub-steps whose contact forces did not settle, ever
    left_out: Annotated[Ints, 1]  # contact points without room, ever
