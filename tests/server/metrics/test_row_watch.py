"""What the metrics count in rows."""

from pathlib import Path

import numpy as np
import pytest

from twincell.server.metrics.row_watch import LATENESS_S, RowWatch
from twincell.server.realtime.shared.link import Link
from twincell.sim.cell import Cell


@pytest.fixture(scope="module")
def cell(tmp_path_factory: pytest.TempPathFactory) -> Cell:
    from tests.server.conftest import SMALL_CELL

    path: Path = tmp_path_factory.mktemp("cell") / "small.toml"
    path.write_text(SMALL_CELL, encoding="utf-8")
    return Cell.load(path)


@pytest.fixture
def link(cell: Cell) -> Link:
    return Link(len(cell.signals), n_row=1024)


def tick(link: Link, tick: int, late_ns: int, **values: float) -> None:
    row = link.ring.next_row()[0]
    row[:] = 0.0
    for column, value in values.items():
        row[int(column[1:])] = value
    link.ring.append(tick, tick * 1e-3, 0, late_ns)


def test_lateness_falls_into_the_bucket_that_it_does_not_exceed(cell: Cell, link: Link) -> None:
    watch = RowWatch(link, cell.signals)
    late_ns = [0, 10_000, 10_001, 20_000, 999_999, 100_000_001]
    for number, late in enumerate(late_ns):
        tick(link, number, late)
    watch.look()
    told = dict(zip([*LATENESS_S, np.inf], watch.late.tolist(), strict=True))
    # the first one had no deadline
    assert {end: count for end, count in told.items() if count} == {
        1e-5: 1,
        2e-5: 2,
        1e-3: 1,
        np.inf: 1,
    }
    assert watch.late_sum_s == pytest.approx(sum(late_ns) * 1e-9)


def test_catching_handing_over_and_letting_go_are_counted_once(cell: Cell, link: Link) -> None:
    partner = f"c{cell.signals['Tool.Partner'].column}"
    watch = RowWatch(link, cell.signals)
    held_by = [0, 1, 1, 2, 2, 0, 0, 2]
    for number, code in enumerate(held_by):
        tick(link, number, 0, **{partner: code})
        watch.look()  # each change is between two looks
    assert watch.events == {
        "ToolAttachedEventType": 2,
        "PartnerChangedEventType": 1,
        "ToolReleasedEventType": 1,
    }


def test_ticks_that_left_the_ring_unseen_are_told(cell: Cell, link: Link) -> None:
    watch = RowWatch(link, cell.signals)
    for number in range(3000):
        tick(link, number, 1_000)
    watch.look()
    assert watch.missed == 3000 - link.ring.readable
    assert watch.late.sum() == link.ring.readable
