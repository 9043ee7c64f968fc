"""ServerCapabilities tell the limits, and nothing below the Server object is Null."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from asyncua import Client, ua
from asyncua.common.utils import Buffer
from asyncua.server.address_space import AddressSpace
from asyncua.ua import AttributeIds
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.ua_binary import variant_from_binary, variant_to_binary

from tests.server.opcua.built_space import standard_space
from tests.server.opcua.standard_core import (
    OBJECTS,
    SERVER,
    TYPES_FOLDER,
    attribute,
    below,
    path,
    standard_id,
    started_core,
    variables_below,
)
from twincell import __version__
from twincell.server.opcua.diagnostic.diagnostics import Counters, Diagnostics, publish_diagnostics
from twincell.server.opcua.diagnostic.server_status import ServerStatus
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.space.capabilities import PROFILES, publish_capabilities
from twincell.server.opcua.space.namespaces import CELL_URI, TYPES_URI
from twincell.server.opcua.space.space_namespaces import PUBLISHED_AT
from twincell.server.opcua.space.unserved import UNSERVED, remove_unserved

pytestmark = pytest.mark.asyncio(loop_scope="session")

# no two limits are equal, so that none can stand in another's place
LIMITS = Limits(
    sessions=101,
    subscriptions=102,
    subscriptions_per_session=103,
    monitored_items=104,
    monitored_items_per_subscription=105,
    read_nodes=106,
    write_nodes=107,
    call_methods=108,
    browse_nodes=109,
    translate_nodes=110,
    register_nodes=111,
    monitored_item_calls=112,
    continuation_points=113,
    array_length=114,
    string_length=115,
    byte_string_length=116,
)
TOLD = {
    "MaxSessions": 101,
    "MaxSubscriptions": 102,
    "MaxSubscriptionsPerSession": 103,
    "MaxMonitoredItems": 104,
    "MaxMonitoredItemsPerSubscription": 105,
    "OperationLimits_MaxNodesPerRead": 106,
    "OperationLimits_MaxNodesPerWrite": 107,
    "OperationLimits_MaxNodesPerMethodCall": 108,
    "OperationLimits_MaxNodesPerBrowse": 109,
    "OperationLimits_MaxNodesPerTranslateBrowsePathsToNodeIds": 110,
    "OperationLimits_MaxNodesPerRegisterNodes": 111,
    "OperationLimits_MaxMonitoredItemsPerCall": 112,
    "MaxBrowseContinuationPoints": 113,
    "MaxArrayLength": 114,
    "MaxStringLength": 115,
    "MaxByteStringLength": 116,
    "MaxQueryContinuationPoints": 0,
    "MaxHistoryContinuationPoints": 0,
    "MinSupportedSampleRate": 2.0,  # ms
    "LocaleIdArray": ["en"],
    "ServerProfileArray": list(PROFILES),
    "SoftwareCertificates": [],
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def aspace() -> AsyncIterator[AddressSpace]:
    """The address space of a server to which nobody is connected."""
    async with started_core() as core:
        publish_capabilities(core, LIMITS, step_s=0.002)
        publish_diagnostics(core, Diagnostics(Counters(), [], {}))
        ServerStatus(core)
        yield core.aspace


def capability(aspace: AddressSpace, name: str) -> Any:
    node = standard_id(f"Server_ServerCapabilities_{name}")
    return attribute(aspace, node, AttributeIds.Value)


@pytest.mark.parametrize("name", TOLD)
async def test_a_capability_is_told(aspace: AddressSpace, name: str):
    assert capability(aspace, name) == TOLD[name]


async def test_nothing_else_is_claimed(aspace: AddressSpace):
    folder = "Server_ServerCapabilities"
    told = {path(node) for node in variables_below(aspace, standard_id(folder))}
    clauses = {"MaxSelectClauseParameters", "MaxWhereClauseParameters"}
    assert told == {f"{folder}_{name}" for name in {*TOLD, *clauses}}


async def test_nothing_below_the_server_is_null(aspace: AddressSpace):
    variables = list(variables_below(aspace, SERVER))
    assert len(variables) > 40
    is_null = [attribute(aspace, node, AttributeIds.Value) is None for node in variables]
    assert [path(n) for n, null in zip(variables, is_null, strict=True) if null] == []


# data types whose values are encoded as another type
ENCODED_AS = {
    ObjectIds.LocaleId: ua.VariantType.String,
    ObjectIds.Duration: ua.VariantType.Double,
    ObjectIds.UtcTime: ua.VariantType.DateTime,
    ObjectIds.ServerState: ua.VariantType.Int32,
    ObjectIds.RedundancySupport: ua.VariantType.Int32,
    ObjectIds.IdType: ua.VariantType.Int32,
    ObjectIds.NumericRange: ua.VariantType.String,
    ObjectIds.SemanticVersionString: ua.VariantType.String,
}


def encoded_as(aspace: AddressSpace, node: ua.NodeId) -> ua.VariantType:
    number = attribute(aspace, node, AttributeIds.DataType).Identifier
    if number in ENCODED_AS:
        return ENCODED_AS[number]
    simple = number <= ua.VariantType.DiagnosticInfo
    return ua.VariantType(number) if simple else ua.VariantType.ExtensionObject


async def test_every_value_below_the_server_has_the_type_and_rank_it_should(aspace: AddressSpace):
    wrong = []
    for node in variables_below(aspace, SERVER):
        value = aspace.read_attribute_value(node, AttributeIds.Value).Value
        is_array = attribute(aspace, node, AttributeIds.ValueRank) == 1
        if (value.VariantType, value.is_array) != (encoded_as(aspace, node), is_array):
            wrong.append(f"{path(node)}: {value}")
    assert wrong == []


async def test_every_value_below_the_server_can_be_sent(aspace: AddressSpace):
    for node in variables_below(aspace, SERVER):
        value = aspace.read_attribute_value(node, AttributeIds.Value).Value
        received = variant_from_binary(Buffer(variant_to_binary(value)))
        assert received.VariantType is value.VariantType, path(node)


async def test_what_is_not_served_is_not_found(aspace: AddressSpace):
    assert not [path(node) for node in UNSERVED if node in aspace]
    names = {path(node) for node in below(aspace, OBJECTS)}
    for word in ("HistoryServer", "PubSub", "PublishSubscribe", "RoleSet", "Certificate", "Alias"):
        assert not [name for name in names if word in name and "SoftwareCert" not in name]


async def test_no_method_is_left_that_nobody_answers(aspace: AddressSpace):
    methods = [
        path(node)
        for node in below(aspace, OBJECTS)
        if attribute(aspace, node, AttributeIds.NodeClass) == ua.NodeClass.Method
    ]
    # tests/server/opcua/test_subscription_methods.py calls them
    assert sorted(methods) == ["Server_GetMonitoredItems", "Server_ResendData"]


async def test_types_lose_nothing_and_no_reference_leads_to_what_was_removed():
    aspace = standard_space()
    before, types = set(aspace.keys()), below(aspace, TYPES_FOLDER)
    objects = below(aspace, OBJECTS)
    remove_unserved(aspace)
    after = set(aspace.keys())
    removed = before - after
    assert len(removed) > 300
    assert below(aspace, TYPES_FOLDER) == types
    assert below(aspace, OBJECTS) == objects - removed
    assert not [path(n) for n in after for r in aspace[n].references if r.NodeId in removed]


async def test_every_namespace_with_nodes_of_the_model_is_told_of(client: Client):
    folder = client.get_node(standard_id("Server_Namespaces"))
    known = await client.get_namespace_array()
    told = {}
    for one in await folder.get_children():
        name = await one.read_browse_name()
        values = {
            (await part.read_browse_name()).Name: await part.read_value()
            for part in await one.get_properties()
        }
        assert known[name.NamespaceIndex] == values["NamespaceUri"] == name.Name
        told[name.Name] = values
    assert set(told) == {known[0], TYPES_URI, CELL_URI}
    for uri in (TYPES_URI, CELL_URI):
        assert told[uri]["NamespaceVersion"] == __version__
        assert told[uri]["NamespacePublicationDate"] == PUBLISHED_AT
        assert told[uri]["IsNamespaceSubset"] is False
    assert told[known[0]]["IsNamespaceSubset"] is True  # some of the standard is not served
    assert told[TYPES_URI]["StaticNodeIdTypes"] == [ua.IdType.String]
    assert told[CELL_URI]["StaticNodeIdTypes"] == []  # the next cell has others
