"""signal_sending: what holds the part is decided by signals alone."""

import numpy as np
from pytest import approx


def test_the_part_changes_hands_in_the_tick_of_the_signal(run_cell):
    trace = run_cell("signal_sending", 6.0)
    assert trace.partners("Part") == [
        (0.0, "Left"),
        (2.0, "Right"),  # Right closed at 1 s already, but Left was there first
        (3.0, "Left"),
        (5.0, "Right"),  # Left opened for a single tick while Right was closed
    ]


def test_the_echo_shows_every_signal_in_the_tick_in_which_it_is_latched(run_cell):
    trace = run_cell("signal_sending", 6.0)
    for gripper in ("Left", "Right"):
        assert np.array_equal(trace[f"{gripper}.IsClosed"], trace[f"{gripper}.Closed"])
    # the pulse of one tick at 4 s is not lost
    assert list(trace["Right.IsClosed"][3999:4002]) == [0.0, 1.0, 0.0]
    holding = trace["Left.Holding"] + trace["Right.Holding"]
    assert set(holding) == {1.0}


def test_the_part_never_falls_while_it_changes_hands(run_cell):
    trace = run_cell("signal_sending", 6.0)
    # both grippers hold at the same height: the weight is carried in every single tick
    assert trace["Part.Pose.Z"] == approx(1.0, abs=1e-12)
    assert trace["Part.Force.Z"] == approx(0.5 * 9.81, abs=1e-9)
