"""View services: Browse, BrowseNext, TranslateBrowsePathsToNodeIds, RegisterNodes, UnregisterNodes.

Over a connection; every rule of them without one: tests/server/opcua/test_view_browse.py,
test_view_continuation.py and test_view_paths.py. From node-opcua: tests/node/test_node_view.py.
                                                                        OPC UA part 4, 5.8
"""

from typing import Any

import pytest
from asyncua import Client, ua

from tests.conformance.refusal import refusal
from tests.conformance.secured_cell import SecuredCell
from tests.server.opcua.raw_client import RawClient
from twincell.server.opcua.space.namespaces import base_id, cell_id

pytestmark = pytest.mark.asyncio(loop_scope="session")

CELL = cell_id("Cell")
HIERARCHICAL = base_id(ua.ObjectIds.HierarchicalReferences)
TOO_MANY = 1_001


def children(node: ua.NodeId = CELL, **changes: Any) -> ua.BrowseDescription:
    asked: dict[str, Any] = {
        "NodeId": node,
        "BrowseDirection": ua.BrowseDirection.Forward,
        "ReferenceTypeId": HIERARCHICAL,
        "IncludeSubtypes": True,
        "ResultMask": ua.BrowseResultMask.All,
    }
    return ua.BrowseDescription(**(asked | changes))


async def browse(client: Client, *asked: ua.BrowseDescription, most: int = 0) -> Any:
    parameters = ua.BrowseParameters(RequestedMaxReferencesPerNode=most, NodesToBrowse=list(asked))
    return await client.uaclient.browse(parameters)


async def browse_next(client: Client, *points: bytes, release: bool = False) -> Any:
    return await client.uaclient.browse_next(ua.BrowseNextParameters(release, list(points)))


# ---------------------------------------------------------------- Browse and BrowseNext


@pytest.mark.parametrize("most", [1, 2, 3])
async def test_a_walk_in_portions_finds_what_a_walk_at_once_finds(client: Client, most: int):
    (whole,) = await browse(client, children())
    assert whole.ContinuationPoint is None
    (part,) = await browse(client, children(), most=most)
    found, sizes = list(part.References), [len(part.References)]
    while part.ContinuationPoint:
        (part,) = await browse_next(client, part.ContinuationPoint)
        part.StatusCode.check()
        found += part.References
        sizes.append(len(part.References))
    assert found == whole.References
    assert set(sizes[:-1]) == {most}


async def test_several_walks_go_on_side_by_side(client: Client):
    nodes = [CELL, base_id(ua.ObjectIds.Server), base_id(ua.ObjectIds.TypesFolder)]
    wholes = await browse(client, *map(children, nodes))
    parts = await browse(client, *map(children, nodes), most=1)
    later = await browse_next(client, *(part.ContinuationPoint for part in parts))
    for whole, part, next_ in zip(wholes, parts, later, strict=True):
        assert part.References + next_.References == whole.References[:2]


async def test_a_point_is_good_once_for_its_own_session_and_until_it_is_released(
    cell: SecuredCell, client: Client
):
    other = await cell.client("other")
    (part,) = await browse(client, children(), most=1)
    (foreign,) = await browse_next(other, part.ContinuationPoint)
    assert foreign.StatusCode.name == "BadContinuationPointInvalid"
    (first,) = await browse_next(client, part.ContinuationPoint)
    (again,) = await browse_next(client, part.ContinuationPoint)
    assert (first.StatusCode.name, again.StatusCode.name) == ("Good", "BadContinuationPointInvalid")
    assert not await browse_next(client, first.ContinuationPoint, release=True)
    (released,) = await browse_next(client, first.ContinuationPoint)
    assert released.StatusCode.name == "BadContinuationPointInvalid"


async def test_wrong_nodes_get_their_status_and_spoil_no_other(client: Client):
    results = await browse(
        client,
        children(cell_id("Nothing")),
        children(ua.NodeId()),
        children(ReferenceTypeId=CELL),
        children(),
    )
    assert [result.StatusCode.name for result in results] == [
        "BadNodeIdUnknown",
        "BadNodeIdInvalid",
        "BadReferenceTypeIdInvalid",
        "Good",
    ]


async def test_there_are_no_views(client: Client):
    parameters = ua.BrowseParameters(ua.ViewDescription(ViewId=CELL), 0, [children()])
    assert await refusal(client.uaclient.browse(parameters)) == "BadViewIdUnknown"


# ---------------------------------------------------------------- paths and registering


async def test_a_path_leads_to_a_node_and_a_wrong_one_nowhere(client: Client):
    def path(*names: str) -> ua.BrowsePath:
        elements = [ua.RelativePathElement(HIERARCHICAL, False, True, _name(n)) for n in names]
        return ua.BrowsePath(base_id(ua.ObjectIds.ObjectsFolder), ua.RelativePath(elements))

    right, wrong, empty = await client.uaclient.translate_browsepaths_to_nodeids(
        [path("3:Cell", "2:ConstrainedObjects", "3:Tool1"), path("3:Nothing"), path()]
    )
    (target,) = right.Targets
    assert target.TargetId == cell_id("Tool1")
    assert target.RemainingPathIndex == 2**32 - 1  # of a path that was followed to its end
    assert (wrong.StatusCode.name, empty.StatusCode.name) == ("BadNoMatch", "BadNothingToDo")


async def test_a_registered_node_can_be_read_until_it_is_unregistered(client: Client):
    (alias,) = await client.uaclient.register_nodes([cell_id("Simulation.Tick")])
    assert await client.get_node(alias).read_value() == 0
    await client.uaclient.unregister_nodes([alias])


def _name(text: str) -> ua.QualifiedName:
    namespace, name = text.split(":")
    return ua.QualifiedName(name, int(namespace))


# ---------------------------------------------------------------- whole requests


@pytest.mark.parametrize(
    ("count", "status"), [(0, "BadNothingToDo"), (TOO_MANY, "BadTooManyOperations")]
)
@pytest.mark.parametrize(
    ("service", "field", "one"),
    [
        ("Browse", "NodesToBrowse", children()),
        ("BrowseNext", "ContinuationPoints", b"point"),
        ("TranslateBrowsePathsToNodeIds", "BrowsePaths", ua.BrowsePath()),
        ("RegisterNodes", "NodesToRegister", CELL),
        ("UnregisterNodes", "NodesToUnregister", CELL),
    ],
)
async def test_a_request_for_nothing_or_too_much_is_refused(
    client: Client, service: str, field: str, one: Any, count: int, status: str
):
    parameters = getattr(ua, f"{service}Parameters")(**{field: [one] * count})
    request = getattr(ua, f"{service}Request")()
    assert await refusal(RawClient(client).ask(request, parameters)) == status
