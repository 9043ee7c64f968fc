"""Whoever attacks leaves enough for those who come later.

Each attack goes on while a listener comes: it hears every tick of a thousand variables. Users who
have a name get in, and an engineer can do all that engineers do.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from bench.attack_listener import Listening
from tests.attack.besieged import PASSWORD
from tests.attack.greedy_clients import GREED, Attack, event_items
from tests.attack.other_attacks import OTHERS, sessions_that_nobody_activates
from tests.attack.test_memory_attack import items, subscribe
from tests.attack.wide_cell import VARIABLES, WideCell

LOGINS = int(os.environ.get("TWINCELL_ATTACK_LOGINS", "3"))  # while each of the attacks goes on
SAMPLES = 2_000 * VARIABLES  # that the listener hears: two seconds, on a machine that has them
LISTENS = 120  # looks at them, half a second each at most


@pytest.fixture(scope="module")
def wide_cell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WideCell]:
    cell = WideCell(tmp_path_factory.mktemp("wide"))
    listening = Listening(cell.endpoint, cell.names)  # what it costs is not the attack's doing
    listening.report()
    listening.close()
    yield cell
    cell.end()


@pytest.mark.parametrize("attack", [*GREED, *OTHERS], ids=lambda attack: attack.__name__)
def test_who_comes_after_an_attack_began_loses_no_sample(wide_cell: WideCell, attack: Attack):
    assert len(set(wide_cell.names)) == VARIABLES
    # where those without a name want all that they may have, a listener needs one
    user = ("operator", PASSWORD) if attack is sessions_that_nobody_activates else None
    with wide_cell.unharmed(), ExitStack() as stack:
        attack(wide_cell, stack)
        listening = Listening(wide_cell.endpoint, wide_cell.names, user)
        stack.callback(listening.close)
        began = listening.report()
        for _ in range(LISTENS):
            heard = listening.report()
            if heard.samples - began.samples >= SAMPLES:
                break
            threading.Event().wait(0.5)
        assert heard.wrong == 0, heard.verdict
        assert heard.samples - began.samples >= SAMPLES

        for _ in range(LOGINS):
            with wide_cell.intruder("operator") as welcome:
                assert welcome.lives()
        with wide_cell.intruder("engineer") as engineer:
            number = subscribe(engineer, 100.0)
            made = engineer.ask(event_items(number, 10)).Results
            assert {one.StatusCode.name for one in made} == {"Good"}
            given = engineer.ask(items(number, 100, 16_000)).Results
            assert {one.RevisedQueueSize for one in given} == {16_000}
        assert listening.report().wrong == 0
