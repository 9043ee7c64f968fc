"""What a visitor's connection refuses by itself."""

import pytest

from twincell.server.client.login import Login
from twincell.server.client.mistake import Mistake
from twincell.server.web.access.user_session import UserSession
from twincell.sim.signals import Direction, Kind, Signal

NOBODY_THERE = "opc.tcp://127.0.0.1:1"


async def test_the_hand_of_who_has_logged_out_never_connects_again():
    user_session = UserSession(NOBODY_THERE, Login())
    with pytest.raises(Mistake, match="does not answer"):
        await user_session.connect()
    await user_session.close()
    with pytest.raises(Mistake, match="you are logged out"):
        await user_session.connect()


@pytest.mark.parametrize("value", [2**31, -(2**31) - 1, float("inf"), float("nan"), 1e300])
async def test_a_number_that_no_int32_holds_is_refused(value):
    signal = Signal("Gripper.Program", 0, Kind.INT32, "", Direction.COMMAND, "")
    with pytest.raises(Mistake, match=r"Gripper\.Program: .* is out of range"):
        await UserSession(NOBODY_THERE, Login()).write(signal, value)
