"""Switches of a large cell, packed into more than one word."""

import asyncio

import pytest
from asyncua import ua
from asyncua.server.address_space import AddressSpace, AttributeValue, NodeData

from tests.server.opcua.asking import change
from twincell.server.opcua.command.arbitration import Control
from twincell.server.opcua.command.commands import CommandWriter
from twincell.server.opcua.command.forced_commands import ForcedCommands
from twincell.server.opcua.space.layout import bits
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.opcua.space.variable import Variable
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.vitals import LoopState
from twincell.server.security.roles import Identity, Role
from twincell.sim.signals import Direction, Kind, Signal, SignalTable

N_SWITCH = 70  # two words, and six bits of a third
NODE = cell_id("Bulk.Commands")


class Session:
    session_id = ua.NodeId(1)
    client_name = "PLC"
    is_closed = False
    identity = Identity("plc", Role.OPERATOR)
    role = Role.OPERATOR
    outside_before = 0


class Switches:
    """Only the switches of a cell, all of them off."""

    def __init__(self) -> None:
        signals = SignalTable(
            Signal(f"Gripper{k}.Closed", k, Kind.BOOLEAN, "", Direction.COMMAND, "")
            for k in range(N_SWITCH)
        )
        aspace = AddressSpace()
        node = aspace[NODE] = NodeData(NODE)
        node.attributes[ua.AttributeIds.Value] = AttributeValue(ua.DataValue())
        columns = tuple(range(N_SWITCH))
        variables = {NODE: Variable("Bulk.Commands", bits(N_SWITCH), columns, (), True)}
        self.link = Link(N_SWITCH, 512)
        self.link.vitals["state"] = LoopState.RUNNING
        self.link.vitals["beat_ns"] = 2**62  # never too old
        control, forced = Control(self.link), ForcedCommands(self.link)
        self.writer = CommandWriter(aspace, variables, signals, self.link, control, forced)

    def write(self, words: list[int], index_range: str | None = None) -> str:
        wanted = change(NODE, words, ua.VariantType.UInt32, index_range)
        (status,) = asyncio.run(self.writer.write([wanted], Session()))
        return str(status.name)

    def latched(self) -> list[float]:
        values = self.link.ring.next_row()[0].copy()
        self.link.commands.latch(values)
        return list(values)


@pytest.fixture
def switches() -> Switches:
    return Switches()


def test_all_words_are_written(switches: Switches) -> None:
    assert switches.write([1, 1 << 31, 0b100001]) == "Good"
    assert [k for k, on in enumerate(switches.latched()) if on] == [0, 63, 64, 69]


@pytest.mark.parametrize(
    ("words", "text", "on"),
    [([3], "0", [0, 1]), ([1 << 31], "1", [63]), ([5], "2", [64, 66]), ([1, 1], "1:2", [32, 64])],
)
def test_some_words_are_written(
    switches: Switches, words: list[int], text: str, on: list[int]
) -> None:
    assert switches.write(words, text) == "Good"
    assert [k for k, value in enumerate(switches.latched()) if value] == on


def test_other_words_stay_as_they_are(switches: Switches) -> None:
    switches.write([0, 7, 0])
    assert switches.link.commands.waiting == N_SWITCH
    switches.link.commands.clear()
    switches.write([7], "1")
    assert switches.link.commands.waiting == 32
    switches.link.commands.clear()
    switches.write([7], "2")
    assert switches.link.commands.waiting == 6


@pytest.mark.parametrize(("words", "text"), [([0, 0, 64], None), ([64], "2"), ([0, 64], "1:2")])
def test_bits_behind_the_last_switch_must_not_be_set(
    switches: Switches, words: list[int], text: str | None
) -> None:
    assert switches.write(words, text) == "BadOutOfRange"
    assert switches.link.commands.waiting == 0
