"""A session goes on over another channel after its connection was lost.         OPC UA part 4, 6.7

The client activates its session over a new channel of the same application, as the same user; its
subscriptions have waited. From node-opcua: tests/node/test_node_sessions.py.
"""

import pytest
from asyncua import Client, ua

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import ENCRYPT, SIGN, SecuredCell, owner
from tests.server.opcua.asking import read_value
from tests.server.opcua.inside import change_limits, comes_true
from tests.server.opcua.made_security import PASSWORD
from tests.server.opcua.raw_client import EVERY_SAMPLE, RawClient, item

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = "Simulation.Tick"


async def lose(cell: SecuredCell, raw: RawClient) -> None:
    """Cut a client's connection, as a pulled cable does once somebody notices."""
    connected = len(cell.server.admission.connections)
    raw.protocol.transport.abort()
    await comes_true(lambda: len(cell.server.admission.connections) < connected)


def hand_over(old: Client, new: Client) -> None:
    """What a client remembers of its session."""
    new._policy_ids, new._server_nonce = old._policy_ids, old._server_nonce
    new.security_policy.peer_certificate = old.security_policy.peer_certificate
    new.uaclient.session.restore_authentication_token(old.uaclient.session.authentication_token)


async def watching(cell: SecuredCell, client: Client) -> tuple[RawClient, int]:
    """A client that has heard the first tick, and the number of its subscription."""
    raw = RawClient(client)
    subscription, _ = await raw.monitored(item(TICK, 1, filter_=EVERY_SAMPLE))
    await raw.next_message()
    return raw, subscription.SubscriptionId


@pytest.mark.parametrize("policy", ["Basic256Sha256", None])
async def test_subscriptions_go_on_without_a_gap(cell: SecuredCell, policy: str | None):
    old = await (cell.secured(policy) if policy else cell.client())
    raw, _ = await watching(cell, old)
    cell.tick(100)
    await lose(cell, raw)
    cell.tick(100)
    new = await cell.opened(policy)
    hand_over(old, new)
    await new.activate_session("engineer", PASSWORD)
    again = RawClient(new)
    cell.tick(100)
    await again.listen(lambda: again.told(1)[-1:] == [300])
    assert raw.told(1) + again.told(1) == list(range(301))
    assert len(cell.server.sessions) == 1


async def test_a_message_that_was_lost_on_its_way_can_be_had_again(cell: SecuredCell):
    old = await cell.secured()
    raw, number = await watching(cell, old)
    cell.tick(50)
    lost = await raw.publish()  # and not acknowledged: it may as well not have come
    await lose(cell, raw)
    new = await cell.opened()
    hand_over(old, new)
    await new.activate_session("engineer", PASSWORD)
    sequence = lost.NotificationMessage.SequenceNumber
    response = await RawClient(new).ask(
        ua.RepublishRequest(), ua.RepublishParameters(number, sequence)
    )
    assert response.NotificationMessage == lost.NotificationMessage


async def test_a_session_leaves_a_channel_that_nobody_has_seen_end(cell: SecuredCell):
    old = await cell.secured()
    raw, _ = await watching(cell, old)
    waiting = raw.publish()
    new = await cell.opened()
    hand_over(old, new)
    await new.activate_session("engineer", PASSWORD)
    assert await refusal(waiting) == "BadSecureChannelClosed"
    assert await refusal(read_value(old, TICK)) == "BadSessionIdInvalid"
    cell.tick(10)
    again = RawClient(new)
    await again.listen(lambda: again.told(1)[-1:] == [10])
    assert again.told(1) == list(range(1, 11))


async def test_a_session_without_subscriptions_ends_with_its_connection(cell: SecuredCell):
    old = await cell.secured()
    await lose(cell, RawClient(old))
    new = await cell.opened()
    hand_over(old, new)
    assert await refusal(new.activate_session("engineer", PASSWORD)) == "BadSessionIdInvalid"


async def test_a_session_that_nobody_comes_back_for_ends_after_its_timeout(
    cell: SecuredCell, monkeypatch: pytest.MonkeyPatch
):
    change_limits(cell, monkeypatch, min_session_timeout_ms=300.0, max_session_timeout_ms=300.0)
    raw, _ = await watching(cell, await cell.secured())
    await lose(cell, raw)
    await comes_true(lambda: not len(cell.server.sessions))
    assert not cell.server.subscriptions.subscriptions


# ---------------------------------------------------------------- who may not have it


async def test_another_application_cannot_have_a_session(cell: SecuredCell, tmp_path):
    other = owner(tmp_path, "other")
    other.made.put(cell.folder.trusted)
    old = await cell.secured()
    raw, _ = await watching(cell, old)
    new = await cell.opened(application=other)
    hand_over(old, new)
    asking = new.activate_session("engineer", PASSWORD)
    assert await refusal(asking) == "BadSecurityChecksFailed"
    cell.tick()
    await raw.listen(lambda: raw.told(1)[-1:] == [1])  # its owner noticed nothing


@pytest.mark.parametrize(
    ("policy", "mode"),
    [(None, ENCRYPT), ("Aes128_Sha256_RsaOaep", ENCRYPT), ("Basic256Sha256", SIGN)],
)
async def test_a_channel_of_another_policy_or_mode_cannot_have_a_session(
    cell: SecuredCell, policy: str | None, mode: ua.MessageSecurityMode
):
    old = await cell.secured()
    await watching(cell, old)
    new = await cell.opened(policy, mode)
    hand_over(old, new)
    asking = new.activate_session("engineer", PASSWORD)
    assert await refusal(asking) == "BadSecurityChecksFailed"


async def test_another_user_cannot_have_a_session(cell: SecuredCell):
    old = await cell.secured(user="operator")
    raw, _ = await watching(cell, old)
    await lose(cell, raw)
    new = await cell.opened()
    hand_over(old, new)
    asking = new.activate_session("engineer", PASSWORD)
    assert await refusal(asking) == "BadIdentityChangeNotSupported"
    assert await refusal(new.activate_session()) == "BadIdentityChangeNotSupported"
    assert await refusal(new.activate_session("operator", PASSWORD)) == "Good"


async def test_a_session_that_is_not_active_yet_stays_where_it_was_created(cell: SecuredCell):
    old = await cell.opened()
    await old.create_session()
    new = await cell.opened()
    hand_over(old, new)
    asking = new.activate_session("engineer", PASSWORD)
    assert await refusal(asking) == "BadSecurityChecksFailed"
