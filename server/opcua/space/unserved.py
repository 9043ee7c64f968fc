"""Takes out of the address space what the standard offers there and we do not serve.

asyncua begins with every node of the standard, wanted or not: history, redundancy, publishing to
brokers, key management, methods that nobody answers. A client that finds them takes them for
served. All of them are optional, so they are removed once, at the start.

    OPC UA part 5, 6.3 (ServerType, ServerCapabilitiesType, ServerDiagnosticsType)
"""

from collections.abc import Iterator

from asyncua import ua
from asyncua.server.address_space import AddressSpace
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.space.namespaces import base_id

# references from a whole to its parts
PARTS = frozenset(
    base_id(kind)
    for kind in (
        ObjectIds.HasComponent,
        ObjectIds.HasOrderedComponent,
        ObjectIds.HasProperty,
        ObjectIds.Organizes,
        ObjectIds.HasAddIn,
    )
)

_LIMITS = "Server_ServerCapabilities_OperationLimits_"

UNSERVED = tuple(
    base_id(getattr(ObjectIds, name))
    for name in (
        # methods that nobody answers
        "Server_SetSubscriptionDurable",
        "Server_RequestServerStateChange",
        # the time zone of a simulation is nobody's business; a server that ends says so itself
        "Server_LocalTime",
        "Server_EstimatedReturnTime",
        # for requests without a session
        "Server_UrisVersion",
        # who may do what is decided by the roles of users, node by node
        "OPCUANamespaceMetadata_DefaultRolePermissions",
        "OPCUANamespaceMetadata_DefaultUserRolePermissions",
        "OPCUANamespaceMetadata_DefaultAccessRestrictions",
        # history
        "HistoryServerCapabilities",
        "DefaultHAConfiguration",
        "DefaultHEConfiguration",
        f"{_LIMITS}MaxNodesPerHistoryReadData",
        f"{_LIMITS}MaxNodesPerHistoryReadEvents",
        f"{_LIMITS}MaxNodesPerHistoryUpdateData",
        f"{_LIMITS}MaxNodesPerHistoryUpdateEvents",
        # clients add no nodes
        f"{_LIMITS}MaxNodesPerNodeManagement",
        # users, roles and certificates are managed by the command line
        "Server_ServerCapabilities_RoleSet",
        "ServerConfiguration",
        # a queue has the length of the ring, and less the larger its values are
        "Server_ServerCapabilities_MaxMonitoredItemsQueueSize",
        "Server_ServerCapabilities_ConformanceUnits",
        # nothing is sampled at fixed intervals: items take their samples from rows
        "Server_ServerDiagnostics_SamplingIntervalDiagnosticsArray",
        "Server_ServerRedundancy_RedundantServerArray",
        "PublishSubscribe",
        "ServerLog",
        # folders without anything in them
        "Aliases",
        "Dictionaries",
        "Locations",
        "Quantities",
        "Resources",
    )
)


def remove_unserved(aspace: AddressSpace) -> None:
    """Remove all of it, with its parts and references."""
    removed: set[ua.NodeId] = set()
    waiting = list(UNSERVED)
    while waiting:
        node = waiting.pop()
        removed.add(node)
        waiting += [part for part in _parts(aspace, node) if _wholes(aspace, part) <= removed]
    for node in removed:
        del aspace[node]
    for node in list(aspace.keys()):
        references = aspace[node].references
        references[:] = [reference for reference in references if reference.NodeId not in removed]


def _parts(aspace: AddressSpace, node: ua.NodeId) -> Iterator[ua.NodeId]:
    for reference in aspace[node].references:
        if reference.IsForward and reference.ReferenceTypeId in PARTS:
            yield reference.NodeId


def _wholes(aspace: AddressSpace, node: ua.NodeId) -> set[ua.NodeId]:
    """Everything that a node is a part of."""
    return {
        reference.NodeId
        for reference in aspace[node].references
        if not reference.IsForward and reference.ReferenceTypeId in PARTS
    }
