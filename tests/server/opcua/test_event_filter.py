"""Where clauses: which events a client wants."""

import time
from typing import Any

import pytest
from asyncua import ua
from asyncua.server.address_space import AddressSpace, NodeData
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.subscription.event_filter import MOST_CLAUSES, Where
from twincell.server.opcua.subscription.item_rules import ItemRefused

Op = ua.FilterOperator
BASE, ATTACHED = ua.NodeId(ObjectIds.BaseEventType), ua.NodeId("ToolAttached", 2)
ELSEWHERE = ua.NodeId(ObjectIds.AuditEventType)
FIELDS = {
    "EventType": ua.Variant(ATTACHED),
    "Severity": ua.Variant(300, ua.VariantType.UInt16),
    "SourceName": ua.Variant("Tool1"),
    "Tick": ua.Variant(4012, ua.VariantType.Int64),
    "Nothing": ua.Variant(),
}


def field(name: str) -> ua.SimpleAttributeOperand:
    path = [ua.QualifiedName(part) for part in name.split("/")]
    return ua.SimpleAttributeOperand(BrowsePath=path, AttributeId=ua.AttributeIds.Value)


def literal(value: Any) -> ua.LiteralOperand:
    return ua.LiteralOperand(ua.Variant(value))


def element(operator: ua.FilterOperator, *operands: Any) -> ua.ContentFilterElement:
    return ua.ContentFilterElement(operator, list(operands))


def later(index: int) -> ua.ElementOperand:
    return ua.ElementOperand(index)


@pytest.fixture(scope="module")
def aspace() -> AddressSpace:
    """Two types, one below the other."""
    space = AddressSpace()
    for node in (BASE, ATTACHED, ELSEWHERE):
        space[node] = NodeData(node)
    up = ua.ReferenceDescription()
    up.ReferenceTypeId, up.IsForward, up.NodeId = ua.NodeId(ObjectIds.HasSubtype), False, BASE
    space[ATTACHED].references.append(up)
    return space


def accepts(aspace: AddressSpace, *elements: ua.ContentFilterElement) -> bool:
    return Where(ua.ContentFilter(list(elements)), aspace).accepts(FIELDS)


def test_no_clause_wants_everything(aspace: AddressSpace):
    assert Where(None, aspace).accepts(FIELDS)
    assert accepts(aspace)


@pytest.mark.parametrize(
    ("operator", "operands", "wanted"),
    [
        (Op.Equals, [field("SourceName"), literal("Tool1")], True),
        (Op.Equals, [field("SourceName"), literal("Tool2")], False),
        (Op.Equals, [field("SourceName"), literal(1)], False),
        (Op.GreaterThan, [field("Severity"), literal(299)], True),
        (Op.GreaterThan, [field("Severity"), literal(300)], False),
        (Op.GreaterThanOrEqual, [field("Severity"), literal(300)], True),
        (Op.LessThan, [field("Severity"), literal(301)], True),
        (Op.LessThan, [field("Severity"), literal(300)], False),
        (Op.LessThanOrEqual, [field("Severity"), literal(300)], True),
        (Op.GreaterThan, [field("SourceName"), literal(1)], False),  # cannot be compared
        (Op.Between, [field("Tick"), literal(4000), literal(4012)], True),
        (Op.Between, [field("Tick"), literal(4013), literal(5000)], False),
        (Op.InList, [field("SourceName"), literal("A"), literal("Tool1")], True),
        (Op.InList, [field("SourceName"), literal("A"), literal("B")], False),
        (Op.IsNull, [field("NoSuchField")], True),
        (Op.IsNull, [field("Nothing")], True),
        (Op.IsNull, [field("Tick")], False),
        (Op.Equals, [field("NoSuchField"), literal(1)], False),
        (Op.LessThan, [field("NoSuchField"), literal(1)], False),
        (Op.OfType, [literal(ATTACHED)], True),
        (Op.OfType, [literal(BASE)], True),  # a type below it
        (Op.OfType, [literal(ELSEWHERE)], False),
        (Op.OfType, [literal("no type at all")], False),
        (Op.Not, [literal(False)], True),
        (Op.Not, [literal(True)], False),
    ],
)
def test_one_operator(
    aspace: AddressSpace, operator: ua.FilterOperator, operands: list[Any], wanted: bool
):
    assert accepts(aspace, element(operator, *operands)) is wanted


T, F, N = literal(True), literal(False), field("NoSuchField")


@pytest.mark.parametrize(
    ("operator", "operands", "result"),
    [
        (Op.And, [T, T], True),
        (Op.And, [T, F], False),
        (Op.And, [T, N], None),
        (Op.And, [F, N], False),
        (Op.And, [N, N], None),
        (Op.Or, [F, F], False),
        (Op.Or, [F, T], True),
        (Op.Or, [N, T], True),
        (Op.Or, [N, F], None),
        (Op.Not, [N], None),
    ],
)
def test_what_is_not_known_stays_so_unless_the_rest_decides(
    aspace: AddressSpace,
    operator: ua.FilterOperator,
    operands: list[Any],
    result: bool | None,
):
    inner = element(operator, *operands)
    assert accepts(aspace, inner) is (result is True)
    assert accepts(aspace, element(Op.Not, later(1)), inner) is (result is False)
    assert accepts(aspace, element(Op.IsNull, later(1)), inner) is (result is None)


def test_elements_refer_to_each_other(aspace: AddressSpace):
    tree = [
        element(Op.And, later(1), later(2)),
        element(Op.OfType, literal(BASE)),
        element(Op.Or, later(3), later(4)),
        element(Op.Equals, field("SourceName"), literal("Tool2")),
        element(Op.GreaterThan, field("Severity"), literal(200)),
    ]
    assert accepts(aspace, *tree)
    tree[4] = element(Op.GreaterThan, field("Severity"), literal(500))
    assert not accepts(aspace, *tree)


@pytest.mark.parametrize(
    ("clause", "status"),
    [
        ([element(Op.Like, field("SourceName"), literal("T%"))], "BadFilterOperatorUnsupported"),
        ([element(Op.InView, literal(BASE))], "BadFilterOperatorUnsupported"),
        ([element(Op.Equals, literal(1))], "BadFilterOperandCountMismatch"),
        ([element(Op.Not, literal(1), literal(2))], "BadFilterOperandCountMismatch"),
        ([element(Op.InList, literal(1))], "BadFilterOperandCountMismatch"),
        ([element(Op.Not, later(0))], "BadFilterElementInvalid"),  # itself
        ([element(Op.Not, later(1)), element(Op.Not, later(0))], "BadFilterElementInvalid"),
        ([element(Op.Not, later(7))], "BadFilterElementInvalid"),
        ([element(Op.Not, ua.AttributeOperand())], "BadFilterOperandInvalid"),
        ([element(Op.Not, ua.ExtensionObject())], "BadFilterOperandInvalid"),
        ([element(Op.Not, T)] * (MOST_CLAUSES + 1), "BadEventFilterInvalid"),
    ],
)
def test_a_wrong_clause_is_refused(
    aspace: AddressSpace, clause: list[ua.ContentFilterElement], status: str
):
    with pytest.raises(ItemRefused, match=status):
        Where(ua.ContentFilter(clause), aspace)


def test_a_clause_made_to_take_forever_does_not(aspace: AddressSpace):
    """Each element refers twice to the next: followed one by one that would be 2^1000 steps."""
    chain = [element(Op.And, later(k + 1), later(k + 1)) for k in range(MOST_CLAUSES - 1)]
    start = time.monotonic()
    assert accepts(aspace, *chain, element(Op.Not, F))
    assert time.monotonic() - start < 5.0
