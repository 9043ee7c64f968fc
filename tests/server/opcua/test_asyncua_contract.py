"""asyncua is as we know it: whatever we override or lean on inside it has not changed.

When a new version makes one of these fail: read what has changed there, mend server/opcua if it
must be, and only then write the new version, signature or fingerprint down here.
"""

import dataclasses
import hashlib
import inspect
from importlib.metadata import version
from typing import Any

import pytest
from asyncua import Server, ua
from asyncua.client.ua_client import UaClient, UASocketProtocol
from asyncua.common.connection import MessageChunk, SecureConnection, TransportLimits
from asyncua.common.utils import Buffer, NotEnoughData, ServiceError
from asyncua.crypto.security_policies import (
    Cryptography,
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
    SecurityPolicyFactory,
    SecurityPolicyNone,
)
from asyncua.server.address_space import (
    AddressSpace,
    AttributeService,
    AttributeValue,
    MethodService,
    NodeData,
)
from asyncua.server.internal_server import InternalServer
from asyncua.ua import ua_binary, uaprotocol_auto
from asyncua.ua.ua_binary import extensionobject_from_binary, extensionobject_to_binary

from twincell.server.opcua.wire import decoding

SIGNATURES = {
    InternalServer.__init__: "self, user_manager=",
    InternalServer.start: "async self",
    InternalServer.set_attribute_value_callback: "self, nodeid, callback, attr=",
    AttributeService.__init__: "self, aspace",
    MethodService.__init__: "self, aspace",
    AddressSpace.get: "self, nodeid",
    AddressSpace.read_attribute_value: "self, nodeid, attr",
    AddressSpace.set_attribute_value_callback: "self, nodeid, attr, callback",
    NodeData.__init__: "self, nodeid",
    AttributeValue.__init__: "self, value",
    SecureConnection.__init__: "self, security_policy, limits",
    SecureConnection.set_policy_factories: "self, policies",
    SecureConnection.message_to_binary: "self, message, message_type=, request_id=",
    SecureConnection.revolve_tokens: "self",
    SecureConnection.is_open: "self",
    SecureConnection._receive: "self, msg",
    MessageChunk.from_header_and_body: "security_policy, header, buf, use_prev_key=",
    SecurityPolicyFactory.create: "self, peer_certificate",
    SecurityPolicyFactory.matches: "self, uri, mode=",
    ua_binary.from_binary: "uatype, data",
    ua_binary.header_from_binary: "data",
    ua_binary.uatcp_to_binary: "message_type, message",
    ua_binary._reshape: "flat, dimensions",  # ours, in its place
    Buffer.__init__: "self, data, start_pos=, size=",
    Buffer.read: "self, size",
    Buffer.copy: "self, size=",
    Buffer.skip: "self, size",
    Server.__init__: "self, iserver=, user_manager=",
    Server.init: "async self, shelf_file=",
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
    SecureConnection.__init__: "0674abc2a5b86083",
    SecureConnection.open: "a5e9ac742db76661",
    SecureConnection._check_incoming_chunk: "f6c953e6be969cb7",
    SecureConnection._receive: "e24031f2ed2f65f6",
    SecureConnection.receive_from_header_and_body: "d4468ec7bf0cdd2f",
    SecureConnection.revolve_tokens: "eeabe1e8d8396a11",
    SecureConnection.message_to_binary: "dca1c22c70916ad9",
    MessageChunk.from_header_and_body: "2566aadee6ac89c7",
    decoding._reshape: "5e469d79927f4b44",
    ua_binary.variant_from_binary: "6f5e95888458c5e3",
    ua_binary.extensionobject_from_binary: "1fd0586b9b477539",
    decoding._read_array: "43247120a0d9c59c",
    Buffer: "f7e858390ac2d2fa",
    UaClient._make_protocol: "e02f3c6f21b61cda",
    UASocketProtocol.send_hello: "b06ef42c65f02165",
    UASocketProtocol._process_received_data: "85ed369eb446bd6e",
    UASocketProtocol._call_callback: "5a7b970e3b7901da",
    TransportLimits.update_client_limits: "f1fe17445d201210",
    Cryptography: "b6f046d428bdc4bb",
    SecurityPolicyBasic256Sha256: "9033de75a319912d",
    SecurityPolicyAes128Sha256RsaOaep: "016f2be324077359",
    SecurityPolicyAes256Sha256RsaPss: "1eb47faf203b9b21",
}


@pytest.mark.parametrize("part", FINGERPRINTS, ids=lambda part: part.__qualname__)
def test_what_we_do_in_its_place_has_not_changed(part: Any):
    source = inspect.getsource(part)
    assert hashlib.sha256(source.encode()).hexdigest()[:16] == FINGERPRINTS[part]


def has(thing: Any, *names: str) -> bool:
    missing = [name for name in names if not hasattr(thing, name)]
    assert not missing, f"{type(thing).__name__} has lost {missing}"
    return True


@pytest.fixture(scope="module")
def core() -> InternalServer:
    return InternalServer()


def test_a_channel_has_the_parts_we_use():
    channel = SecureConnection(SecurityPolicyNone(), TransportLimits())
    assert has(channel, "_limits", "_open", "_policies", "security_policy")
    assert has(channel, "security_token", "next_security_token", "local_nonce", "remote_nonce")
    policy = SecurityPolicyBasic256Sha256
    assert has(policy, "URI", "AsymmetricSignatureURI", "AsymmetricEncryptionURI")
    assert has(policy, "make_local_symmetric_key", "make_remote_symmetric_key")
    assert has(policy, "secure_channel_nonce_length")


def test_the_core_has_the_parts_we_use(core: InternalServer):
    assert has(core, "aspace", "disabled_clock")
    assert has(core.attribute_service, "_aspace")
    assert has(core.method_service, "_aspace")
    assert has(Server(iserver=core), "_application_uri")


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
    ua.ReferenceDescription: (
        "ReferenceTypeId IsForward NodeId BrowseName DisplayName NodeClass TypeDefinition"
    ),
    ua.BrowseResult: "StatusCode ContinuationPoint References",
    ua.BrowsePathTarget: "TargetId RemainingPathIndex",
    ua.BrowsePathResult: "StatusCode Targets",
    ua.ChannelSecurityToken: "ChannelId TokenId CreatedAt RevisedLifetime",
    ua.OpenSecureChannelResult: "ServerProtocolVersion SecurityToken ServerNonce",
    ua.CreateSessionResult: (
        "SessionId AuthenticationToken RevisedSessionTimeout ServerNonce ServerCertificate "
        "ServerEndpoints ServerSoftwareCertificates ServerSignature MaxRequestMessageSize"
    ),
    ua.ActivateSessionResult: "ServerNonce Results DiagnosticInfos",
    ua.UserTokenPolicy: "PolicyId TokenType IssuedTokenType IssuerEndpointUrl SecurityPolicyUri",
    ua.Acknowledge: (
        "ProtocolVersion ReceiveBufferSize SendBufferSize MaxMessageSize MaxChunkCount"
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
