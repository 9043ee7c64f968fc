"""asyncua's core as our server starts it, with the nodes of the standard and without a port."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from asyncua import Server, ua
from asyncua.server.address_space import AddressSpace
from asyncua.server.internal_server import InternalServer
from asyncua.ua import AttributeIds
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.space.namespaces import base_id
from twincell.server.opcua.space.unserved import PARTS

OBJECTS = base_id(ObjectIds.ObjectsFolder)
SERVER = base_id(ObjectIds.Server)
TYPES_FOLDER = base_id(ObjectIds.TypesFolder)
PARTS_AND_SUBTYPES = PARTS | {base_id(ObjectIds.HasSubtype)}


@asynccontextmanager
async def started_core() -> AsyncIterator[InternalServer]:
    core = InternalServer()
    core.disabled_clock = True
    await Server(iserver=core).init()
    await core.start()
    try:
        yield core
    finally:
        await core.stop()


def below(aspace: AddressSpace, top: ua.NodeId) -> set[ua.NodeId]:
    """A node, its parts and its subtypes, and theirs."""
    found: set[ua.NodeId] = set()
    waiting = [top]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting += [
                reference.NodeId
                for reference in aspace[node].references
                if reference.IsForward and reference.ReferenceTypeId in PARTS_AND_SUBTYPES
            ]
    return found


def variables_below(aspace: AddressSpace, top: ua.NodeId) -> Iterator[ua.NodeId]:
    for node in below(aspace, top):
        if attribute(aspace, node, AttributeIds.NodeClass) == ua.NodeClass.Variable:
            yield node


def attribute(aspace: AddressSpace, node: ua.NodeId, which: AttributeIds) -> Any:
    """What a client reads; None for Null."""
    value = aspace.read_attribute_value(node, which)
    value.StatusCode.check()
    return None if value.Value is None else value.Value.Value


def path(node: ua.NodeId) -> str:
    """How the standard calls one of its nodes."""
    return str(ua.ObjectIdNames[node.Identifier])


def standard_id(name: str) -> ua.NodeId:
    return base_id(getattr(ObjectIds, name))
