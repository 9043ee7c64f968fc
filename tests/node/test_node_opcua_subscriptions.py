"""node-opcua watches a cell: every sample, by the rules it asked for, whatever the client does.

The simulation is deterministic, so what arrives is held against the same cell simulated here.
"""

import base64
from pathlib import Path
from typing import Any

import numpy as np

from twincell.sim.cell import Cell
from twincell.sim.signals import Kind

CELL = Path(__file__).parents[2] / "config" / "cells" / "tool_change_single.toml"
MS = 10_000  # in units of 100 ns
OVERFLOW = 0x480


def simulated(ticks: int, closed_at: int | None = None) -> tuple[Cell, np.ndarray]:
    """The cell, and its rows from tick 0 on, when the flange closes at a tick."""
    cell = Cell.load(CELL)
    cell.ignore_timeline()
    rows = cell.run(ticks if closed_at is None else closed_at)
    if closed_at is not None:
        cell["Robot1Flange.Closed"] = True
        rows = np.concatenate([rows, cell.run(ticks - closed_at)])
    return cell, rows


def decoded(text: str, type_: str) -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), type_)


# ---------------------------------------------------------------- every sample


def test_every_sample_of_every_signal_arrives_in_order_and_bit_by_bit(play):
    told = play("samples")
    cell, rows = simulated(told["last"] + 1, told["closedAt"])
    rows = rows[told["first"] :]
    columns = told["columns"]
    assert len(rows) > 900
    assert decoded(columns["Simulation.Tick"]["values"], "f8").tolist() == list(
        range(told["first"], told["last"] + 1)
    )
    for signal in cell.signals:
        got = decoded(columns[signal.name]["values"], "f8")
        if signal.kind is Kind.STRING:
            texts = [told["texts"][int(code)] for code in got]
            assert texts == [signal.texts[int(code)] for code in rows[:, signal.column]]
        else:
            assert got.tobytes() == rows[:, signal.column].tobytes(), signal.name


def test_samples_of_a_tick_have_one_time_and_ticks_are_a_millisecond_apart(play):
    told = play("samples")
    stamps = [decoded(column["stamps"], "i8") for column in told["columns"].values()]
    assert all(np.array_equal(stamp, stamps[0]) for stamp in stamps)
    distance = np.diff(stamps[0])
    assert (distance >= MS).all()
    # steps may run ahead of the clock, which waits for nobody once the cell goes on by itself
    elsewhere = np.delete(distance, told["runsFrom"] - told["first"])
    # and where the machine held the cell up for too long, time is lost
    assert np.count_nonzero(elsewhere != MS) <= told["slips"]


def test_nothing_is_lost_and_what_was_asked_for_is_granted(play):
    told = play("samples")
    assert {tuple(revised) for revised in told["revised"]} == {(1.0, 10_000)}
    assert {column["bad"] for column in told["columns"].values()} == {0}


# ---------------------------------------------------------------- by the rules


def values_of(told: Any, name: str) -> list[Any]:
    return [value for value, _ in told["rules"]["samples"][name]]


def test_without_a_filter_for_time_only_changes_are_reported(play):
    told = play("filters")
    assert told["rules"]["samples"]["Tool1.Pose.X"] == []  # it rests
    assert "Tool1.Pose.X" in told["rules"]["first"]  # its first value came
    assert values_of(told, "Simulation.Tick") == list(range(1, told["ticks"] + 1))


def test_a_deadband_counts_from_the_value_last_reported(play):
    told = play("filters")
    cell, rows = simulated(told["ticks"] + 1)
    column = rows[:, cell.signals["Robot1.Pose.X"].column]
    reported, wanted = column[0], []
    for value in column[1:]:
        if abs(value - reported) > told["deadband"]:
            wanted.append(value)
            reported = value
    assert 2 < len(wanted) < told["ticks"]
    assert values_of(told, "Robot1.Pose.X") == wanted


def test_sampling_is_a_whole_number_of_ticks(play):
    told = play("filters")
    assert told["rules"]["revised"]["slow"]["sampling"] == 7.0
    cell, rows = simulated(told["ticks"] + 1)
    column = rows[:, cell.signals["Robot1.Velocity.X"].column].tolist()
    places = [column.index(value) for value in values_of(told, "Robot1.Velocity.X")]
    assert len(places) in (8, 9)
    assert np.diff(places).tolist() == [7] * (len(places) - 1)


def test_a_full_queue_drops_the_oldest_or_replaces_the_newest_and_says_so(play):
    told = play("filters")
    cell, rows = simulated(told["ticks"] + 1)
    queue, samples = told["queue"], told["rules"]["samples"]
    z = rows[1:, cell.signals["Robot1.Pose.Z"].column].tolist()
    speed = rows[1:, cell.signals["Robot1.Velocity.Z"].column].tolist()
    quiet = [0] * (queue - 1)
    assert samples["Robot1.Pose.Z"] == pairs(z[-queue:], [OVERFLOW, *quiet])
    assert samples["Robot1.Velocity.Z"] == pairs(
        [*speed[: queue - 1], speed[-1]], [*quiet, OVERFLOW]
    )
    assert samples["Simulation.Time"] == [[told["ticks"] / 1000, 0]]  # a queue of one has no bit


def pairs(values: list[float], statuses: list[int]) -> list[list[float]]:
    return [list(pair) for pair in zip(values, statuses, strict=True)]


def test_items_that_cannot_be_had_are_refused_one_by_one(play):
    revised = play("filters")["rules"]["revised"]
    assert revised["percent"]["status"] == "BadMonitoredItemFilterUnsupported"  # no range
    assert revised["ranged"]["status"] == "Good"
    assert revised["flag"]["status"] == "BadFilterNotAllowed"
    assert revised["unknown"]["status"] == "BadNodeIdUnknown"


def test_sampling_filter_mode_and_interval_can_change_while_items_live(play):
    told = play("filters")
    changes, ticks = told["changes"], told["ticks"]
    assert (changes["slower"]["status"], changes["slower"]["sampling"]) == ("Good", 10.0)
    assert changes["counts"] == {
        "everySample": ticks,
        "everyTenth": ticks // 10,
        "deadband": 0,
        "disabled": 0,
        "reporting": ticks + 1,  # from the newest row on
    }
    assert changes["interval"] == 1.0
    assert changes["sizes"] == [25, 25, 25, 25, 20]  # of two items


def test_an_item_that_only_samples_reports_when_its_trigger_does(play):
    told = play("filters")
    assert told["triggering"]["status"] == ["Good"]
    assert told["triggering"]["alone"] == 0
    assert told["triggering"]["linked"] >= told["ticks"]


def test_a_client_that_comes_back_learns_its_items_and_their_values(play):
    told = play("filters")["returning"]
    assert told["serverHandles"] == told["items"]
    assert told["clientHandles"] == [0, 1]
    assert told["status"] == "Good"
    assert sorted(told["again"]) == ["Simulation.Tick", "Tool1.Partner"]


# ---------------------------------------------------------------- whatever the client does


def test_a_message_can_be_had_again_until_it_is_acknowledged(play):
    told = play("delivery")["republish"]
    assert len(told["sent"][1]) == 31 * 3  # samples of three signals
    assert told["again"] == told["sent"]
    assert told["available"] == [told["sent"][0]]
    assert told["acknowledged"] == ["Good", "BadSequenceNumberUnknown"]
    assert told["left"] == [told["sent"][0] + 1]
    assert told["gone"] == told["never"] == "BadMessageNotAvailable"
    assert told["removed"] == "BadSubscriptionIdInvalid"


def test_a_subscription_goes_to_another_session_without_a_gap(play):
    told = play("delivery")["transfer"]
    assert told["there"] == told["back"] == ["Good", "BadSubscriptionIdInvalid"]
    assert told["told"] == "GoodSubscriptionTransferred"
    assert told["refused"] == "BadSubscriptionIdInvalid"
    assert [tick for ticks in told["ticks"] for tick in ticks] == list(range(81))
    assert [len(ticks) for ticks in told["ticks"]] == [21, 20, 40]


def test_a_client_that_publishes_late_gets_what_its_queues_hold(play):
    told = play("delivery")["slow"]
    assert told["all"] == list(range(told["last"] + 1))
    times = [round(value * 1000) for value, _ in told["short"]]
    assert times == list(range(told["last"] - 49, told["last"] + 1))
    assert [status for _, status in told["short"]] == [OVERFLOW] + [0] * 49


def test_a_client_that_does_not_read_holds_nobody_up_and_has_everything_later(play):
    told = play("delivery")["deaf"]
    assert told["during"] > 100  # another client saw it go on meanwhile
    assert told["all"] == list(range(told["last"] + 1))
    assert told["bad"] == 0


def test_clients_that_vanish_leave_nothing_behind_but_their_commands(play):
    told = play("vanish")
    last = told["guests"] - 1
    assert told["control"].startswith(f"session guest {last}")
    assert told["events"] == [told["control"]]
    assert told["controlThen"] == "nobody"
    assert told["closed"] is (last % 2 == 0)
    assert told["ticks"] > 50  # the cell went on
    assert set(told["left"]) == {"BadSubscriptionIdInvalid"}
