"""A state or a move out of a file reaches no kernel unless the cell can be there or do it."""

from pathlib import Path

import numpy as np
import pytest

from tests.server.recording.forged_recording import forge
from tests.server.recording.recorded_cell import replayed
from twincell.server.realtime.cell_runner import COMMANDS, NEWEST_ROW, Moment
from twincell.server.realtime.shared import journal
from twincell.server.realtime.shared.array_bytes import pack_arrays, unpack_arrays
from twincell.server.realtime.shared.journal import Entry
from twincell.server.realtime.shared.order_box import Kind
from twincell.server.recording.checked_moment import BadMoment, checked_moment, checked_move, limits
from twincell.server.recording.recording import Recording
from twincell.server.recording.replay import NotReplayable
from twincell.sim.arrays import leaves
from twincell.sim.cell import Cell
from twincell.sim.devices.tool_changer import state as tool_changer
from twincell.sim.model import NONE
from twincell.sim.motion.targets import MOVE
from twincell.sim.plan import plan_joint
from twincell.sim.signals import Kind as SignalKind

CELLS = Path(__file__).parents[3] / "config" / "cells"


@pytest.fixture(scope="module")
def cell():
    """Arms, tools and tool changers."""
    return Cell.load(CELLS / "tool_changer_atc.toml")


@pytest.fixture
def moment(cell):
    """Where it starts, as a recording holds it."""
    packed = Moment(cell.snapshot(), cell.commands.values.copy(), cell.row.copy()).packed()
    return unpack_arrays(packed)


@pytest.fixture
def plan(cell):
    start = cell.robot(next(iter(cell.spec.robot))).target
    return plan_joint(cell.compiled.arms[0], start, start + 0.1)._asdict()


def test_where_a_cell_has_been_it_can_be_again(cell, moment):
    checked = checked_moment(cell, moment)
    assert checked.is_finite
    for (_, array), (_, own) in zip(leaves(checked.state), leaves(cell.state), strict=True):
        assert array.tobytes() == own.tobytes()


def test_there_are_limits_for_every_whole_number_of_a_state(cell):
    whole = {name for name, array in leaves(cell.state) if array.dtype.kind == "i"}
    assert set(limits(cell)) == whole


def test_a_whole_number_that_is_neither_a_count_nor_limited_lets_no_state_pass(
    cell, moment, monkeypatch
):
    own = tool_changer.limits
    monkeypatch.setattr(
        tool_changer, "limits", lambda sizes: {n: b for n, b in own(sizes).items() if n != "valve"}
    )
    with pytest.raises(TypeError, match=r"devices\.tool_changer\.valve: neither a count nor"):
        checked_moment(cell, moment)


@pytest.mark.parametrize("too_much", [-(2**62), 2**62])
def test_a_whole_number_beyond_its_limits_is_named(cell, moment, too_much):
    for name in [name for name in limits(cell) if moment[name].size]:
        changed = moment[name].copy()
        changed.flat[-1] = too_much
        with pytest.raises(BadMoment, match=f"its {name} is {too_much}, which is not between"):
            checked_moment(cell, {**moment, name: changed})


@pytest.mark.parametrize(
    "name",
    [
        "partner",
        "robots.n_piece",
        "robots.n_law",
        "robots.n_waiting",
        "devices.tool_changer.coupled",
        "devices.tool_changer.valve",
    ],
)
def test_the_first_number_behind_an_array_is_beyond_it(cell, moment, name):
    moment[name][0] = limits(cell)[name][1] + 1
    with pytest.raises(BadMoment, match=f"its {name} is"):
        checked_moment(cell, moment)


def test_arrays_of_another_type_or_shape_are_refused(cell, moment):
    names = [name for name, array in leaves(cell.state) if array.size]
    for name in (*names, COMMANDS, NEWEST_ROW):
        own = moment[name]
        others = [own.astype(kind) for kind in ("f8", "f4", "i8", "i4") if own.dtype != kind]
        for changed in (*others, own[None], own[:-1]):
            with pytest.raises(BadMoment, match="another version of twincell"):
                checked_moment(cell, {**moment, name: changed})
    with pytest.raises(BadMoment, match="another version"):
        checked_moment(cell, {**moment, "more": np.zeros(1)})


def test_a_robot_that_moves_has_a_path(cell, moment):
    moment["robots.mode"][0] = MOVE
    with pytest.raises(BadMoment, match="no path"):
        checked_moment(cell, moment)


def test_nothing_holds_itself(cell, moment):
    tree = cell.model.bodies.tree[cell.model.ports.body]
    flange = int(cell.model.collision.port[0])
    # an object on the arm that carries the flange, as the cell file could have it
    port = cell.model.constrained.port.copy()
    port[0] = flange
    odd = cell.model._replace(constrained=cell.model.constrained._replace(port=port))
    moment["partner"][0] = 0
    assert tree[flange] == tree[port[0]]
    before, cell.model = cell.model, odd
    try:
        with pytest.raises(BadMoment, match="held by the body that carries it"):
            checked_moment(cell, moment)
    finally:
        cell.model = before


def test_a_text_that_there_is_not_is_refused(cell, moment):
    column = next(one.column for one in cell.signals if one.kind is SignalKind.STRING)
    for code in (-1.0, 0.5, 1e6, np.nan):
        moment[NEWEST_ROW][column] = code
        with pytest.raises(BadMoment, match="newest row"):
            checked_moment(cell, moment)


def test_a_plan_that_fits_is_taken(cell, plan):
    robot, taken = checked_move(cell, 0.0, plan)
    assert robot == 0
    assert list(taken._asdict()) == list(plan)


@pytest.mark.parametrize("robot", [-1.0, 0.5, 1e9, float("nan"), float("inf")])
def test_a_robot_that_there_is_not_is_named(cell, plan, robot):
    with pytest.raises(BadMoment, match="there is no robot"):
        checked_move(cell, robot, plan)


@pytest.mark.parametrize(
    "change",
    [
        {"knots": np.zeros(0)},
        {"knots": np.zeros(2), "pieces": np.zeros((5, 1, 4))},
        {"knots": np.zeros(130), "pieces": np.zeros((6, 129, 4))},
        {"knots": np.zeros(1), "pieces": np.zeros((6, 0, 4))},
        {"law": np.zeros((11, 5))},
        {"law": np.zeros((0, 5))},
        {"law": np.zeros(())},
        {"law": np.zeros((2, 4))},
        {"limits": np.zeros(3)},
        {"limits": np.array([1, 1])},
        {"limits": np.array([np.nan, 1.0])},
        {"more": np.zeros(1)},
    ],
)
def test_a_plan_that_does_not_fit_is_refused(cell, plan, change):
    with pytest.raises(BadMoment, match="its plan"):
        checked_move(cell, 0.0, {**plan, **change})


def packed(cell: Cell, **changes: float) -> bytes:
    arrays = {**dict(leaves(cell.state)), COMMANDS: cell.commands.values, NEWEST_ROW: cell.row}
    for name, value in changes.items():
        arrays[name] = np.full_like(arrays[name], value)
    return pack_arrays(arrays)


@pytest.mark.parametrize("kind", [journal.STATE, journal.RESTORE])
def test_a_made_up_partner_ends_a_replay_and_not_the_process(small_cell, tmp_path, kind):
    cell = Cell.load(small_cell)
    entry = Entry(0, 0, kind, 0.0, packed(cell, partner=10**9))
    path = forge(tmp_path / "forged.mcap", cell, [entry], Cell.load(small_cell).run(20))
    with pytest.raises(NotReplayable, match=f"the {kind} before row 0: its partner is 1000000000"):
        replayed(Recording(path))


def test_a_made_up_move_ends_a_replay(small_cell, tmp_path):
    cell = Cell.load(small_cell)
    entries = [Entry(0, 0, journal.BEGIN, 1.0, b""), Entry(0, 0, journal.MOVE, 7.0, b"\0\0\0\0")]
    path = forge(tmp_path / "forged.mcap", cell, entries, Cell.load(small_cell).run(20))
    with pytest.raises(NotReplayable, match="the move before row 0: there is no robot 7"):
        replayed(Recording(path))


def test_a_restored_state_without_numbers_ends_a_replay(small_cell, tmp_path):
    cell = Cell.load(small_cell)
    entry = Entry(0, 0, journal.RESTORE, 0.0, packed(cell, p_WB=np.nan))
    path = forge(tmp_path / "forged.mcap", cell, [entry], Cell.load(small_cell).run(20))
    with pytest.raises(NotReplayable, match="finite"):
        replayed(Recording(path))


def test_a_recording_that_begins_after_a_fault_replays_from_the_reset_on(recorded, exploding_cell):
    cell = recorded(exploding_cell).begin()
    cell.turn(200)
    assert cell.cell.fault
    cell.start("late")
    cell.order(Kind.RESET)
    cell.turn(2)
    cell.stop()
    replay = replayed(cell.recording("late.mcap"))
    assert replay.deviation is None
    assert (replay.compared > 0, replay.skipped) == (True, 0)


def test_nobody_is_a_partner_that_there_is(cell, moment):
    moment["partner"][:] = NONE
    checked_moment(cell, moment)
