"""What is wrong with a cell that has devices."""

import pytest

from twincell.sim.spec import SpecError, load_text


def mistakes(text):
    """Line, key, problem and hint of everything that is wrong with a text."""
    with pytest.raises(SpecError) as caught:
        load_text(text)
    return [(p.line, p.key, p.text, p.hint) for p in caught.value.problems]
