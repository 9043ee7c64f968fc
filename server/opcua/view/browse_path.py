"""Paths of browse names, followed from a node to those at their ends.

    OPC UA part 4, 5.9.4

A request costs a bounded time, whatever its paths are: a node's references are sorted by name only
once, nodes reached twice are followed once, and each look at a reference counts. When a request
has used up its looks, all further paths are too complex.
"""

from collections.abc import Sequence
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace, NodeData
from asyncua.ua import StatusCodes

from twincell.server.opcua.space.named_node import find_node, is_elsewhere
from twincell.server.opcua.space.reference_types import ReferenceTypes, key_of

MOST_ELEMENTS = 100  # of a path; chosen, real ones have fewer than ten
MOST_LOOKS = 100_000  # of one request; chosen for some 50 ms
STEP = 5  # looks that a step from one node costs as much as; measured
TO_THE_END = 0xFFFFFFFF  # index of what remains of a path when nothing does

ByName = dict[tuple[int, str | None], list[ua.ReferenceDescription]]


class BrowsePaths:
    """Follows the paths of one request."""

    def __init__(self, aspace: AddressSpace, types: ReferenceTypes, most_targets: int) -> None:
        self._aspace = aspace
        self._types = types
        self._most_targets = most_targets
        self._sorted: dict[ua.NodeId, ByName] = {}
        self._looks_left = MOST_LOOKS

    def follow(self, path: ua.BrowsePath) -> ua.BrowsePathResult:
        """The targets of a path, or why there are none."""
        try:
            start = find_node(self._aspace, path.StartingNode)
            elements = path.RelativePath.Elements
            _check(elements)
            targets = self._targets(start, elements)
        except ua.uaerrors.UaStatusCodeError as refusal:
            return ua.BrowsePathResult(ua.StatusCode(refusal.code))
        leaves = any(target.RemainingPathIndex != TO_THE_END for target in targets)
        code = StatusCodes.UncertainReferenceOutOfServer if leaves else StatusCodes.Good
        return ua.BrowsePathResult(ua.StatusCode(code), targets)

    def _targets(
        self, start: NodeData, elements: Sequence[ua.RelativePathElement]
    ) -> list[ua.BrowsePathTarget]:
        """Where a path ends, and where it leaves this server."""
        left: list[ua.BrowsePathTarget] = []
        reached = [start.nodeid]
        for index, element in enumerate(elements):
            left += [ua.BrowsePathTarget(one, index) for one in reached if is_elsewhere(one)]
            reached = self._step(reached, element)
            if not reached:
                break
        targets = [ua.BrowsePathTarget(one, TO_THE_END) for one in reached] + left
        if not targets:
            raise ua.uaerrors.BadNoMatch
        if len(targets) > self._most_targets:
            raise ua.uaerrors.BadTooManyMatches
        return targets

    def _step(self, nodes: Sequence[ua.NodeId], element: ua.RelativePathElement) -> list[ua.NodeId]:
        """Nodes one element further, each of them once."""
        try:
            followed = self._types.followed(element.ReferenceTypeId, element.IncludeSubtypes)
        except ua.uaerrors.BadReferenceTypeIdInvalid:
            return []  # no node has such references
        name = (element.TargetName.NamespaceIndex, element.TargetName.Name)
        found: dict[Any, ua.NodeId] = {}
        for node_id in nodes:
            node = None if is_elsewhere(node_id) else self._aspace.get(node_id)
            if node is None:
                continue
            named = self._by_name(node).get(name, ())
            self._spend(STEP + len(named))
            for reference in named:
                if reference.IsForward == element.IsInverse:
                    continue
                if followed is None or key_of(reference.ReferenceTypeId) in followed:
                    target = reference.NodeId
                    found.setdefault((_server_of(target), *key_of(target)), target)
        return list(found.values())

    def _by_name(self, node: NodeData) -> ByName:
        """The references of a node by the name of what they lead to."""
        by_name = self._sorted.get(node.nodeid)
        if by_name is None:
            self._spend(len(node.references))
            by_name = self._sorted[node.nodeid] = {}
            for reference in node.references:
                name = reference.BrowseName
                by_name.setdefault((name.NamespaceIndex, name.Name), []).append(reference)
        return by_name

    def _spend(self, looks: int) -> None:
        self._looks_left -= looks
        if self._looks_left < 0:
            raise ua.uaerrors.BadQueryTooComplex


def _server_of(node_id: ua.NodeId) -> int:
    """Which server has a node: 0 for this one."""
    return node_id.ServerIndex if isinstance(node_id, ua.ExpandedNodeId) else 0


def _check(elements: Sequence[ua.RelativePathElement] | None) -> None:
    """A path leads somewhere, and each of its elements has a name."""
    if not elements:
        raise ua.uaerrors.BadNothingToDo
    if len(elements) > MOST_ELEMENTS:
        raise ua.uaerrors.BadQueryTooComplex
    if not all(element.TargetName and element.TargetName.Name for element in elements):
        raise ua.uaerrors.BadBrowseNameInvalid
