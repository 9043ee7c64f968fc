"""The spring-borne cell of the paper against an independent model that scipy integrates."""

import numpy as np
import pytest
from scenes import cell_of, column, vectors
from spring_borne import Planar, tables

SECONDS = 3.0


@pytest.fixture(scope="module", params=[25.0, 50.0], ids=["eta25", "eta50"])
def both(request):
    """The run of the cell, and that of the model."""
    cell = cell_of(**tables(request.param))
    rows = cell.run(round(SECONDS / cell.step_s) + 1)
    return cell, rows, *Planar(request.param).run(SECONDS)


def test_it_is_held_dropped_caught_dropped_and_laid_down(both):
    cell, rows, _, story = both
    codes = column(cell, rows, "Object.Partner").astype(int)
    changes = [0, *(np.flatnonzero(np.diff(codes)) + 1)]
    texts = cell.signals["Object.Partner"].texts
    found = [(texts[codes[k]], k) for k in changes]
    assert [name for name, _ in found] == ["Hook1", "", "Hook2", "", "Table", ""]
    assert [name for name, _ in found] == [catch.name if catch else "" for catch in story]
    for (_, tick), catch in zip(found[1:], story[1:], strict=True):
        if catch:
            assert tick == round(catch.since / cell.step_s)


def test_it_moves_as_the_model_does(both):
    cell, rows, states, _ = both
    found = np.column_stack(
        [
            vectors(cell, rows, "Carrier.Pose")[:, [0, 2]],
            column(cell, rows, "Carrier.Pose.B"),
            column(cell, rows, "Hinge.Position"),
        ]
    )
    # events are on the same ticks, so only rk4 at 1 ms is left: (ηh)⁴/120 ≈ 5e-8 of the largest
    # deviation after a catch, which is about 1 m and 1 rad
    assert found == pytest.approx(states[:, :4], abs=1e-7)


def test_it_has_the_speeds_of_the_model(both):
    cell, rows, states, _ = both
    found = np.column_stack(
        [
            vectors(cell, rows, "Carrier.Velocity")[:, [0, 2]],
            column(cell, rows, "Carrier.AngularVelocity.Y"),
            column(cell, rows, "Hinge.Velocity"),
        ]
    )
    assert found == pytest.approx(states[:, 4:], abs=5e-7)  # as above, times η


def test_it_stays_in_its_plane(both):
    cell, rows, _, _ = both
    assert column(cell, rows, "Carrier.Pose.Y") == pytest.approx(0.02, abs=1e-12)  # by symmetry
