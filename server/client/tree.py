"""The address space below a node, level by level."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from asyncua import ua
from asyncua.ua import ObjectIds

from twincell.server.client.session import AT_ONCE, Session

NOT_BELOW = {ObjectIds.HasSubtype, ObjectIds.HasNotifier, ObjectIds.HasEventSource}
UNIT, TAKES, GIVES = "EngineeringUnits", "InputArguments", "OutputArguments"


@dataclass
class Branch:
    """A node and what is below it."""

    node: ua.NodeId
    name: str  # its browse name
    node_class: ua.NodeClass
    type_name: str  # of an object
    below: list["Branch"] = field(default_factory=list)
    about: dict[str, ua.NodeId] = field(default_factory=dict)  # properties that explain the node

    def walk(self, depth: int = 0) -> Iterator[tuple[int, "Branch"]]:
        """Itself and everything below it, each with its depth."""
        yield depth, self
        for branch in self.below:
            yield from branch.walk(depth + 1)


async def tree_below(session: Session, root: ua.NodeId) -> Branch:
    """A node with everything below it; a node that is met again is left out."""
    (name,) = await session.read([root], ua.AttributeIds.BrowseName)
    (kind,) = await session.read([root], ua.AttributeIds.NodeClass)
    top = Branch(root, name.Value.Value.Name, ua.NodeClass(kind.Value.Value), "")
    met, level = {root}, [top]
    while level:
        found = await _references(session, [branch.node for branch in level])
        deeper: list[Branch] = []
        for branch, references in zip(level, found, strict=True):
            for reference in references:
                if reference.BrowseName.Name in (UNIT, TAKES, GIVES):
                    branch.about[reference.BrowseName.Name] = _local(reference.NodeId)
                elif _local(reference.NodeId) not in met:
                    met.add(_local(reference.NodeId))
                    branch.below.append(_branch(reference))
            deeper += branch.below
        level = deeper
    return top


def _branch(reference: ua.ReferenceDescription) -> Branch:
    type_name = str(reference.TypeDefinition.Identifier)
    if reference.TypeDefinition.NamespaceIndex == 0:
        type_name = ua.ObjectIdNames.get(reference.TypeDefinition.Identifier, "")
    name = reference.BrowseName.Name
    return Branch(_local(reference.NodeId), name, ua.NodeClass(reference.NodeClass), type_name)


def _local(node: ua.NodeId) -> ua.NodeId:
    """A node id without what only expanded ones have."""
    return ua.NodeId(node.Identifier, node.NamespaceIndex, node.NodeIdType)


async def _references(
    session: Session, nodes: Sequence[ua.NodeId]
) -> list[list[ua.ReferenceDescription]]:
    """What is directly below each of many nodes."""
    found: list[list[ua.ReferenceDescription]] = []
    for first in range(0, len(nodes), AT_ONCE):
        asked = ua.BrowseParameters()
        asked.NodesToBrowse = [_description(node) for node in nodes[first : first + AT_ONCE]]
        for result in await session.client.uaclient.browse(asked):
            references = list(result.References or [])
            while result.ContinuationPoint:
                more = ua.BrowseNextParameters(False, [result.ContinuationPoint])
                (result,) = await session.client.uaclient.browse_next(more)
                references += result.References or []
            found.append([r for r in references if r.ReferenceTypeId.Identifier not in NOT_BELOW])
    return found


def _description(node: ua.NodeId) -> ua.BrowseDescription:
    description = ua.BrowseDescription()
    description.NodeId = node
    description.BrowseDirection = ua.BrowseDirection.Forward
    description.ReferenceTypeId = ua.NodeId(ObjectIds.HierarchicalReferences)
    description.IncludeSubtypes = True
    description.ResultMask = ua.BrowseResultMask.All
    return description
