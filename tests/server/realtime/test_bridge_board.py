"""What went wrong with a bridge, as everybody reads it."""

import numpy as np
import pytest

from twincell.server.realtime.shared.bridge_board import BRIDGE, TEXT, BridgeState


@pytest.fixture
def bridge() -> BridgeState:
    return BridgeState("Plc1", np.zeros(1, BRIDGE), 0)


def test_words_of_a_controller_move_no_cursor(bridge: BridgeState):
    bridge.error = "no\x1b[2Jbody\u202e is\x00 there\r\n"
    assert bridge.error == "no[2Jbody is there"


def test_a_long_text_is_cut_between_two_characters(bridge: BridgeState):
    bridge.error = "ü" * TEXT + "\ud800"
    assert bridge.error == "ü" * (TEXT // 2)


def test_half_a_character_at_the_end_is_left_out(bridge: BridgeState):
    bridge.error = "." + "ü" * TEXT
    assert bridge.error == "." + "ü" * (TEXT // 2 - 1)
