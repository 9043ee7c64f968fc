"""Bridges: every mistake in a [[bridge]] is told, with line, key, problem and hint."""

import pytest

from twincell.sim.build.compile import compile_cell
from twincell.sim.spec import SpecError, load_text

CELL = """
name = "A flange over a tool"
[frame.Rack]
[body.ToolBody]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
[collision_object.Flange]
on = "Rack"
mode = "control"
sphere = { radius_m = 0.1 }
[constrained_object.Tool]
on = "ToolBody"
radius_m = 0.1
eta = 50
"""
GOOD = """
[[bridge]]
name = "Plc"
endpoint = "opc.tcp://192.168.0.10:4840"
command = [{ node = "ns=3;s=Close", signal = "Flange.Closed" }]
feedback = [
  { node = 'nsu=urn:plc;s="Db"."Word"', signal = "Tool.Constrained", bit = 0, invert = true },
  { node = 'nsu=urn:plc;s="Db"."Word"', signal = "Flange.IsClosed", bit = 15 },
  { node = "ns=3;i=17", signal = "Tool.Force.Z", scale = 1000.0, offset = -1.0 },
  { node = "ns=3;s=Alive", signal = "Simulation.Tick" },
]
"""


def mistakes(text: str) -> list[tuple[str, str, str]]:
    """Key, problem and hint of everything that is wrong with a cell that has this bridge."""
    with pytest.raises(SpecError) as caught:
        compile_cell(load_text(CELL + text))
    assert all(problem.line for problem in caught.value.problems)
    return [(problem.key, problem.text, problem.hint) for problem in caught.value.problems]


def bridge(keys: str) -> str:
    return f'[[bridge]]\nname = "Plc"\nendpoint = "opc.tcp://plc:4840"\n{keys}\n'


def test_a_bridge_is_read_with_its_defaults():
    (one,) = load_text(CELL + GOOD).bridge
    compile_cell(load_text(CELL + GOOD))
    assert (one.name, one.security, one.mode) == ("Plc", "best", "SignAndEncrypt")
    assert (one.publishing_ms, one.user) == (5.0, None)
    assert [wire.signal for wire in one.command] == ["Flange.Closed"]
    assert [wire.bit for wire in one.feedback] == [0, 15, None, None]


@pytest.mark.parametrize(
    ("keys", "key", "problem", "hint"),
    [
        ("", "bridge[0]", "the bridge carries nothing", "give command or feedback"),
        ('password = "x"', "bridge[0].password", "unknown key", "did you mean password_env?"),
        (
            'user = "me"',
            "bridge[0].password_env",
            "missing: the user me needs a password",
            "name the variable with password_env",
        ),
        (
            'user = "me"\npassword_env = "A"\npassword_file = "b"',
            "bridge[0].password_file",
            "both are given",
            "name the variable",
        ),
        ('password_env = "A"', "bridge[0].password_env", "there is no user to log in", "give user"),
        (
            'security = "None"\nmode = "Sign"',
            "bridge[0].mode",
            'security = "None" neither signs nor encrypts',
            "leave mode out",
        ),
        (
            'security = "Basic256"',
            "bridge[0].security",
            'must be "best", "Basic256Sha256"',
            "did you mean Basic256Sha256?",
        ),
        ("publishing_ms = 0", "bridge[0].publishing_ms", "must be a number greater than 0", ""),
        (
            'command = [{ node = "s3:Close", signal = "Flange.Closed" }]',
            "bridge[0].command[0].node",
            'must be a node id such as "ns=3;s=Close"',
            "node of the controller",
        ),
        (
            'command = [{ node = "ns=3;s=A", signal = "Flange.Closed", bit = 64 }]',
            "bridge[0].command[0].bit",
            "must be a whole number of at least 0 and at most 63, not 64",
            "",
        ),
        (
            'command = [{ node = "ns=3;s=A", signal = "Flnge.Closed" }]',
            "bridge[0].command[0].signal",
            "there is no command Flnge.Closed",
            "did you mean Flange.Closed?",
        ),
        (
            'command = [{ node = "ns=3;s=A", signal = "Tool.Force.Z" }]',
            "bridge[0].command[0].signal",
            "Tool.Force.Z is a feedback: a bridge cannot carry it as command",
            "known: Flange.Closed",
        ),
        (
            'feedback = [{ node = "ns=3;s=A", signal = "Tool.Froce.Z" }]',
            "bridge[0].feedback[0].signal",
            "there is no signal Tool.Froce.Z",
            "did you mean Tool.Force.Z?",
        ),
        (
            'feedback = [{ node = "ns=3;s=A", signal = "Tool.Constrained", scale = 2.0 }]',
            "bridge[0].feedback[0].scale",
            "Tool.Constrained is a Boolean, which has no scale",
            "invert turns a Boolean round",
        ),
        (
            'feedback = [{ node = "ns=3;s=A", signal = "Tool.Force.Z", scale = 0.0 }]',
            "bridge[0].feedback[0].scale",
            "0 would make every number the same",
            "give another number",
        ),
        (
            'feedback = [{ node = "ns=3;s=A", signal = "Tool.Force.Z", bit = 1 }]',
            "bridge[0].feedback[0].bit",
            "Tool.Force.Z is a Double, not a Boolean",
            "remove it",
        ),
        (
            'feedback = [{ node = "ns=3;s=A", signal = "Tool.Partner", invert = true }]',
            "bridge[0].feedback[0].invert",
            "Tool.Partner is a String, not a Boolean",
            "remove it",
        ),
    ],
)
def test_a_mistake_is_told_with_its_key_and_a_hint(keys, key, problem, hint):
    wrong = mistakes(bridge(keys))
    assert [(k, t) for k, t, h in wrong if k == key and t.startswith(problem) and hint in h]


def test_wires_that_meet_are_told_with_the_place_of_the_first():
    wrong = mistakes(
        bridge(
            """
command = [
  { node = "ns=3;s=A", signal = "Flange.Closed" },
  { node = "ns=3;s=B", signal = "Flange.Closed" },
]
feedback = [
  { node = "ns=3;s=A", signal = "Tool.Constrained" },
  { node = "ns=3;s=W", signal = "Tool.Constrained", bit = 1 },
  { node = "ns=3;s=W", signal = "Flange.IsClosed", bit = 1 },
  { node = "ns=3;s=W", signal = "Flange.IsClosed" },
]"""
        )
    )
    assert [(key, text) for key, text, _ in wrong] == [
        (
            "bridge[0].command[1].signal",
            "Flange.Closed is written by bridge[0].command[0].signal in line 20 already",
        ),
        (
            "bridge[0].feedback[0].node",
            "ns=3;s=A is read by this bridge, and would be written by it too",
        ),
        (
            "bridge[0].feedback[2].node",
            "bit 1 of ns=3;s=W is written by bridge[0].feedback[1].node in line 25 already",
        ),
        (
            "bridge[0].feedback[3].node",
            "ns=3;s=W is written once as a whole and once bit by bit",
        ),
    ]


def test_a_bridge_needs_a_name_of_its_own():
    twice = GOOD + GOOD.replace("Flange.Closed", "Flange.Closed")
    texts = [text for _, text, _ in mistakes(twice)]
    assert "the name Plc is taken by bridge[0].name in line 17" in texts
    (wrong,) = mistakes(GOOD.replace('"Plc"', '"Tool"'))
    assert wrong[:2] == (
        "bridge[0].name",
        "the name Tool is taken by constrained_object.Tool in line 11",
    )


def test_one_bracket_instead_of_two_is_told():
    (wrong,) = mistakes(GOOD.replace("[[bridge]]", "[bridge]"))
    assert wrong[0] == "bridge"
    assert "[[bridge]], with two brackets, once for each bridge" in wrong[2]
