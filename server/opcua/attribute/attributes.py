"""Read and Write of attributes, as OPC UA part 4, 5.11 has them.

asyncua's own service answers every Read with the whole value and all it knows, and lets an
administrator write anything. Here a value that comes from rows is read from one row a request, and
clients read what their role allows and write nothing but commands.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Protocol

from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.server.address_space import AddressSpace, AttributeService, NodeData

from twincell.server.opcua.attribute import index_range
from twincell.server.opcua.attribute.values import CellValues, PinnedRow
from twincell.server.opcua.command.arbitration import Commander
from twincell.server.opcua.command.commands import CommandWriter
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.operations import check_count, in_portions
from twincell.server.opcua.session import rights
from twincell.server.opcua.space.variable import Variable
from twincell.server.security.roles import Role

READ = ua.AccessLevel.CurrentRead.mask
BINARY = ua.QualifiedName("Default Binary", 0)
BYTES_A_NUMBER = 8
BYTES_AN_ELEMENT = 3_000  # of an array: SessionDiagnostics, with the texts of its client
WITH_SOURCE = (ua.TimestampsToReturn.Source, ua.TimestampsToReturn.Both)
WITH_SERVER = (ua.TimestampsToReturn.Server, ua.TimestampsToReturn.Both)


class Reader(Protocol):
    """A session, as far as reading goes."""

    @property
    def role(self) -> Role:
        """What its user may do."""

    def may_read(self, node: ua.NodeId) -> bool:
        """Whether its user may see a node's value."""


class CellAttributes(AttributeService):
    """The attribute service of a cell: asyncua's for the server itself, ours for clients."""

    def __init__(
        self,
        aspace: AddressSpace,
        variables: Mapping[ua.NodeId, Variable],
        values: CellValues,
        commands: CommandWriter,
        limits: Limits,
    ) -> None:
        super().__init__(aspace)
        self._limits = limits
        self._variables = variables
        self._values = values
        self._commands = commands

    async def read_for(self, reader: Reader, params: ua.ReadParameters) -> list[ua.DataValue]:
        """Answer a client's Read request; all values of rows come from the same row."""
        check_count(params.NodesToRead, self._limits.read_nodes)
        if params.MaxAge < 0:
            raise ServiceError(ua.StatusCodes.BadMaxAgeInvalid)
        stamps = params.TimestampsToReturn
        if stamps not in (*WITH_SOURCE, *WITH_SERVER, ua.TimestampsToReturn.Neither):
            raise ServiceError(ua.StatusCodes.BadTimestampsToReturnInvalid)
        row = self._values.pin()
        now = datetime.now(UTC) if stamps in WITH_SERVER else None
        results = []
        room = self._limits.unread_bytes
        async for wanted in in_portions(params.NodesToRead):
            value = self._read_or_refuse(wanted, row, reader)
            # a source time belongs to values only; other attributes have none
            has_source = stamps in WITH_SOURCE and wanted.AttributeId == ua.AttributeIds.Value
            results.append(_timed(value, value.SourceTimestamp if has_source else None, now))
            room -= _weight(value)
            if room < 0:
                raise ServiceError(ua.StatusCodes.BadResponseTooLarge)
        return results

    def reads_signals(self, params: ua.ReadParameters) -> bool:
        """Whether a Read request wants values that come from rows."""
        value = ua.AttributeIds.Value
        wanted = params.NodesToRead or []
        return any(one.AttributeId == value and one.NodeId in self._variables for one in wanted)

    async def commanded(self, values: Sequence[ua.WriteValue]) -> list[ua.Variant | None]:
        """What the commands are now that somebody is about to write; None for all else."""
        row = self._values.pin()
        before: list[ua.Variant | None] = []
        async for value in in_portions(values):
            one = self._variables.get(value.NodeId)
            before.append(row.read(one).Value if one is not None and one.is_command else None)
        return before

    async def write_for(
        self, session: Commander, params: ua.WriteParameters
    ) -> list[ua.StatusCode]:
        """Answer a client's Write request."""
        check_count(params.NodesToWrite, self._limits.write_nodes)
        return await self._commands.write(params.NodesToWrite, session)

    def why_no_history(self, reader: Reader, node: ua.NodeId) -> int:
        """Status of a node whose history is asked for: there is none of anything."""
        if self._aspace.get(node) is None:
            return int(ua.StatusCodes.BadNodeIdUnknown)
        if not reader.may_read(node):
            return int(ua.StatusCodes.BadUserAccessDenied)
        return int(ua.StatusCodes.BadHistoryOperationUnsupported)

    def _read_or_refuse(
        self, wanted: ua.ReadValueId, row: PinnedRow, reader: Reader
    ) -> ua.DataValue:
        try:
            value = self._read(wanted, row, reader)
            if value.Value is None or value.Value.VariantType is ua.VariantType.Null:
                return value
            _check_encoding(wanted, value.Value)
            if not wanted.IndexRange:
                return value
            return replace(value, Value=index_range.part_of(value.Value, wanted.IndexRange))
        except ua.uaerrors.UaStatusCodeError as refusal:
            return ua.DataValue(StatusCode=ua.StatusCode(refusal.code))

    def _read(self, wanted: ua.ReadValueId, row: PinnedRow, reader: Reader) -> ua.DataValue:
        """The whole value of an attribute."""
        node = self._aspace.get(wanted.NodeId)
        if node is None:
            raise ua.uaerrors.BadNodeIdUnknown
        if wanted.AttributeId != ua.AttributeIds.Value:
            held = self._aspace.read_attribute_value(wanted.NodeId, wanted.AttributeId)
            return rights.for_user(held, wanted.AttributeId, wanted.NodeId, reader.role)
        if not _allows_reading(node, ua.AttributeIds.AccessLevel):
            raise ua.uaerrors.BadNotReadable
        if not reader.may_read(wanted.NodeId):
            raise ua.uaerrors.BadUserAccessDenied
        variable = self._variables.get(wanted.NodeId)
        if variable is not None:
            return row.read(variable)
        return self._aspace.read_attribute_value(wanted.NodeId, ua.AttributeIds.Value)


def _timed(value: ua.DataValue, source: datetime | None, server: datetime | None) -> ua.DataValue:
    """A value with these times; itself, which is faster, if it has them already."""
    if value.SourceTimestamp is source and value.ServerTimestamp is server:
        return value
    return ua.DataValue(value.Value, value.StatusCode, source, server)


def _weight(value: ua.DataValue) -> int:
    """How much a value adds to an answer, in bytes and not exactly: a schema has 300 kB."""
    held = value.Value.Value if value.Value is not None else None
    if isinstance(held, str | bytes):
        return len(held)
    if not isinstance(held, list) or not held:
        return 0
    return len(held) * (BYTES_A_NUMBER if isinstance(held[0], int | float) else BYTES_AN_ELEMENT)


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
