"""Where a wire begins and ends, once the controller has been asked what its nodes are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asyncua import ua

from twincell.server.bridge.peer import AT_ONCE
from twincell.server.bridge.wire import COMMAND_TYPES, Unfit, Wire
from twincell.server.client.session import Session, status_of, value_of
from twincell.server.logging.log_line import printable

READ, WRITE = 1 << ua.AccessLevel.CurrentRead.value, 1 << ua.AccessLevel.CurrentWrite.value
ATTRIBUTES = (
    ua.AttributeIds.NodeClass,
    ua.AttributeIds.DataType,
    ua.AttributeIds.ValueRank,
    ua.AttributeIds.UserAccessLevel,
    ua.AttributeIds.Value,
)
BROWSE = "look its node ids up there, or with: twincell browse"


@dataclass(frozen=True)
class Route:
    """A wire with two ends."""

    wire: Wire
    source: ua.NodeId
    sink: ua.NodeId
    type: ua.VariantType  # of the sink


class Found(NamedTuple):
    """What the controller says about the node of a wire."""

    wire: Wire
    type: str  # of the node, "" if that is not known
    value: ua.DataValue | None
    route: Route | None  # None if it cannot be used
    problem: str = ""
    remedy: str = ""


async def find_routes(peer: Session, own: Session | None, wires: Sequence[Wire]) -> list[Found]:
    """Ask the controller about the node of every wire.

    Without a session of our own, nothing has to be carried: our ends are made up.
    """
    namespaces = await peer.client.get_namespace_array()
    nodes: dict[Wire, ua.NodeId] = {}
    found: dict[Wire, Found] = {}
    for wire in wires:
        try:
            nodes[wire] = node_of(wire.node, namespaces)
        except Unfit as unfit:
            found[wire] = Found(wire, "", None, None, str(unfit), unfit.remedy)
    ids = list(nodes.values())
    answers = [await peer.read(ids, attribute, AT_ONCE) for attribute in ATTRIBUTES]
    for (wire, node), told in zip(nodes.items(), zip(*answers, strict=True), strict=True):
        ours = own.node_id(wire.signal) if own else ua.NodeId(wire.signal, 0)
        found[wire] = _judged(wire, node, ours, told, peer.client.server_url.geturl())
    return [found[wire] for wire in wires]


def node_of(text: str, namespaces: Sequence[str]) -> ua.NodeId:
    """A node id of a cell file, with the number that its namespace has at the controller."""
    if text.startswith("nsu="):
        uri, _, identifier = text.removeprefix("nsu=").partition(";")
        if uri not in namespaces:
            known = ", ".join(printable(known) for known in namespaces[1:])
            raise Unfit(f"there is no namespace {uri}", f"the controller has {known}")
        text = f"ns={namespaces.index(uri)};{identifier}"
    try:
        return ua.NodeId.from_string(text)
    except (ua.UaError, ValueError):
        raise Unfit("is no node id", "such as ns=3;s=Close") from None


def _judged(
    wire: Wire, node: ua.NodeId, ours: ua.NodeId, told: Sequence[ua.DataValue], url: str
) -> Found:
    class_, data_type, rank, access, value = told
    if status_of(class_).is_bad():
        problem = f"there is no such node ({status_of(class_).name})"
        return Found(wire, "", None, None, problem, f"{BROWSE} {url}")
    if value_of(class_) != ua.NodeClass.Variable:
        return Found(wire, "", None, None, "is no variable", f"{BROWSE} {url}")
    type_ = type_of(value_of(data_type), value)
    name = type_.name if type_ is not None else "?"
    try:
        if type_ is None:
            remedy = "name a node of a built-in type, such as Boolean or Double"
            raise Unfit("is of a type that cannot be carried", remedy)
        if value_of(rank) is not None and value_of(rank) >= 0:
            raise Unfit("is an array", "name the node of one element")
        wire.check_type(type_)
        level = value_of(access)
        needed, what = (READ, "read") if wire.is_command else (WRITE, "write")
        if level is not None and not level & needed:
            remedy = f"let {'its user' if level else 'us'} {what} it, in the controller's project"
            raise Unfit(f"we may not {what} it", remedy)
    except Unfit as unfit:
        return Found(wire, name, value, None, str(unfit), unfit.remedy)
    if wire.is_command:
        route = Route(wire, node, ours, COMMAND_TYPES[wire.kind])
    else:
        route = Route(wire, ours, node, type_)
    return Found(wire, name, value, route)


def type_of(data_type: object, value: ua.DataValue) -> ua.VariantType | None:
    """The built-in type of a node: that of its data type, or of the value that is there."""
    if isinstance(data_type, ua.NodeId) and data_type.NamespaceIndex == 0:
        number = data_type.Identifier
        if isinstance(number, int) and 1 <= number <= 12:  # Boolean to String: no abstract type
            return ua.VariantType(number)
    # an alias or an enumeration of the maker: what is in it tells
    variant = value.Value
    if (
        variant is None
        or variant.Value is None
        or not isinstance(variant.VariantType, ua.VariantType)
    ):
        return None
    return variant.VariantType if 1 <= variant.VariantType.value <= 12 else None
