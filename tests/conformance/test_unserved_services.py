"""Services that the server does not have are refused as such, and change nothing.

NodeManagement (OPC UA part 4, 5.7), Query (5.9), HistoryUpdate (5.10.5). Those of Discovery:
test_discovery_services.py. From node-opcua: tests/node/test_node_services.py.
"""

from typing import Any

import pytest
from asyncua import Client, ua

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.asking import read_value
from tests.server.opcua.raw_client import RawClient

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize(
    "request_",
    [
        ua.AddNodesRequest(),
        ua.AddReferencesRequest(),
        ua.DeleteNodesRequest(),
        ua.DeleteReferencesRequest(),
        ua.QueryFirstRequest(),
        ua.QueryNextRequest(),
        ua.HistoryUpdateRequest(),
    ],
    ids=lambda request: type(request).__name__,
)
async def test_it_is_unsupported_for_an_engineer_and_without_a_session_alike(
    cell: SecuredCell, client: Client, request_: Any
):
    assert await refusal(RawClient(client).ask(request_)) == "BadServiceUnsupported"
    stranger = RawClient(await cell.opened(None))
    assert await refusal(stranger.ask(request_)) == "BadServiceUnsupported"
    assert await read_value(client, "Simulation.Tick") == 0  # the session goes on


async def test_a_structure_that_is_no_request_is_unsupported(client: Client):
    asking = RawClient(client).ask_with_bytes(ua.ObjectIds.ReadResponse_Encoding_DefaultBinary, b"")
    assert await refusal(asking) == "BadServiceUnsupported"


async def test_a_request_that_cannot_be_decoded_is_told_so(client: Client):
    asking = RawClient(client).ask_with_bytes(ua.ObjectIds.ReadRequest_Encoding_DefaultBinary, b"")
    assert await refusal(asking) == "BadDecodingError"
