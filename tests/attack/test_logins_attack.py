"""Whoever has a name and a password gets in, whatever others do meanwhile."""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

import pytest
from asyncua import ua

from bench.attack_intruder import Intruder
from bench.ua_wire import ConnectionEnded
from tests.attack.beside import beside
from tests.attack.besieged import Besieged

LOGINS = 100
CROWD = 150  # sessions without a name that are wanted
PAUSE_S = 0.002  # between two requests of the flood: hundreds a second, and no core of its own


@contextmanager
def crowd(besieged: Besieged) -> Iterator[list[Intruder]]:
    """As many sessions without a name as there may be."""
    with ExitStack() as stack:
        them = []
        for _ in range(CROWD):
            one = stack.enter_context(Intruder(besieged.endpoint))
            one.create_session()
            try:
                one.activate()
            except ua.uaerrors.BadTooManySessions:
                break
            them.append(one)
        yield them


def flood_of_sessions(them: list[Intruder]) -> AbstractContextManager[None]:
    """Each of them wants one session after another, and activates none."""

    def flood(is_over: threading.Event) -> None:
        while not is_over.is_set():
            for one in them:
                try:
                    one.create_session()
                except (ua.uaerrors.BadTooManySessions, ConnectionEnded, OSError):
                    continue
                if is_over.wait(PAUSE_S):
                    return

    return beside(flood)


@pytest.mark.parametrize("user", ["engineer", "observer"])
def test_all_logins_succeed_while_others_want_session_after_session(besieged: Besieged, user: str):
    with crowd(besieged) as them, flood_of_sessions(them):
        time.sleep(1.0)  # as many wait for their login as can
        for _ in range(LOGINS // 2):
            with besieged.intruder(user) as welcome:
                assert welcome.lives()


def test_one_user_does_not_have_all_sessions(besieged: Besieged):
    with ExitStack() as stack:
        made = 0
        with pytest.raises(ua.uaerrors.BadTooManySessions):
            for _ in range(CROWD):
                stack.enter_context(besieged.intruder("observer"))
                made += 1
        assert made > 50
        for user in (None, "operator", "engineer"):
            with besieged.intruder(user) as welcome:
                assert welcome.lives()
