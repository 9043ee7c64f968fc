"""The rows of twincell browse: a tree with types, units and values."""

from asyncua import ua

from twincell.server.client.nodes import CELL, find
from twincell.server.client.session import Session, status_of, value_of
from twincell.server.client.tree import GIVES, TAKES, UNIT, Branch, tree_below
from twincell.server.client.values import shown, text_of, type_name

INDENT = "  "


async def tree_rows(session: Session, top: str) -> list[tuple[str, str, str, str]]:
    """Name, type, unit and value of everything below a node."""
    if top or session.has_cell:
        (root,) = await find(session, [top or CELL])
    else:
        root = ua.NodeId(ua.ObjectIds.ObjectsFolder)
    branches = list((await tree_below(session, root)).walk())
    values = await _values_of_variables(session, [branch for _, branch in branches])
    about = await _values_about(session, [branch for _, branch in branches])
    rows = []
    for depth, branch in branches:
        name = session.name_of(branch.node) if session.has_cell else branch.name
        explained = {key: about[node] for key, node in branch.about.items()}
        type_, value = values.get(branch.node, (branch.type_name, ""))
        if branch.node_class is ua.NodeClass.Method:
            type_, value = "method", _signature(explained)
        rows.append((INDENT * depth + name, type_, text_of(explained.get(UNIT)), value))
    return rows


async def _values_of_variables(
    session: Session, branches: list[Branch]
) -> dict[ua.NodeId, tuple[str, str]]:
    """Type and value of the variables among some branches."""
    nodes = [branch.node for branch in branches if branch.node_class is ua.NodeClass.Variable]
    types = await session.read(nodes, ua.AttributeIds.DataType)
    ranks = await session.read(nodes, ua.AttributeIds.ValueRank)
    values = await session.read(nodes)
    return {
        node: (type_name(value_of(type_), value_of(rank)), shown(value))
        for node, type_, rank, value in zip(nodes, types, ranks, values, strict=True)
    }


async def _values_about(session: Session, branches: list[Branch]) -> dict[ua.NodeId, object]:
    nodes = [node for branch in branches for node in branch.about.values()]
    answers = await session.read(nodes)
    return {
        node: value_of(answer) if status_of(answer).is_good() else None
        for node, answer in zip(nodes, answers, strict=True)
    }


def _signature(about: dict[str, object]) -> str:
    takes, gives = _arguments(about.get(TAKES)), _arguments(about.get(GIVES))
    return f"({takes}) -> {gives}" if gives else f"({takes})"


def _arguments(arguments: object) -> str:
    if not isinstance(arguments, list):
        return ""
    return ", ".join(f"{a.Name} {type_name(a.DataType, a.ValueRank)}" for a in arguments)
