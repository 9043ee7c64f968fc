"""node-opcua browses in portions and registers nodes.

The same from asyncua's client: tests/conformance/test_view_services.py
"""

import pytest

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("most", [1, 2, 5])
async def test_a_walk_in_portions_finds_what_a_walk_at_once_finds(tell, most: int):
    told = await tell("portions", most=most)
    *full, last = told["portions"]
    assert [node for portion in told["portions"] for node in portion] == told["whole"]
    assert {len(portion) for portion in full} <= {most}
    assert 0 < len(last) <= most
    assert len(told["portions"]) > 1


async def test_a_point_is_good_once_and_until_it_is_released(tell):
    told = await tell("portions", most=1)
    invalid = "BadContinuationPointInvalid"
    assert told["spent"] == ["Good", invalid, invalid]


async def test_a_registered_node_can_be_read(tell):
    told = await tell("portions", most=1)
    assert told["registered"] == "Good"
