"""The law of a stop, against ruckig's."""

from itertools import pairwise

import numpy as np
import ruckig
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from twincell.sim.motion.brake import write_brake

speeds = st.floats(-2.0, 2.0)
shares = st.floats(-1.0, 1.0)
limits = st.floats(0.1, 50.0)


def ruckig_stop(s: float, v: float, a: float, most_a: float, most_j: float) -> ruckig.Trajectory:
    order = ruckig.InputParameter(1)
    order.control_interface = ruckig.ControlInterface.Velocity
    order.current_position, order.current_velocity = [s], [v]
    order.current_acceleration = [a]
    order.target_velocity, order.target_acceleration = [0.0], [0.0]
    order.max_acceleration, order.max_jerk = [most_a], [most_j]
    trajectory = ruckig.Trajectory(1)
    ruckig.Ruckig(1).calculate(order, trajectory)
    return trajectory


@settings(deadline=None)  # the first call compiles
@given(speeds, shares, limits, limits)
def test_a_stop_is_as_fast_as_ruckigs_and_ends_at_the_same_place(v, share, most_a, most_j):
    law = np.full((10, 5), np.nan)
    a = share * most_a
    n = write_brake(law, 0.3, v, a, most_a, most_j)
    peer = ruckig_stop(0.3, v, a, most_a, most_j)
    # the same closed form: rounding, which a root of rounded speeds magnifies to about 1e-8
    assert law[n - 1, 0] == approx(peer.duration, abs=1e-7)
    assert law[n - 1, 1] == approx(peer.at_time(peer.duration)[0][0], abs=1e-7)
    assert not law[n - 1, 2:].any()


@settings(deadline=None)  # the first call compiles
@given(speeds, shares, limits, limits)
def test_a_stop_joins_smoothly_and_keeps_its_limits(v, share, most_a, most_j):
    law = np.full((10, 5), np.nan)
    n = write_brake(law, 0.0, v, share * most_a, most_a, most_j)
    assert list(law[0, 1:4]) == [0.0, v, share * most_a]
    slack = 1e-9 * max(1.0, most_a)  # rounding
    for here, then in pairwise(law[:n]):
        t = then[0] - here[0]
        assert t >= 0.0
        assert abs(here[4]) <= most_j
        assert abs(then[3]) <= most_a + slack
        assert then[3] == approx(here[3] + t * here[4], abs=slack)
        assert then[2] == approx(here[2] + t * (here[3] + t * here[4] / 2), abs=1e-9)


def test_a_robot_at_rest_stops_at_once():
    law = np.full((10, 5), np.nan)
    n = write_brake(law, 0.7, 0.0, 0.0, 1.0, 1.0)
    assert list(law[n - 1]) == [0.0, 0.7, 0.0, 0.0, 0.0]
