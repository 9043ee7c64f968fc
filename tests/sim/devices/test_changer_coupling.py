"""What a coupling carries, when it breaks, and who may have the tool."""

import pytest
from changer_cell import LOCK, OTHER, WEIGHT, Changer, bench, changer
from pytest import approx


def held(**keys):
    """A changer that has held its tool in free air for long enough to be at rest."""
    text = "\n".join(f"{key} = {value}" for key, value in keys.items())
    unit = changer(closed=True, in_stand=False, keys=text)
    unit.run(10)
    return unit


def test_a_tool_at_rest_pulls_along_the_axis():
    unit = held(axial_limit_n=100.0)
    assert unit["Truth.LoadMargin"] == approx(1 - WEIGHT / 100, abs=1e-9)  # exact equilibrium


@pytest.mark.parametrize(
    "limits", [{"axial_limit_n": WEIGHT * 0.99}, {"shear_limit_n": 1.0, "axial_limit_n": 10.0}]
)
def test_beyond_its_limit_the_coupling_breaks_and_the_tool_falls(limits):
    unit = held(**limits)
    assert (unit.tool, unit.holder) == ("", "")
    unit.run(200)
    assert unit.cell["Gripper.Pose.Z"] < 0.85
    assert unit.fault == "The tool is gone though the changer is locked"
    assert (unit["Locked"], unit["Truth.LoadMargin"]) == (1, 1.0)


def test_just_within_its_limit_it_holds():
    unit = held(axial_limit_n=WEIGHT * 1.01)
    unit.run(500)
    assert unit.tool == "Gripper"


def test_a_moment_breaks_it_as_well():
    arm_m = 0.1
    on_axis = bench(closed=True, in_stand=False, keys=f"moment_limit_nm = {WEIGHT * arm_m / 2}")
    off_axis = on_axis.replace("mass_kg", f"center_of_mass_m = [{arm_m}, 0, 0]\nmass_kg")
    for text, tool in ((on_axis, "Gripper"), (off_axis, "")):
        unit = Changer(text)
        unit.run(50)
        assert unit.tool == tool


def test_a_weakened_coupling_drops_what_it_would_have_carried():
    unit = held(axial_limit_n=100.0)
    unit["Fault.WeakCoupling"] = 0.7
    unit.run(1)
    assert unit.tool == "Gripper"  # 30 N are left, and 19.6 N are needed
    assert unit["Truth.LoadMargin"] == approx(0.3 - WEIGHT / 100, abs=1e-9)
    unit["Fault.WeakCoupling"] = 0.9
    unit.run(1)
    assert (unit.tool, unit.holder) == ("", "")


def test_a_broken_coupling_does_not_catch_again_by_itself():
    unit = changer(closed=True)  # in its stand, so that the tool stays where it is
    unit["Fault.WeakCoupling"] = 1.0
    unit.run(1)
    assert (unit.tool, unit.holder) == ("", "Holder")
    # still present, but its contacts have parted
    assert (unit["ToolPresent"], unit["ToolId"], unit.state) == (1, 0, "Fault")
    assert unit.fault == "The tool is gone though the changer is locked"
    unit["Fault.WeakCoupling"] = 0.0
    unit.run(LOCK)
    assert (unit.tool, unit.holder) == ("", "Holder")


def test_two_changers_that_claim_one_tool_do_not_share_it():
    unit = changer(more=OTHER)
    unit["LockValve"] = 1
    unit.cell["Other.LockValve"] = 1
    unit.run(LOCK + 50)
    assert (unit.tool, unit.holder) == ("Gripper", "Flange")
    assert unit.cell.text("Other.Truth.Tool") == ""
    assert unit.cell["Other.ToolId"] == 0 and unit.cell["OtherFlange.IsClosed"] == 0
    assert unit.cell["Other.Truth.PistonPosition"] > 1.0  # over-travel
    # it sees the tool in front of it, but no contact is closed: it has locked nothing
    assert (unit.cell["Other.Locked"], unit.cell["Other.ToolPresent"]) == (1, 1)
    assert (unit.state, unit.cell.text("Other.State")) == ("LockedTool", "LockedEmpty")
    assert (unit.fault, unit.cell.text("Other.FaultText")) == ("", "")


def test_a_changer_never_takes_itself_to_have_the_tool_of_another():
    """The second comes later, in the air, where its interlock keeps it locked."""
    unit = changer(closed=True, in_stand=False, more=OTHER)
    unit.cell["Other.LockValve"] = 1
    rows = unit.run(LOCK + 50)
    state = unit.cell.signals["Other.State"]
    told = {state.value(code) for code in rows[:, state.column]}
    assert told == {"ReadyToLock", "Locking", "LockedEmpty"}
    assert unit.cell["Other.UnlockEnabled"] == 0  # a tool is present, and in no stand


def test_a_tool_is_handed_over_when_the_first_lets_go():
    unit = changer(more=OTHER).lock()
    unit.unlock().run(1)
    unit.cell["Other.LockValve"] = 1
    unit.run(LOCK + 1)
    assert unit.holder == "OtherFlange"


PART = """
[body.PartBody]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
position_m = [0.05, 0, 1]
[constrained_object.Part]
on = "PartBody"
radius_m = 0.1
eta = 50
"""


def test_a_changer_holds_its_tool_and_nothing_else():
    unit = changer(more=PART)
    unit.lock()
    assert unit.holder == "Flange"
    assert unit.cell.text("Part.Partner") == "Holder"  # though it touches the flange as well
