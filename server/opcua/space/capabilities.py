"""ServerCapabilities: tells clients what they may ask for, so that they ask for no more.

Everything else below the Server object that asyncua leaves without a value is told here as well,
or removed: some PLCs refuse to connect to a server whose mandatory variables are Null.

    OPC UA part 5, 6.3.2 (ServerCapabilitiesType), 6.3.11 (OperationLimitsType)
"""

from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace
from asyncua.server.internal_server import InternalServer
from asyncua.ua import AttributeIds, VariantType
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.space.namespaces import base_id
from twincell.server.opcua.space.unserved import remove_unserved
from twincell.server.opcua.subscription.event_filter import MOST_CLAUSES

# the largest profile of which nothing is missing; part 7 has larger ones
PROFILES = ("http://opcfoundation.org/UA-Profile/Server/MicroEmbeddedDevice2017",)
LOCALES = ("en",)


def publish_capabilities(core: InternalServer, limits: Limits, step_s: float) -> None:
    """Tell clients the limits, once, before the first of them connects."""
    remove_unserved(core.aspace)
    _tell_texts(core.aspace)
    _tell_limits(core.aspace, limits, step_s)
    _tell_operation_limits(core.aspace, limits)
    _tell_what_never_changes(core.aspace)
    _tell_arguments(core.aspace)
    _tell_standard_namespace(core.aspace)


def _tell_texts(aspace: AddressSpace) -> None:
    _set(aspace, "ServerCapabilities_ServerProfileArray", list(PROFILES), VariantType.String)
    _set(aspace, "ServerCapabilities_LocaleIdArray", list(LOCALES), VariantType.String)
    _set(aspace, "ServerCapabilities_SoftwareCertificates", [], VariantType.ExtensionObject)


def _tell_limits(aspace: AddressSpace, limits: Limits, step_s: float) -> None:
    for name, value in {
        "MaxBrowseContinuationPoints": limits.continuation_points,
        "MaxQueryContinuationPoints": 0,  # there is no Query
        "MaxHistoryContinuationPoints": 0,  # and no history
    }.items():
        _set(aspace, f"ServerCapabilities_{name}", value, VariantType.UInt16)
    for name, value in {
        "MaxArrayLength": limits.array_length,
        "MaxStringLength": limits.string_length,
        "MaxByteStringLength": limits.byte_string_length,
        "MaxSessions": limits.sessions,
        "MaxSubscriptions": limits.subscriptions,
        "MaxSubscriptionsPerSession": limits.subscriptions_per_session,
        "MaxMonitoredItems": limits.monitored_items,
        "MaxMonitoredItemsPerSubscription": limits.monitored_items_per_subscription,
        "MaxSelectClauseParameters": MOST_CLAUSES,
        "MaxWhereClauseParameters": MOST_CLAUSES,
    }.items():
        _set(aspace, f"ServerCapabilities_{name}", value, VariantType.UInt32)
    _set(aspace, "ServerCapabilities_MinSupportedSampleRate", step_s * 1e3, VariantType.Double)


def _tell_operation_limits(aspace: AddressSpace, limits: Limits) -> None:
    for name, value in {
        "MaxNodesPerRead": limits.read_nodes,
        "MaxNodesPerWrite": limits.write_nodes,
        "MaxNodesPerMethodCall": limits.call_methods,
        "MaxNodesPerBrowse": limits.browse_nodes,
        "MaxNodesPerRegisterNodes": limits.register_nodes,
        "MaxNodesPerTranslateBrowsePathsToNodeIds": limits.translate_nodes,
        "MaxMonitoredItemsPerCall": limits.monitored_item_calls,
    }.items():
        _set(aspace, f"ServerCapabilities_OperationLimits_{name}", value, VariantType.UInt32)


def _tell_what_never_changes(aspace: AddressSpace) -> None:
    _set(aspace, "Auditing", True, VariantType.Boolean)
    no_redundancy = int(ua.RedundancySupport.None_)
    _set(aspace, "ServerRedundancy_RedundancySupport", no_redundancy, VariantType.Int32)


def _tell_arguments(aspace: AddressSpace) -> None:
    """asyncua has the arguments of the standard's methods as values that are no arrays."""
    for name in ("GetMonitoredItems_Input", "GetMonitoredItems_Output", "ResendData_Input"):
        node = aspace[base_id(getattr(ObjectIds, f"Server_{name}Arguments"))]
        arguments = node.attributes[AttributeIds.Value].value.Value.Value
        _set(aspace, f"{name}Arguments", list(arguments), VariantType.ExtensionObject)


def _tell_standard_namespace(aspace: AddressSpace) -> None:
    """What we have of the standard is a part of it; our own namespaces are told as they are."""
    numbers = [int(ua.IdType.Numeric)]
    _put(aspace, "OPCUANamespaceMetadata_IsNamespaceSubset", True, VariantType.Boolean)
    _put(aspace, "OPCUANamespaceMetadata_StaticNodeIdTypes", numbers, VariantType.Int32)
    _put(aspace, "OPCUANamespaceMetadata_StaticNumericNodeIdRange", [], VariantType.String)
    _put(aspace, "OPCUANamespaceMetadata_StaticStringNodeIdPattern", "", VariantType.String)


def _set(aspace: AddressSpace, name: str, value: Any, type_: VariantType) -> None:
    """Give a variable below the Server object its value."""
    _put(aspace, f"Server_{name}", value, type_)


def _put(aspace: AddressSpace, name: str, value: Any, type_: VariantType) -> None:
    node = aspace[base_id(getattr(ObjectIds, name))]
    variant = ua.Variant(value, type_, is_array=isinstance(value, list))
    node.attributes[AttributeIds.Value].value = ua.DataValue(variant)
