"""Rules of the whole cell, and how all rules work together on files with other mistakes."""

import pytest

from twincell.sim.spec import SpecError, load_text

CATCHABLE = """\
name = "x"
{head}
[body.Tool]
mass_kg = 1
inertia_kg_m2 = [1, 1, 1]
[constrained_object.tool1]
on = "Tool"
radius_m = 0.1
eta = {eta}
"""


def catchable(eta, head=""):
    return CATCHABLE.format(head=head, eta=eta)


def mistakes(text):
    with pytest.raises(SpecError) as caught:
        load_text(text)
    return caught.value.problems


def expect(text, line, key, words, hint):
    """The text has exactly this mistake."""
    (problem,) = mistakes(text)
    assert (problem.line, problem.key) == (line, key)
    assert words in problem.text
    assert hint in problem.hint


@pytest.mark.parametrize(
    "rest", ["", "[frame.A]\n", "[frame.A]\n[visual.V]\non='A'\nsphere.radius_m=1"]
)
def test_a_cell_in_which_nothing_can_happen_is_empty(rest):
    expect('name = "x"\n' + rest, None, "", "the cell is empty", "begin with [body.Name]")


def test_a_mover_alone_makes_a_cell():
    load_text('name = "x"\n[mover.A]\n')


def test_an_unstable_eta_is_told_as_in_the_style_guide():
    with pytest.raises(SpecError) as caught:
        load_text(catchable(5000), "config/cells/my_cell.toml")
    assert str(caught.value) == (
        "config/cells/my_cell.toml:9: constrained_object.tool1.eta: "
        "5000 is unstable with a step of 1 ms\n"
        "  hint: stay below 2785, or shorten step_s"
    )


@pytest.mark.parametrize(
    ("head", "stable", "unstable", "step", "limit"),
    [
        ("", 2784.9, 2785, "1 ms", "2785"),
        ("step_s = 0.01", 278, 279, "10 ms", "278"),
        ("step_s = 0.0005", 5569, 5571, "0.5 ms", "5570"),
        ('integrator = "semi_implicit"', 827.9, 828.1, "1 ms", "828"),
    ],
)
def test_eta_has_a_limit_for_each_integrator_and_step(head, stable, unstable, step, limit):
    load_text(catchable(stable, head))
    expect(
        catchable(unstable, head),
        9,
        "constrained_object.tool1.eta",
        f"{unstable} is unstable with a step of {step}",
        f"stay below {limit},",
    )


def test_stability_is_not_judged_while_the_step_is_wrong():
    expect(catchable(50000, "step_s = -1"), 2, "step_s", "greater than 0", "one tick")


def test_a_wrong_entry_counts_as_existing():
    text = catchable(50).replace("mass_kg = 1", "mass_kg = -1")
    expect(text, 4, "body.Tool.mass_kg", "greater than 0", "mass_kg")
