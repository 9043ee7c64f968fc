"""node-opcua's sessions: other users, a lost connection, and their end.

The same from asyncua's client: tests/conformance/test_session_services.py, test_session_moves.py
"""

import asyncio

import pytest

from tests.conformance.real_time import real_time
from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.inside import comes_true

pytestmark = pytest.mark.asyncio(loop_scope="session")

ENCRYPTED = {"policy": "Aes256_Sha256_RsaPss", "mode": "SignAndEncrypt"}


@pytest.mark.parametrize("channel", [{}, ENCRYPTED], ids=["None", "Aes256_Sha256_RsaPss"])
async def test_a_session_acts_for_one_user_after_the_other_and_ends(tell, channel):
    told = await tell("users", **channel)
    assert told["writes"] == {
        "observer": ["BadUserAccessDenied"],
        "operator": ["Good", "Good"],
        "carla": ["Good", "Good"],
        "anonymous": ["Good", "BadUserAccessDenied"],
    }
    assert told["wrong"] == "BadUserAccessDenied"
    assert told["same"]
    assert told["closed"] != "Good"


@pytest.mark.parametrize("channel", [{}, ENCRYPTED], ids=["None", "Aes256_Sha256_RsaPss"])
async def test_a_client_comes_back_after_its_connection_was_lost_and_has_every_sample(
    cell: SecuredCell, tell, channel
):
    async with real_time(cell):
        telling = asyncio.ensure_future(tell("reconnect", **channel, who="observer"))
        before = cell.server.subscriptions.notifications
        await comes_true(lambda: cell.server.subscriptions.notifications > before + 500)
        (connection,) = cell.server.admission.connections
        connection.transport.abort()
        told = await telling
    assert told["after"] == told["before"]  # the session and its subscription went on
    assert told["count"] >= 1000
    assert told["isNext"]
