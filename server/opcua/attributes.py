"""Read and Write of attributes, as OPC UA part 4, 5.11 has them.

asyncua's own service answers every Read with the whole value and all it knows, and lets an
administrator write anything. Here a value that comes from rows is read from one row a request, and
clients write nothing but commands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.crypto.permission_rules import User, UserRole
from asyncua.server.address_space import AddressSpace, AttributeService, NodeData

from server.opcua import index_range
from server.opcua.commands import CommandWriter
from server.opcua.control import Commander
from server.opcua.values import CellValues, PinnedRow
from server.opcua.variable import Variable

THE_SERVER = User(role=UserRole.Admin)
MOST_OPERATIONS = 10_000  # of one request; ServerCapabilities say so too
READ = ua.AccessLevel.CurrentRead.mask
BINARY = ua.QualifiedName("Default Binary", 0)
WITH_SOURCE = (ua.TimestampsToReturn.Source, ua.TimestampsToReturn.Both)
WITH_SERVER = (ua.TimestampsToReturn.Server, ua.TimestampsToReturn.Both)


class CellAttributes(AttributeService):
    """The attribute service of a cell."""

    def __init__(
        self,
        aspace: AddressSpace,
        variables: Mapping[ua.NodeId, Variable],
        values: CellValues,
        commands: CommandWriter,
    ) -> None:
        super().__init__(aspace)
        self._variables = variables
        self._values = values
        self._commands = commands

    def read(self, params: ua.ReadParameters) -> list[ua.DataValue]:
        """Answer a Read request; all values of rows come from the same row."""
        check_count(params.NodesToRead)
        if params.MaxAge < 0:
            raise ServiceError(ua.StatusCodes.BadMaxAgeInvalid)
        stamps = params.TimestampsToReturn
        if stamps not in (*WITH_SOURCE, *WITH_SERVER, ua.TimestampsToReturn.Neither):
            raise ServiceError(ua.StatusCodes.BadTimestampsToReturnInvalid)
        row = self._values.pin()
        now = datetime.now(UTC) if stamps in WITH_SERVER else None
        results = []
        for wanted in params.NodesToRead:
            value = self._read_or_refuse(wanted, row)
            # a source time belongs to values only; other attributes have none
            has_source = stamps in WITH_SOURCE and wanted.AttributeId == ua.AttributeIds.Value
            results.append(_timed(value, value.SourceTimestamp if has_source else None, now))
        return results

    async def write(
        self, params: ua.WriteParameters, user: User | Commander = THE_SERVER
    ) -> list[ua.StatusCode]:
        """Write what the server itself wants written, or what a client's session may write."""
        if isinstance(user, User):
            return list(await super().write(params, user))
        check_count(params.NodesToWrite)
        return self._commands.write(params.NodesToWrite, user)

    def _read_or_refuse(self, wanted: ua.ReadValueId, row: PinnedRow) -> ua.DataValue:
        try:
            value = self._read(wanted, row)
            if value.Value is None or value.Value.VariantType is ua.VariantType.Null:
                return value
            _check_encoding(wanted, value.Value)
            if not wanted.IndexRange:
                return value
            return replace(value, Value=index_range.part_of(value.Value, wanted.IndexRange))
        except ua.uaerrors.UaStatusCodeError as refusal:
            return ua.DataValue(StatusCode=ua.StatusCode(refusal.code))

    def _read(self, wanted: ua.ReadValueId, row: PinnedRow) -> ua.DataValue:
        """The whole value of an attribute."""
        node = self._aspace.get(wanted.NodeId)
        if node is None:
            raise ua.uaerrors.BadNodeIdUnknown
        if wanted.AttributeId != ua.AttributeIds.Value:
            return self._aspace.read_attribute_value(wanted.NodeId, wanted.AttributeId)
        if not _allows_reading(node, ua.AttributeIds.AccessLevel):
            raise ua.uaerrors.BadNotReadable
        if not _allows_reading(node, ua.AttributeIds.UserAccessLevel):
            raise ua.uaerrors.BadUserAccessDenied
        variable = self._variables.get(wanted.NodeId)
        if variable is not None:
            return row.read(variable)
        return self._aspace.read_attribute_value(wanted.NodeId, ua.AttributeIds.Value)


def check_count(operations: Sequence[Any] | None) -> None:
    """Refuse a request for nothing, or for more than is answered at a time."""
    if not operations:
        raise ServiceError(ua.StatusCodes.BadNothingToDo)
    if len(operations) > MOST_OPERATIONS:
        raise ServiceError(ua.StatusCodes.BadTooManyOperations)


def _timed(value: ua.DataValue, source: datetime | None, server: datetime | None) -> ua.DataValue:
    """A value with these times; itself, which is faster, if it has them already."""
    if value.SourceTimestamp is source and value.ServerTimestamp is server:
        return value
    return ua.DataValue(value.Value, value.StatusCode, source, server)


def _allows_reading(node: NodeData, level: ua.AttributeIds) -> bool:
    """Whether an access level allows it; a VariableType has none, and may be read."""
    held = node.attributes.get(level)
    if held is None or held.value is None or held.value.Value is None:
        return True
    return bool(held.value.Value.Value & READ)


def _check_encoding(wanted: ua.ReadValueId, value: ua.Variant) -> None:
    """Only structures have encodings to choose from, and ours have one."""
    if not wanted.DataEncoding.Name:
        return
    is_structure = value.VariantType is ua.VariantType.ExtensionObject
    if wanted.AttributeId != ua.AttributeIds.Value or not is_structure:
        raise ua.uaerrors.BadDataEncodingInvalid
    if wanted.DataEncoding != BINARY:
        raise ua.uaerrors.BadDataEncodingUnsupported
