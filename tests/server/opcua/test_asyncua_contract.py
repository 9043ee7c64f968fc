"""asyncua is as we know it: whatever we override or lean on inside it has not changed.

When a new version makes one of these fail: read what has changed there, mend server/opcua if it
must be, and only then write the new version, signature or fingerprint down here.
"""

import dataclasses
import hashlib
import inspect
from importlib.metadata import version
from typing import Any
from unittest.mock import MagicMock

import pytest
from asyncua import Server, ua
from asyncua.common.connection import SecureConnection, TransportLimits
from asyncua.common.utils import Buffer, NotEnoughData, ServiceError
from asyncua.server.address_space import (
    AddressSpace,
    AttributeService,
    AttributeValue,
    MethodService,
    NodeData,
)
from asyncua.server.binary_server_asyncio import BinaryServer, OPCUAProtocol
from asyncua.server.internal_server import InternalServer
from asyncua.server.internal_session import InternalSession
from asyncua.server.uaprocessor import UaProcessor
from asyncua.server.user_managers import UserManager
from asyncua.ua import uaprotocol_auto
from asyncua.ua.ua_binary import extensionobject_from_binary, extensionobject_to_binary

from server.opcua.processor import OWN_SERVICES
from server.opcua.session import CellSession

SIGNATURES = {
    UaProcessor.__init__: "self, internal_server, transport, limits",
    UaProcessor.set_policies: "self, policies",
    UaProcessor.send_response: "self, requesthandle, seqhdr, response, msgtype=",
    UaProcessor._process_message: "async self, typeid, requesthdr, seqhdr, body",
    UaProcessor.process_message: "async self, seqhdr, body",
    UaProcessor.close: "async self",
    UaProcessor._should_close_session_on_transport_loss: "self",
    OPCUAProtocol.__init__: "self, iserver, policies, clients, closing_tasks, limits",
    OPCUAProtocol.connection_made: "self, transport",
    OPCUAProtocol.connection_lost: "self, ex",
    BinaryServer.__init__: "self, internal_server, hostname, port, limits",
    BinaryServer.set_policies: "self, policies",
    BinaryServer._make_protocol: "self",
    BinaryServer.start: "async self",
    BinaryServer.stop: "async self",
    BinaryServer._close_task_loop: "async self",
    InternalServer.__init__: "self, user_manager=",
    InternalServer.create_session: "self, name, user=, external=",
    InternalServer.set_attribute_value_callback: "self, nodeid, callback, attr=",
    InternalSession.__init__: "self, internal_server, aspace, submgr, name, user=, external=",
    InternalSession.create_session: "async self, params, sockname=",
    InternalSession.close_session: "async self, delete_subs=",
    InternalSession.is_activated: "self",
    InternalSession.touch: "self",
    InternalSession.read: "async self, params",
    InternalSession.write: "async self, params",
    InternalSession.call: "async self, params",
    InternalSession.create_subscription: "async self, params, callback, request_callback=",
    InternalSession.modify_subscription: "self, params",
    InternalSession.delete_subscriptions: "async self, ids",
    InternalSession.set_publishing_mode: "async self, params",
    InternalSession.transfer_subscriptions: "async self, params, callback",
    InternalSession.create_monitored_items: "async self, params",
    InternalSession.modify_monitored_items: "async self, params",
    InternalSession.delete_monitored_items: "async self, params",
    InternalSession.set_monitoring_mode: "async self, params",
    AttributeService.__init__: "self, aspace",
    AttributeService.read: "self, params",
    AttributeService.write: "async self, params, user=",
    MethodService.__init__: "self, aspace",
    MethodService.call: "async self, methods",
    MethodService._call: "async self, method",
    MethodService.stop: "self",
    AddressSpace.get: "self, nodeid",
    AddressSpace.read_attribute_value: "self, nodeid, attr",
    AddressSpace.set_attribute_value_callback: "self, nodeid, attr, callback",
    NodeData.__init__: "self, nodeid",
    AttributeValue.__init__: "self, value",
    SecureConnection.message_to_binary: "self, message, message_type=, request_id=",
    Server.__init__: "self, iserver=, user_manager=",
    Server.start: "async self",
    Server.stop: "async self",
    Server._setup_server_nodes: "async self",
    UserManager.get_user: "self, iserver, username=, password=, certificate=",
}


def signature(function: Any) -> str:
    parameters = inspect.signature(function).parameters.values()
    names = ", ".join(p.name + ("=" if p.default is not p.empty else "") for p in parameters)
    return ("async " if inspect.iscoroutinefunction(function) else "") + names


def test_the_version_is_the_one_we_know():
    assert version("asyncua") == "2.1.0"


@pytest.mark.parametrize("function", SIGNATURES, ids=lambda function: function.__qualname__)
def test_a_signature_has_not_changed(function: Any):
    assert signature(function) == SIGNATURES[function]


# what we do in its place, or count on line by line: a change there may have to be made in ours
FINGERPRINTS = {
    OPCUAProtocol.connection_made: "67ce5af61202da4f",
    BinaryServer._make_protocol: "5c0c260fe64faf4d",
    BinaryServer.start: "b994db5df7d4def9",
    Server.start: "0e7d0b97d12c9075",
    InternalServer.create_session: "20ddcc7f3bf23d2b",
    InternalSession.close_session: "e49eeda62b56742c",
    UaProcessor._should_close_session_on_transport_loss: "612283235d5dc17c",
    UaProcessor.close: "de93bcf8a4eff5c0",
}


@pytest.mark.parametrize("function", FINGERPRINTS, ids=lambda function: function.__qualname__)
def test_what_we_do_in_its_place_has_not_changed(function: Any):
    source = inspect.getsource(function)
    assert hashlib.sha256(source.encode()).hexdigest()[:16] == FINGERPRINTS[function]


def has(thing: Any, *names: str) -> bool:
    missing = [name for name in names if not hasattr(thing, name)]
    assert not missing, f"{type(thing).__name__} has lost {missing}"
    return True


@pytest.fixture(scope="module")
def core() -> InternalServer:
    return InternalServer()


def test_a_processor_has_the_parts_we_use(core: InternalServer):
    processor = UaProcessor(core, MagicMock(), TransportLimits())
    assert has(processor, "_connection", "_transport", "session", "session_last_activity", "name")
    assert isinstance(processor._connection, SecureConnection)


async def test_a_connection_has_the_parts_we_use(core: InternalServer):
    protocol = OPCUAProtocol(core, [], [], [], TransportLimits())
    assert has(protocol, "processor", "transport", "limits", "policies", "iserver", "clients")
    server = BinaryServer(core, "", 0, TransportLimits())
    assert has(server, "clients", "closing_tasks", "cleanup_task", "limits")
    assert has(server, "_server", "_policies", "iserver")


def test_the_core_has_the_parts_we_use(core: InternalServer):
    assert has(core, "aspace", "attribute_service", "method_service", "subscription_service")
    assert has(core, "asyncio_transports", "disabled_clock", "_external_sessions", "isession")
    assert has(core, "min_session_timeout_ms", "max_session_timeout_ms")
    assert has(core.attribute_service, "_aspace")
    assert has(core.method_service, "_aspace")
    server = Server(iserver=core)
    assert has(server, "bserver", "iserver", "limits", "_policies", "_application_uri")


def test_a_session_has_the_parts_we_use(core: InternalServer):
    session = core.isession
    assert has(session, "session_id", "external", "auth_token", "state", "session_timeout")
    for name, overridden in vars(CellSession).items():
        if inspect.isfunction(overridden) and not name.startswith("__"):
            assert has(InternalSession, name)
            is_async = inspect.iscoroutinefunction(getattr(InternalSession, name))
            assert inspect.iscoroutinefunction(overridden) == is_async, name


def test_nodes_hold_their_values_where_we_look(core: InternalServer):
    node = NodeData(ua.NodeId(1))
    assert has(node, "attributes", "references", "call", "nodeid")
    assert has(AttributeValue(ua.DataValue()), "value", "value_callback", "value_setter")


FIELDS = {
    ua.DataValue: "Value StatusCode SourceTimestamp ServerTimestamp",
    ua.Variant: "Value VariantType Dimensions is_array",
    ua.MonitoredItemNotification: "ClientHandle Value",
    ua.EventFieldList: "ClientHandle EventFields",
    ua.TransferResult: "StatusCode AvailableSequenceNumbers",
    ua.SubscriptionAcknowledgement: "SubscriptionId SequenceNumber",
    ua.CreateSubscriptionResult: (
        "SubscriptionId RevisedPublishingInterval RevisedLifetimeCount RevisedMaxKeepAliveCount"
    ),
    ua.ModifySubscriptionResult: (
        "RevisedPublishingInterval RevisedLifetimeCount RevisedMaxKeepAliveCount"
    ),
    ua.ThreeDVector: "X Y Z",
    ua.ThreeDCartesianCoordinates: "X Y Z",
    ua.ThreeDOrientation: "A B C",
    ua.ThreeDFrame: "CartesianCoordinates Orientation",
}


@pytest.mark.parametrize("structure", FIELDS, ids=lambda structure: structure.__name__)
def test_fields_stand_in_the_order_in_which_we_fill_them(structure: Any):
    names = [field.name for field in dataclasses.fields(structure) if field.init]
    wanted = FIELDS[structure].split()
    assert names[: len(wanted)] == wanted


def test_filters_are_decoded_to_the_classes_we_look_for():
    for filter_ in (ua.DataChangeFilter(), ua.EventFilter(), ua.AggregateFilter()):
        decoded = extensionobject_from_binary(Buffer(extensionobject_to_binary(filter_)))
        assert isinstance(decoded, getattr(uaprotocol_auto, type(filter_).__name__))


def test_errors_are_of_the_kinds_we_raise_and_catch():
    assert ServiceError(ua.StatusCodes.BadNothingToDo).code == ua.StatusCodes.BadNothingToDo
    with pytest.raises(NotEnoughData):
        Buffer(b"\0").read(2)


def test_the_services_we_answer_ourselves_are_asyncuas_types():
    for number in OWN_SERVICES:
        name = ua.ObjectIdNames[number].removesuffix("_Encoding_DefaultBinary")
        assert hasattr(ua, name)
