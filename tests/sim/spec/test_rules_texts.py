"""Characters that nobody can see are refused wherever they stand, and are not shown in doing so."""

import pytest

from twincell.sim.spec import SpecError, load_text

CELL = """
name = "{name}"
description = "{description}"
[body."{body}"]
mass_kg = 1.0
inertia_kg_m2 = [1, 1, 1]
"""
GOOD = {"name": "Zelle 3 – Übergabe", "description": "Two\\n\\tlines.", "body": "Part"}


def mistakes(**texts: str) -> SpecError:
    with pytest.raises(SpecError) as caught:
        load_text(CELL.format(**{**GOOD, **texts}))
    assert str(caught.value).replace("\n", "").isprintable()
    return caught.value


def test_ordinary_texts_of_any_language_are_taken():
    cell = load_text(CELL.format(**GOOD))
    assert (cell.name, cell.description) == ("Zelle 3 – Übergabe", "Two\n\tlines.")


@pytest.mark.parametrize("key", ["name", "description"])
@pytest.mark.parametrize("written", ["\\u001b[31mred", "\\u009b2J", "\\u0007", "\\r", "\\u202egnp"])
def test_a_character_that_moves_the_cursor_is_refused(key, written):
    (problem,) = mistakes(**{key: written}).problems
    assert problem.key == key
    assert "which cannot be shown" in problem.text
    assert problem.hint == "leave it out"


def test_a_name_has_one_line():
    (problem,) = mistakes(name="one\\ntwo").problems
    assert problem.text == "has the character \\u000A, which cannot be shown"


@pytest.mark.parametrize("written", ["\\u001b]0;title", "Part\\u009b2J"])
def test_a_key_with_such_a_character_is_told_without_it(written):
    told = str(mistakes(body=written))
    assert "which cannot be shown" in told
