"""Passwords are not to be guessed, and guessing them holds nobody up."""

import time
from collections.abc import Iterator

import pytest
from asyncua import ua

from bench.attack_intruder import Intruder
from bench.ua_user import user_token
from tests.attack.besieged import PASSWORD, Besieged


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    """A cell of its own: whoever has guessed too often must wait, a minute long."""
    besieged = Besieged(tmp_path_factory.mktemp("guarded"))
    yield besieged
    besieged.end()


def test_no_name_opens_the_server_with_any_password_and_a_flood_of_them_holds_nobody_up(
    guarded: Besieged,
):
    guesses = [(name, "") for name in ("admin", "Admin", "root", "anonymous", "", "engineer\x00")]
    guesses += [("engineer", PASSWORD[:n]) for n in range(len(PASSWORD))]
    guesses += [("engineer", f"{n:08}") for n in range(80)]
    began = time.monotonic()
    with guarded.unharmed():
        for name, password in guesses:
            with Intruder(guarded.endpoint) as intruder:
                made = intruder.create_session()
                token = user_token(made.ServerCertificate, made.ServerNonce, name, password)
                with pytest.raises(ua.uaerrors.BadUserAccessDenied):
                    intruder.activate(token)
        # by now even the right one is refused: guessing on would be of no use
        with pytest.raises(ua.uaerrors.BadUserAccessDenied):
            guarded.intruder("engineer")
        with guarded.intruder() as anonymous:
            assert anonymous.lives()
    assert time.monotonic() - began < 30.0
