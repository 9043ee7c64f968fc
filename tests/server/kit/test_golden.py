"""Golden traces: small files that still hold every tick within the tolerance."""

from pathlib import Path

import numpy as np
import pytest
from asyncua import ua
from hypothesis import given, settings
from hypothesis import strategies as st

from twincell.server.kit.catalogue import Kind, SignalFacts
from twincell.server.kit.golden import GoldenDiffers, Goldens, Tolerance
from twincell.server.kit.traces import Trace

STEP_S = 0.001


def trace(values: object, kind: Kind = Kind.NUMBER, texts: tuple[str, ...] = ()) -> Trace:
    numbers = np.asarray(values, dtype=float)
    tick = np.arange(len(numbers))
    facts = SignalFacts("Tool1.Force.Z", kind, "N", False, "", ua.NodeId(), (0.0, 1.0))
    return Trace(facts, tick, tick * STEP_S, numbers, texts)


def check(folder: Path, one: Trace, update: bool, **tolerance: float) -> None:
    Goldens(folder, update).check("golden", [one], Tolerance(**tolerance))


@settings(max_examples=40)
@given(
    st.lists(st.floats(-100, 100), min_size=3, max_size=60),
    st.floats(0.01, 10.0),
)
def test_the_same_run_is_always_within_its_own_golden_trace(
    tmp_path_factory: pytest.TempPathFactory, values: list[float], abs_: float
) -> None:
    folder = tmp_path_factory.mktemp("golden")
    check(folder, trace(values), update=True, abs=abs_)
    check(folder, trace(values), update=False, abs=abs_)


def test_a_smooth_signal_needs_few_lines(tmp_path: Path) -> None:
    smooth = trace(10 * np.sin(np.linspace(0, 6, 5000)))
    check(tmp_path, smooth, update=True, abs=0.1)
    assert len((tmp_path / "golden.csv").read_text().splitlines()) < 200


def test_a_deviation_is_told_where_it_begins_and_where_it_is_worst(tmp_path: Path) -> None:
    good = np.zeros(100)
    check(tmp_path, trace(good), update=True, abs=0.1)
    bad = good.copy()
    bad[40:60] = np.linspace(0, 2, 20)
    with pytest.raises(GoldenDiffers) as told:
        check(tmp_path, trace(bad), update=False, abs=0.1)
    assert "from 0.041 s on" in str(told.value)
    assert "farthest off at 0.059 s: by 2 N, allowed 0.1 N" in str(told.value)


def test_a_change_may_come_a_little_later_if_that_is_allowed(tmp_path: Path) -> None:
    texts = ("Holder1", "Robot1Flange", "")
    early = trace([0] * 50 + [1] * 50, Kind.TEXT, texts)
    late = trace([0] * 53 + [1] * 47, Kind.TEXT, texts)
    check(tmp_path, early, update=True)
    check(tmp_path, late, update=False, shift_s=0.003)
    with pytest.raises(GoldenDiffers, match=r"at 0.052 s: 'Holder1' instead of 'Robot1Flange'"):
        check(tmp_path, late, update=False, shift_s=0.002)


def test_a_run_of_another_length_differs(tmp_path: Path) -> None:
    check(tmp_path, trace(np.zeros(100)), update=True, abs=1.0)
    with pytest.raises(GoldenDiffers, match="ends at tick 99, this run at tick 98"):
        check(tmp_path, trace(np.zeros(99)), update=False, abs=1.0)


def test_a_missing_file_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(GoldenDiffers, match="--twincell-update-goldens"):
        check(tmp_path, trace(np.zeros(5)), update=False)


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hidden", "a\nb"])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    goldens = Goldens(tmp_path / "goldens", update=True)
    with pytest.raises(ValueError, match="is no name of a golden trace"):
        goldens.check(name, [], Tolerance(0.1))
    assert list(tmp_path.iterdir()) == []
