"""The select clauses of an event filter: which fields of an event a client gets, in which order.

A clause that no event can ever satisfy is reported in the result of the item, and its field is
Null. With BaseEventType the type does not matter, and clients name it for fields of other types
too: so a field is known when any type of event has it.

    OPC UA part 4, 7.22.3 (EventFilter, EventFilterResult), 7.7.4.5 (SimpleAttributeOperand)
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace
from asyncua.ua.object_ids import ObjectIds
from asyncua.ua.uaprotocol_auto import AggregateFilter, DataChangeFilter

from twincell.server.opcua.subscription.event_filter import MOST_CLAUSES
from twincell.server.opcua.subscription.item_rules import ItemRefused

BASE_EVENT = ua.NodeId(ObjectIds.BaseEventType)
CONDITION = ua.NodeId(ObjectIds.ConditionType)
HAS_SUBTYPE = ua.NodeId(ObjectIds.HasSubtype)
MEMBERS = (ua.NodeId(ObjectIds.HasProperty), ua.NodeId(ObjectIds.HasComponent))
FIELD_CLASSES = (ua.NodeClass.Object, ua.NodeClass.Variable)
GOOD = int(ua.StatusCodes.Good)
NULL = ua.Variant()


class EventFields:
    """What the types of events in an address space declare."""

    def __init__(self, aspace: AddressSpace) -> None:
        self._aspace = aspace

    def status(self, clause: ua.SimpleAttributeOperand) -> int:
        """Whether an event can have what a clause selects."""
        codes = ua.StatusCodes
        if not clause.TypeDefinitionId.is_null() and clause.TypeDefinitionId not in self._types:
            return int(codes.BadTypeDefinitionInvalid)
        if clause.AttributeId != ua.AttributeIds.Value:
            # of a condition the id, by which it is acknowledged: we have none, but it could be
            is_condition = clause.TypeDefinitionId == CONDITION and not clause.BrowsePath
            is_id = is_condition and clause.AttributeId == ua.AttributeIds.NodeId
            return GOOD if is_id else int(codes.BadAttributeIdInvalid)
        if clause.IndexRange:
            return int(codes.BadIndexRangeInvalid)  # no field is an array
        return GOOD if path_of(clause) in self._paths else int(codes.BadNodeIdUnknown)

    @cached_property
    def _types(self) -> set[ua.NodeId]:
        """All types of events: there are no new ones once the server runs."""
        found, waiting = set(), [BASE_EVENT]
        while waiting:
            type_ = waiting.pop()
            found.add(type_)
            waiting += [one.NodeId for one in self._targets(type_, (HAS_SUBTYPE,))]
        return found

    @cached_property
    def _paths(self) -> set[str]:
        """All their fields, such as Message or EnabledState/Id."""
        return {path for type_ in self._types for path in self._fields(type_, "")}

    def _fields(self, node: ua.NodeId, above: str) -> Iterator[str]:
        for member in self._targets(node, MEMBERS):
            if member.NodeClass in FIELD_CLASSES:
                path = f"{above}{member.BrowseName.Name}"
                yield path
                yield from self._fields(member.NodeId, f"{path}/")

    def _targets(
        self, node: ua.NodeId, kinds: tuple[ua.NodeId, ...]
    ) -> list[ua.ReferenceDescription]:
        held = self._aspace.get(node)
        references = held.references if held is not None else ()
        return [one for one in references if one.IsForward and one.ReferenceTypeId in kinds]


class Select:
    """Checked select clauses."""

    def __init__(self, asked: Any, fields: EventFields) -> None:
        clauses = _clauses(asked)
        self.codes = [fields.status(clause) for clause in clauses]
        pairs = zip(clauses, self.codes, strict=True)
        self._paths = [path_of(clause) if code == GOOD else "" for clause, code in pairs]

    def __len__(self) -> int:
        return len(self._paths)

    def values(self, fields: dict[str, ua.Variant]) -> list[ua.Variant]:
        """What an event has of it; Null for what it has not."""
        return [fields.get(path, NULL) for path in self._paths]

    @property
    def result(self) -> ua.EventFilterResult | None:
        """What to tell the client about its clauses; None if there is nothing to say."""
        if not any(self.codes):
            return None
        return ua.EventFilterResult(SelectClauseResults=[ua.StatusCode(one) for one in self.codes])


def path_of(clause: ua.SimpleAttributeOperand) -> str:
    """The names of a field as one text."""
    return "/".join(name.Name or "" for name in clause.BrowsePath or [])


def _clauses(asked: Any) -> list[ua.SimpleAttributeOperand]:
    """Select clauses of an EventFilter; a filter that is none, or selects nothing, is refused."""
    if isinstance(asked, DataChangeFilter | AggregateFilter):
        raise ItemRefused(ua.StatusCodes.BadFilterNotAllowed)
    if not isinstance(asked, ua.EventFilter):
        raise ItemRefused(ua.StatusCodes.BadMonitoredItemFilterInvalid)
    if not 0 < len(asked.SelectClauses or []) <= MOST_CLAUSES:
        raise ItemRefused(ua.StatusCodes.BadEventFilterInvalid)
    return list(asked.SelectClauses)
