"""The where clause of an event filter: a tree of operators over the fields of an event.

OPC UA part 4, 7.7.3: operands that cannot be compared make a comparison false; with a field that
an event does not have, the result is not known, and what is not known is not wanted.
"""

from collections.abc import Callable
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.subscription.item_rules import ItemRefused

Fields = dict[str, ua.Variant]
Operator = ua.FilterOperator
MOST_CLAUSES = 1_000  # of one filter; chosen

OPERANDS = {  # how many each operator takes
    Operator.Equals: 2,
    Operator.IsNull: 1,
    Operator.GreaterThan: 2,
    Operator.LessThan: 2,
    Operator.GreaterThanOrEqual: 2,
    Operator.LessThanOrEqual: 2,
    Operator.Not: 1,
    Operator.Between: 3,
    Operator.InList: -2,  # at least
    Operator.And: 2,
    Operator.Or: 2,
    Operator.OfType: 1,
}
COMPARE: dict[ua.FilterOperator, Callable[..., bool]] = {
    Operator.Equals: lambda a, b: a == b,
    Operator.Between: lambda a, low, high: low <= a <= high,
    Operator.GreaterThan: lambda a, b: a > b,
    Operator.LessThan: lambda a, b: a < b,
    Operator.GreaterThanOrEqual: lambda a, b: a >= b,
    Operator.LessThanOrEqual: lambda a, b: a <= b,
}
LOGIC: dict[ua.FilterOperator, Callable[..., bool | None]] = {  # None is "not known"
    Operator.Not: lambda a: None if a is None else not a,
    Operator.And: lambda a, b: False if False in (a, b) else (None if None in (a, b) else True),
    Operator.Or: lambda a, b: True if True in (a, b) else (None if None in (a, b) else False),
}


class Where:
    """A checked where clause."""

    def __init__(self, clause: ua.ContentFilter | None, aspace: AddressSpace) -> None:
        self._elements = list(clause.Elements) if clause is not None else []
        self._aspace = aspace
        if len(self._elements) > MOST_CLAUSES:
            raise ItemRefused(ua.StatusCodes.BadEventFilterInvalid)
        for number, element in enumerate(self._elements):
            self._check(number, element)

    def __len__(self) -> int:
        return len(self._elements)

    def accepts(self, fields: Fields) -> bool:
        """Whether an event is wanted."""
        # an element refers to later ones only: from the last to the first, each is worked out once
        results: list[Any] = [None] * len(self._elements)
        for number in reversed(range(len(results))):
            results[number] = self._value_of(self._elements[number], fields, results)
        return not results or bool(results[0])

    def _check(self, number: int, element: ua.ContentFilterElement) -> None:
        operands = element.FilterOperands or []
        wanted = OPERANDS.get(element.FilterOperator)
        if wanted is None:
            raise ItemRefused(ua.StatusCodes.BadFilterOperatorUnsupported)
        if len(operands) < -wanted or (wanted > 0 and len(operands) != wanted):
            raise ItemRefused(ua.StatusCodes.BadFilterOperandCountMismatch)
        for operand in operands:
            if isinstance(operand, ua.ElementOperand):
                # an element refers to later ones only, so that no circle can be written
                if not number < operand.Index < len(self._elements):
                    raise ItemRefused(ua.StatusCodes.BadFilterElementInvalid)
            elif not isinstance(operand, ua.LiteralOperand | ua.SimpleAttributeOperand):
                raise ItemRefused(ua.StatusCodes.BadFilterOperandInvalid)

    def _value_of(
        self, element: ua.ContentFilterElement, fields: Fields, results: list[Any]
    ) -> Any:
        operator = element.FilterOperator
        values = [_operand(operand, fields, results) for operand in element.FilterOperands]
        if operator is Operator.OfType:
            return self._is_of_type(fields, values[0])
        if operator is Operator.IsNull:
            return values[0] is None
        if operator is Operator.InList:
            return values[0] in values[1:]
        if operator in LOGIC:
            return LOGIC[operator](*values)
        if None in values:
            return None
        try:
            return COMPARE[operator](*values)
        except TypeError:
            return False

    def _is_of_type(self, fields: Fields, wanted: Any) -> bool:
        """Whether an event is of a type or of one below it."""
        type_: Any = fields["EventType"].Value
        while type_ is not None:
            if type_ == wanted:
                return True
            type_ = self._supertype(type_)
        return False

    def _supertype(self, type_: ua.NodeId) -> ua.NodeId | None:
        node = self._aspace.get(type_)
        for reference in node.references if node is not None else ():
            is_subtype = reference.ReferenceTypeId == ua.NodeId(ObjectIds.HasSubtype)
            if is_subtype and not reference.IsForward:
                return reference.NodeId
        return None


def _operand(operand: Any, fields: Fields, results: list[Any]) -> Any:
    if isinstance(operand, ua.ElementOperand):
        return results[operand.Index]
    if isinstance(operand, ua.LiteralOperand):
        return operand.Value.Value
    path = "/".join(name.Name or "" for name in operand.BrowsePath or [])
    variant = fields.get(path)
    return None if variant is None else variant.Value
