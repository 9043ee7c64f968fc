"""Audit events: who logged in, wrote, called, or came with a certificate that was refused.

They go to engineers who watch for events on the Server object, as they tell what others do. While
no engineer does, nothing is made. Each kind of action has so many events a second; how many more
there were is told in one of its own: so a flood of one kind buries neither the others nor the
server. Passwords are in none of them, and long values are left out, as events wait in queues.

    OPC UA part 5, 6.4.3 to 6.4.27 (types of audit events); part 4, 6.5 (auditing)
"""

import hashlib
import secrets
import time
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace
from asyncua.ua import VariantType
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.session.session import NOT_YET, Session
from twincell.server.opcua.subscription.cell_event import NORMAL, WARNING, CellEvent
from twincell.server.opcua.wire.request import Request
from twincell.server.security.certificate_refused import CertificateRefused

MOST_A_SECOND = 1_000  # events of a kind; chosen: a PLC writes fewer commands
LONGEST_TEXT = 200  # characters; chosen: names have fewer
LONGEST_LIST = 500  # elements; chosen: more than a command has
LONGEST_CERTIFICATE = 4_096  # bytes; chosen: one has 1 to 2 kB

SERVER = ua.NodeId(ObjectIds.Server)
GOOD = int(ua.StatusCodes.Good)
SHORT_TYPES = frozenset(VariantType(number) for number in range(1, 14))  # Boolean to DateTime
STRUCTURES = (ua.ThreeDFrame, ua.ThreeDVector)  # that commands may be

_Codes = ua.StatusCodes
CERTIFICATE_EVENTS = {
    _Codes.BadCertificateTimeInvalid: "AuditCertificateExpiredEventType",
    _Codes.BadCertificateIssuerTimeInvalid: "AuditCertificateExpiredEventType",
    _Codes.BadCertificateUntrusted: "AuditCertificateUntrustedEventType",
    _Codes.BadCertificateChainIncomplete: "AuditCertificateUntrustedEventType",
    _Codes.BadCertificateRevoked: "AuditCertificateRevokedEventType",
    _Codes.BadCertificateIssuerRevoked: "AuditCertificateRevokedEventType",
    _Codes.BadCertificateUseNotAllowed: "AuditCertificateMismatchEventType",
    _Codes.BadCertificateIssuerUseNotAllowed: "AuditCertificateMismatchEventType",
}

Own = dict[str, ua.Variant]


class Audit:
    """Tells what clients do."""

    def __init__(
        self,
        server_uri: str,
        aspace: AddressSpace,
        is_heard: Callable[[], bool],
        put: Callable[[CellEvent], None],
    ) -> None:
        self._server_uri = server_uri
        self._aspace = aspace
        self._is_heard = is_heard  # whether an engineer watches
        self._put = put  # to all of these
        self._second = 0  # that is being counted
        self._told: Counter[str] = Counter()  # in this second, by kind

    @property
    def is_heard(self) -> bool:
        return self._is_heard()

    def look(self) -> None:
        """Begin another second, and tell how much was left out in the last one."""
        second = int(time.monotonic())
        if second == self._second:
            return
        counted, self._told, self._second = self._told, Counter(), second
        for name, count in counted.items():
            if count > MOST_A_SECOND and self.is_heard:
                text = f"{count - MOST_A_SECOND} more of {name} in a second were not told"
                self._put(self._event("AuditEventType", SERVER, "Server", text, None, GOOD, {}))

    # ---------------------------------------------------------------- sessions

    def session_created(self, request: Request, session: Session | None, status: int) -> None:
        """CreateSession, with or without success."""
        if not self._tells("AuditCreateSessionEventType"):
            return
        channel = request.connection.channel
        certificate = channel.client_certificate or b""
        own = {
            "SecureChannelId": _string(str(channel.number)),
            "ClientCertificate": _certificate(certificate),
            "ClientCertificateThumbprint": _string(hashlib.sha1(certificate).hexdigest()),
            "RevisedSessionTimeout": _double(session.timeout_ms if session else 0.0),
            **_session_id(session),
        }
        self._tell(
            "AuditCreateSessionEventType", "Session/CreateSession", request, session, own, status
        )

    def session_activated(
        self, request: Request, session: Session | None, token: object, status: int
    ) -> None:
        """ActivateSession: somebody logged in, or did not."""
        if not self._tells("AuditActivateSessionEventType"):
            return
        own = {
            "SecureChannelId": _string(str(request.connection.channel.number)),
            "ClientUserId": _string(_user_of(token)),  # also of a login that failed
            **_session_id(session),
        }
        self._tell(
            "AuditActivateSessionEventType",
            "Session/ActivateSession",
            request,
            session,
            own,
            status,
        )

    def session_closed(self, session: Session) -> None:
        """A session of somebody who was logged in has ended, by whatever."""
        if session.user == NOT_YET or not self._tells("AuditSessionEventType"):
            return
        own = _session_id(session)
        self._tell("AuditSessionEventType", "Session/CloseSession", None, session, own, GOOD)

    # ---------------------------------------------------------------- what sessions do

    def written(
        self,
        request: Request,
        session: Session,
        values: Sequence[ua.WriteValue],
        before: Sequence[ua.Variant | None],
        results: Sequence[ua.StatusCode],
    ) -> None:
        """Write: an event for each value, good or bad."""
        for one, old, result in zip(values, before, results, strict=True):
            if not self._tells("AuditWriteUpdateEventType"):
                continue
            own = {
                "AttributeId": ua.Variant(one.AttributeId, VariantType.UInt32),
                "IndexRange": _string(one.IndexRange or ""),
                "OldValue": _short(old),
                "NewValue": _short(one.Value.Value if one.Value is not None else None),
            }
            self._tell(
                "AuditWriteUpdateEventType",
                "Attribute/Write",
                request,
                session,
                own,
                result.value,
                one.NodeId,
            )

    def called(
        self,
        request: Request,
        session: Session,
        calls: Sequence[ua.CallMethodRequest],
        results: Sequence[ua.CallMethodResult],
    ) -> None:
        """Call: an event for each method."""
        for one, result in zip(calls, results, strict=True):
            if not self._tells("AuditUpdateMethodEventType"):
                continue
            given = [_short(value) for value in (one.InputArguments or [])[:LONGEST_LIST]]
            own = {
                "MethodId": ua.Variant(self._known(one.MethodId), VariantType.NodeId),
                "InputArguments": ua.Variant(given, VariantType.Variant, is_array=True),
            }
            self._tell(
                "AuditUpdateMethodEventType",
                "Attribute/Call",
                request,
                session,
                own,
                result.StatusCode.value,
                one.ObjectId,
            )

    def certificate_refused(self, refused: CertificateRefused, chain: bytes) -> None:
        """An application came with a certificate that is not accepted."""
        name = CERTIFICATE_EVENTS.get(refused.status, "AuditCertificateInvalidEventType")
        if self._tells(name):
            own = {"Certificate": _certificate(chain)}
            self._tell(name, "Security/Certificate", None, None, own, refused.status)

    # ---------------------------------------------------------------- making them

    def _tells(self, name: str) -> bool:
        """Whether an event is to be made: somebody hears it, and there are not too many."""
        if not self.is_heard:
            return False
        self._told[name] += 1
        return self._told[name] <= MOST_A_SECOND

    def _known(self, node: ua.NodeId) -> ua.NodeId:
        """A node that there is; ids that a client made up may be long."""
        return node if node in self._aspace else ua.NodeId()

    def _tell(
        self,
        name: str,
        source: str,
        request: Request | None,
        session: Session | None,
        own: Own,
        status: int,
        node: ua.NodeId = SERVER,
    ) -> None:
        result = ua.StatusCode(status)
        who = session.identity.name if session is not None else ""
        text = f"{source}: {result.name}"
        fields = {
            "ClientUserId": _string(who),
            "ClientAuditEntryId": _string(request.header.AuditEntryId if request else ""),
            "StatusCodeId": ua.Variant(result, VariantType.StatusCode),
            **own,
        }
        self._put(self._event(name, self._known(node), source, text, session, status, fields))

    def _event(
        self,
        name: str,
        node: ua.NodeId,
        source: str,
        text: str,
        session: Session | None,
        status: int,
        own: Own,
    ) -> CellEvent:
        now = ua.Variant(datetime.now(UTC), VariantType.DateTime)
        is_good = ua.StatusCode(status).is_good()
        about = session.client_description if session is not None else None
        fields = {
            "EventId": ua.Variant(secrets.token_bytes(16), VariantType.ByteString),
            "EventType": ua.Variant(ua.NodeId(getattr(ObjectIds, name)), VariantType.NodeId),
            "SourceNode": ua.Variant(node, VariantType.NodeId),
            "SourceName": _string(source),
            "Time": now,
            "ReceiveTime": now,
            "Message": ua.Variant(ua.LocalizedText(text), VariantType.LocalizedText),
            "Severity": ua.Variant(NORMAL if is_good else WARNING, VariantType.UInt16),
            "ActionTimeStamp": now,
            "Status": ua.Variant(is_good, VariantType.Boolean),
            "ServerId": _string(self._server_uri),
            "ClientApplicationUri": _string(about.ApplicationUri if about else ""),
            "ClientUserId": _string(""),
            "ClientAuditEntryId": _string(""),
        }
        return CellEvent(name, {**fields, **own})


def _user_of(token: object) -> str:
    """Who somebody says he is; of a certificate its thumbprint."""
    if isinstance(token, ua.UserNameIdentityToken):
        return str(token.UserName or "")
    if isinstance(token, ua.X509IdentityToken):
        return hashlib.sha1(token.CertificateData or b"").hexdigest()
    return ""


def _session_id(session: Session | None) -> Own:
    if session is None:
        return {}
    return {"SessionId": ua.Variant(session.session_id, VariantType.NodeId)}


def _certificate(der: bytes) -> ua.Variant:
    return ua.Variant(der[:LONGEST_CERTIFICATE], VariantType.ByteString)


def _string(text: str | None) -> ua.Variant:
    return ua.Variant((text or "")[:LONGEST_TEXT], VariantType.String)


def _double(number: float) -> ua.Variant:
    return ua.Variant(float(number), VariantType.Double)


def _short(value: ua.Variant | None) -> ua.Variant:
    """A value, if it is as short as those of a cell are; else Null."""
    if value is not None and isinstance(value.Value, STRUCTURES):
        return value
    if value is None or value.VariantType not in SHORT_TYPES:
        return ua.Variant()
    parts: Any = value.Value if value.is_array else [value.Value]
    if parts is None or len(parts) > LONGEST_LIST or value.Dimensions:
        return ua.Variant()
    if any(isinstance(part, str) and len(part) > LONGEST_TEXT for part in parts):
        return ua.Variant()
    return value
