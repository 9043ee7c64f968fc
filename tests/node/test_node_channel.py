"""node-opcua opens channels with every policy and mode, and renews them.

The same from asyncua's client, and what is refused: tests/conformance/test_channel_services.py
"""

import pytest

from tests.conformance.real_time import real_time
from tests.conformance.secured_cell import SECURED, SECURED_NAMES, SecuredCell
from tests.server.opcua.inside import change_limits

pytestmark = pytest.mark.asyncio(loop_scope="session")

every_policy_and_mode = pytest.mark.parametrize(("policy", "mode"), SECURED, ids=SECURED_NAMES)
ENCRYPTED = {"policy": "Basic256Sha256", "mode": "SignAndEncrypt"}


@every_policy_and_mode
@pytest.mark.parametrize("who", ["engineer", "carla", None])
async def test_a_trusted_application_logs_in_and_reads(cell: SecuredCell, tell, policy, mode, who):
    cell.tick(17)
    told = await tell("handshake", policy=policy, mode=mode.name, who=who)
    assert told == {
        "tick": 17,
        "securityPolicy": f"http://opcfoundation.org/UA/SecurityPolicy#{policy}",
        "securityMode": mode.value,
    }


async def test_an_application_that_nobody_trusts_is_refused(cell: SecuredCell, tell):
    told = await tell("handshake", application=cell.stranger, **ENCRYPTED)
    assert "refused" in told
    (kept,) = cell.folder.rejected.iterdir()
    assert kept.read_bytes() == cell.stranger.made.der


async def test_every_sample_of_1_khz_comes_in_order_while_the_channel_is_renewed(
    cell: SecuredCell, tell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, min_channel_lifetime_ms=1_000.0)
    async with real_time(cell):
        told = await tell("renewal", **ENCRYPTED, lifetime=1000, duration=4000, who="observer")
    assert told["count"] > 1000  # some 4000, but for a busy machine
    assert told["isNext"]
    assert told["renewals"] >= 3
