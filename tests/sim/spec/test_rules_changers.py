"""Tool changers and tools: every mistake with its line, key, problem and hint."""

import pytest

from tests.sim.spec.device_mistakes import mistakes
from twincell.sim.build import compile_cell
from twincell.sim.spec import load_text

CELL = """\
name = "x"
frame.Rack = {}
[mover.Hand]
[body.ToolBody]
mass_kg = 1
inertia_kg_m2 = [0.01, 0.01, 0.01]
[collision_object.Flange]
on = "Hand"
mode = "control"
sphere.radius_m = 0.1
[collision_object.Holder]
on = "Rack"
sphere.radius_m = 0.1
[constrained_object.Gripper]
on = "ToolBody"
radius_m = 0.1
eta = 50
[tool.Gripper]
id = 3
[tool_stand.Stand]
holder = "Holder"
[tool_changer.Changer]
flange = "Flange"
"""


def test_a_changer_takes_what_it_is_not_told_from_its_preset():
    changer = load_text(CELL + 'preset = "small"\nstroke_s = 0.5').tool_changer["Changer"]
    assert (changer.size("stroke_s"), changer.size("moment_limit_nm")) == (0.5, 60.0)
    medium = load_text(CELL).tool_changer["Changer"]
    assert (medium.valve_delay_s, medium.size("fill_s"), medium.size("stroke_s")) == (
        0.02,
        0.08,
        0.2,
    )


def test_a_driven_flange_has_no_command_of_its_own():
    signals = compile_cell(load_text(CELL)).signals
    assert "Flange.Closed" not in signals and "Changer.LockValve" in signals
    assert [s.name for s in signals.commands] == [
        f"Changer.{name}"
        for name in (
            *("LockValve", "UnlockValve", "UnlockEnable"),
            *("ToolPowerEnable", "FaultReset", "ToolOutputs"),
        )
    ]


def test_a_driven_flange_cannot_be_commanded_as_well():
    entry = '[[timeline]]\nat_s = 0\nset = { "Flange.Closed" = true }\n'
    ((line, _, text, hint),) = mistakes(CELL + entry)
    assert line == 26
    assert text == "Flange.Closed is not a command: the tool changer Changer drives it"
    assert hint == 'set "Changer.LockValve" or "Changer.UnlockValve"'


@pytest.mark.parametrize(
    ("old", "new", "key", "text", "hint"),
    [
        (
            'flange = "Flange"',
            'flange = "Holder"',
            "tool_changer.Changer.flange",
            "Holder is passive: a tool changer opens and closes its flange",
            'write mode = "control" in collision_object.Holder',
        ),
        (
            'flange = "Flange"',
            'flange = "Flnge"',
            "tool_changer.Changer.flange",
            "there is no collision_object called Flnge",
            "did you mean Flange?",
        ),
        (
            'flange = "Flange"',
            'flange = "Gripper"',
            "tool_changer.Changer.flange",
            "Gripper is a constrained_object, not a collision_object",
            "known: Flange, Holder",
        ),
        (
            "id = 3",
            "id = 0",
            "tool.Gripper.id",
            "must be a whole number of at least 1 and at most 65535, not 0",
            "number that the tool tells the changer",
        ),
        (
            "[tool.Gripper]",
            "[tool.Griper]",
            "tool.Griper",
            "there is no constrained_object called Griper",
            "did you mean Gripper?",
        ),
        (
            "[tool.Gripper]\nid = 3\n",
            "",
            "tool_changer.Changer",
            "there is no tool that it could couple",
            "add [tool.Name], named like a constrained object",
        ),
        (
            'on = "Rack"',
            'on = "Hand"',
            "tool_stand.Stand.holder",
            "Holder shares Hand with Flange",
            "give Holder a frame of its own: a stand can be moved by a fault",
        ),
        (
            'on = "Rack"',
            'on = "ToolBody"',
            "tool_stand.Stand.holder",
            "Holder shares ToolBody with Gripper",
            "give Holder a frame of its own: a stand can be moved by a fault",
        ),
    ],
)
def test_what_a_changer_needs_is_there(old, new, key, text, hint):
    ((line, found, problem, remedy),) = mistakes(CELL.replace(old, new))
    assert (found, problem, remedy) == (key, text, hint)
    assert line


@pytest.mark.parametrize(
    ("setting", "key", "text"),
    [
        (
            "fill_s = 0.05",
            "fill_s",
            "contacts could part 0.07 s after an unlock order, under power",
        ),
        (
            "valve_delay_s = 0.01",
            "valve_delay_s",
            "contacts could part 0.09 s after an unlock order, under power",
        ),
        ("power_off_s = 0.05", "power_off_s", "0.05 s is too long for power to stay on"),
        ("stroke_time_out_s = 0.3", "stroke_time_out_s", "it takes 0.3 s when all is well"),
        ("bus_time_out_s = 1.0", "bus_time_out_s", "it takes 1 s when all is well"),
        ("power_time_out_s = 0.1", "power_time_out_s", "it takes 0.1 s when all is well"),
        ("stall_bar = 6", "stall_bar", "the piston never moves: supply_bar is 6"),
        ("ok_bar = 7", "ok_bar", "never reached: supply_bar is 6"),
        ("strok_s = 1", "strok_s", "unknown key"),
        (
            'preset = "medum"',
            "preset",
            'must be "small", "medium" or "large", not the text "medum"',
        ),
        ("signals.lockd.inverted = true", "signals.lockd", "unknown key"),
        ("signals.locked.inverted = 1", "signals.locked.inverted", "must be true or false, not 1"),
        ("gap_tolerance_m = -1", "gap_tolerance_m", "must be a number greater than 0, not -1"),
        ("supply_bar = 1e20", "supply_bar", "1e+20 is too large"),
    ],
)
def test_figures_that_cannot_be_are_told(setting, key, text):
    ((line, found, problem, hint),) = mistakes(CELL + setting + "\n")
    assert (line, found, problem) == (24, f"tool_changer.Changer.{key}", text)
    assert hint


@pytest.mark.parametrize(
    ("step_s", "setting", "key", "text", "hint"),
    [
        (
            0.01,
            "power_off_s = 0.049",
            "power_off_s",
            "0.05 s is too long for power to stay on",
            "less than 0.05 in whole steps of 0.01 s: at most 0.04",
        ),
        (
            0.02,
            "power_off_s = 0.05",
            None,  # rounded to 40 ms
            None,
            None,
        ),
        (
            0.04,
            "power_time_out_s = 2",
            "valve_delay_s",
            "contacts could part 0.08 s after an unlock order, under power",
            "valve_delay_s and fill_s are at least 0.12 s together, each in steps of 0.04 s",
        ),
        (
            0.01,
            "fill_s = 0.076",
            None,  # rounded to 80 ms
            None,
            None,
        ),
        (
            0.02,
            "stroke_time_out_s = 0.305",
            "stroke_time_out_s",
            "it takes 0.3 s when all is well",
            "give it more time",
        ),
    ],
)
def test_times_count_in_whole_steps(step_s, setting, key, text, hint):
    cell = f"step_s = {step_s}\n{CELL}{setting}\n".replace("eta = 50", "eta = 5")
    if key is None:
        assert load_text(cell)
        return
    ((line, found, problem, remedy),) = mistakes(cell)
    assert (found, problem, remedy) == (f"tool_changer.Changer.{key}", text, hint)
    assert line


@pytest.mark.parametrize(
    ("shape", "setting", "reach"),
    [
        ("sphere.radius_m = 0.1", "gap_tolerance_m = 0.2", "0.2"),
        ("sphere.radius_m = 0.1", "gap_tolerance_m = 0.5", "0.2"),
        ("rectangle = { length_m = 1, width_m = 1 }", "gap_tolerance_m = 0.1", "0.1"),
        ("rectangle = { length_m = 1, width_m = 0.003 }", 'preset = "medium"', "0.0015"),
        ("disc.radius_m = 0.05", "gap_tolerance_m = 0.05", "0.05"),
        ("cylinder = { radius_m = 0.1, length_m = 0.1 }", "gap_tolerance_m = 0.16", "0.15"),
        ("capsule = { radius_m = 0.1, length_m = 1 }", "gap_tolerance_m = 0.2", "0.2"),
        ("box.size_m = [1, 1, 0.2]", "gap_tolerance_m = 0.2", "0.2"),
    ],
)
def test_a_flange_catches_what_its_changer_may_lock(shape, setting, reach):
    ((line, key, text, hint),) = mistakes(
        CELL.replace("sphere.radius_m = 0.1", shape, 1) + setting + "\n"
    )
    gap = setting.rpartition(" ")[2] if "gap" in setting else "0.002"
    assert (line, key) == (24 if "gap" in setting else 22, "tool_changer.Changer.gap_tolerance_m")
    assert text == f"{gap} m is too far: Flange catches Gripper within {reach} m only"
    assert hint == (
        f"stay below {reach}, or enlarge collision_object.Flange or constrained_object.Gripper"
    )


def test_the_reach_is_that_of_the_smallest_tool():
    driver = '[constrained_object.Driver]\non = "ToolBody"\nradius_m = 0.05\neta = 50\n'
    cell = CELL + "gap_tolerance_m = 0.17\n"
    assert load_text(cell + driver)  # a part, not a tool
    ((_, _, text, _),) = mistakes(cell + driver + "[tool.Driver]\nid = 4\n")
    assert text == "0.17 m is too far: Flange catches Driver within 0.15 m only"


def test_two_changers_do_not_share_a_flange_and_two_tools_not_a_number():
    more = """\
[tool_changer.Other]
flange = "Flange"
[constrained_object.Driver]
on = "ToolBody"
radius_m = 0.1
eta = 50
[tool.Driver]
id = 3
"""
    assert [(line, text) for line, _, text, _ in mistakes(CELL + more)] == [
        (25, "Flange is the flange of another tool changer already"),
        (31, "3 is the number of another tool already"),
    ]


def test_the_timeline_may_set_a_changers_commands_and_levers():
    set_ = '{ "Changer.ToolOutputs" = 5, "Changer.Fault.AirLow" = 1.5, "Changer.Fault.Locked" = 2 }'
    cell = load_text(f"{CELL}[[timeline]]\nat_s = 0\nset = {set_}\n")
    assert len(cell.timeline[0].set) == 3
    ((_, _, text, _),) = mistakes(
        f'{CELL}[[timeline]]\nat_s = 0\nset = {{ "Changer.Fault.Locked" = 1.5 }}\n'
    )
    assert text == "Changer.Fault.Locked is a whole number of 32 bits, not 1.5"
    ((_, _, text, _),) = mistakes(
        f'{CELL}[[timeline]]\nat_s = 0\nset = {{ "Changer.Truth.Gap" = 1.5 }}\n'
    )
    assert "not a command" in text or "there is no command" in text


def test_a_tool_may_share_its_name_only_with_its_constrained_object():
    ((_, key, text, _),) = mistakes(CELL.replace("[tool_stand.Stand]", "[tool_stand.Gripper]"))
    assert key == "tool_stand.Gripper" and text.startswith("the name Gripper is taken by")


@pytest.mark.parametrize(
    ("lever", "value", "within"),
    [
        ("Changer.Fault.WeakCoupling", "50.0", "0 to 1"),
        ("Changer.Fault.Locked", "9", "0 to 6"),
        ("Changer.Fault.AirLow", "-1.0", "0 to 1000"),
        ("Changer.Fault.ToolIdFlip", "65536", "0 to 65535"),
        ("Changer.Fault.SlowStroke", "1e6", "0 to 1000"),
    ],
)
def test_a_lever_beyond_its_range_is_told(lever, value, within):
    """InjectFault refuses it as well: it would mean nothing."""
    timeline = f'[[timeline]]\nat_s = 0\nset = {{ "{lever}" = {value} }}\n'
    ((line, key, text, hint),) = mistakes(CELL + timeline)
    assert (line, key) == (len(CELL.splitlines()) + 3, f'timeline[0].set."{lever}"')
    assert text.startswith(f"{lever} goes from {within}, not to ")
    assert hint == f"stay in {within}"


@pytest.mark.parametrize(
    ("outputs", "jaws", "key", "text", "hint"),
    [
        ("{ Jaws = 16 }", "", "tool.Gripper.outputs.Jaws", "must be", ""),
        ("{ Jas = 0 }", "", "tool.Gripper.outputs.Jas", "there is no coll", "did you mean Jaws?"),
        ("{ Holder = 0 }", "", "tool.Gripper.outputs.Holder", "is passive", 'mode = "control"'),
        ("{ Flange = 0 }", "", "tool.Gripper.outputs.Flange", "flange of Changer", "tool's body"),
        ("{ Jaws = 0 }", "closed = true", "tool.Gripper.outputs.Jaws", "start closed", "remove"),
    ],
)
def test_what_an_output_closes_is_a_control_object_of_its_own(outputs, jaws, key, text, hint):
    wired = CELL.replace("id = 3", f"id = 3\noutputs = {outputs}")
    control = '[collision_object.Jaws]\non = "ToolBody"\nmode = "control"\nsphere.radius_m = 0.1\n'
    ((_, found, problem, remedy),) = mistakes(wired + control + jaws)
    assert found == key
    assert text in problem
    assert hint in remedy


def test_jaws_are_wired_to_one_tool():
    wired = CELL.replace("id = 3", "id = 3\noutputs.Jaws = 0")
    more = """
[collision_object.Jaws]
on = "ToolBody"
mode = "control"
sphere.radius_m = 0.1
[body.OtherBody]
mass_kg = 1
inertia_kg_m2 = [0.01, 0.01, 0.01]
[constrained_object.Driver]
on = "OtherBody"
radius_m = 0.1
eta = 50
[tool.Driver]
id = 4
outputs.Jaws = 1
"""
    ((_, key, problem, hint),) = mistakes(wired + more)
    assert key == "tool.Driver.outputs.Jaws"
    assert problem == "Jaws is wired to another tool already"
    assert "tool.Gripper.outputs.Jaws in line 20" in hint
