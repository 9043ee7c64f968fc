"""Units are told as UNECE codes, which clients know by number."""

import pytest

from twincell.server.opcua.space.space_kinds import KINDS
from twincell.server.opcua.space.units import UNECE_URI, UNITS, engineering_unit

# from the OPC Foundation's table UNECE_to_OPCUA.csv
NUMBERS = {
    "m": 5067858,
    "m/s": 5067859,
    "rad": 4405297,
    "rad/s": 12865,
    "N": 5129559,
    "N.m": 20053,
    "kg": 4933453,
    "s": 5457219,
    "ms": 4403766,
    "bar": 4342098,
    "us": 4340024,
    "1/s": 4405559,
}


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_has_the_number_that_the_standard_gives_it(unit):
    told = engineering_unit(unit)
    assert told.UnitId == NUMBERS[unit]
    assert told.NamespaceUri == UNECE_URI
    assert told.DisplayName.Text and told.Description.Text


def test_every_unit_that_a_signal_can_have_is_known():
    units = {signal.unit for kind in KINDS for signal in kind.declared_signals()}
    assert units - {""} <= set(UNITS)
