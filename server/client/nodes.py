"""Find the nodes that a person names, and what they are."""

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from asyncua import ua

from twincell.server.client.mistake import Mistake
from twincell.server.client.session import Session, status_of, value_of
from twincell.server.client.tree import UNIT, tree_below
from twincell.server.client.values import text_of, type_name

WHOLE_ID = re.compile(r"(ns=\d+;)?[isgb]=.+")
CELL = "Cell"  # the object that holds all others
ALIKE = 0.6  # how much a name must be alike to be meant


class Facts(NamedTuple):
    """What a variable is."""

    name: str
    node: ua.NodeId
    data_type: ua.NodeId
    value_rank: int
    is_writable: bool
    unit: str
    description: str

    @property
    def type(self) -> str:
        return type_name(self.data_type, self.value_rank)


async def find(session: Session, wanted: Sequence[str]) -> list[ua.NodeId]:
    """The nodes of names, or of whole ids such as ns=3;s=Tool1.Pose.X."""
    nodes = [_node(session, name) for name in wanted]
    found = await session.read(nodes, ua.AttributeIds.NodeClass)
    for name, answer in zip(wanted, found, strict=True):
        if not status_of(answer).is_good():
            raise await _unknown(session, name)
    return nodes


async def facts_of(session: Session, wanted: Sequence[str]) -> list[Facts]:
    """What the variables of some names are."""
    nodes = await find(session, wanted)
    types = await session.read(nodes, ua.AttributeIds.DataType)
    for name, answer in zip(wanted, types, strict=True):
        if not status_of(answer).is_good():
            raise Mistake(f"{name}: has no value", f"see what is in it: twincell browse URL {name}")
    ranks = await session.read(nodes, ua.AttributeIds.ValueRank)
    access = await session.read(nodes, ua.AttributeIds.UserAccessLevel)
    described = await session.read(nodes, ua.AttributeIds.Description)
    units = await _units(session, nodes)
    writable = 1 << ua.AccessLevel.CurrentWrite.value
    return [
        Facts(
            session.name_of(node),
            node,
            value_of(types[place]),
            value_of(ranks[place]),
            bool(value_of(access[place]) & writable),
            units[place],
            text_of(value_of(described[place])),
        )
        for place, node in enumerate(nodes)
    ]


def _node(session: Session, name: str) -> ua.NodeId:
    if not WHOLE_ID.fullmatch(name):
        if not session.has_cell:
            hint = "name its nodes by their ids, such as ns=2;s=Name or i=2258"
            raise Mistake("that server has no twincell cell", hint)
        return session.node_id(name)
    try:
        return ua.NodeId.from_string(name)
    except (ua.UaError, ValueError):
        raise Mistake(f"{name}: is no node id", "such as ns=3;s=Tool1.Pose.X") from None


async def _unknown(session: Session, name: str) -> Mistake:
    """What to say about a name that nothing has."""
    if not session.has_cell:
        return Mistake(f"{name}: there is no such node")
    cell = await tree_below(session, session.node_id(CELL))
    names = {session.name_of(branch.node).lower(): branch for _, branch in cell.walk()}
    near = difflib.get_close_matches(name.lower(), names, n=3, cutoff=ALIKE)
    meant = " or ".join(session.name_of(names[one].node) for one in near)
    hint = f"did you mean {meant}?" if near else "twincell browse URL lists them"
    return Mistake(f"{name}: there is no such signal", hint)


async def _units(session: Session, nodes: Sequence[ua.NodeId]) -> list[str]:
    """The engineering units of variables, "" for those that have none."""
    paths = []
    for node in nodes:
        step = ua.RelativePathElement()
        step.ReferenceTypeId = ua.NodeId(ua.ObjectIds.HasProperty)
        step.IsInverse, step.IncludeSubtypes = False, True
        step.TargetName = ua.QualifiedName(UNIT, 0)
        paths.append(ua.BrowsePath(node, ua.RelativePath([step])))
    results = await session.client.uaclient.translate_browsepaths_to_nodeids(paths)
    targets = [result.Targets[0].TargetId if result.Targets else None for result in results]
    answers = iter(await session.read([target for target in targets if target]))
    return [text_of(value_of(next(answers))) if target else "" for target in targets]
