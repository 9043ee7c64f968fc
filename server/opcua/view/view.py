"""The View services: Browse, BrowseNext, TranslateBrowsePathsToNodeIds, RegisterNodes.

    OPC UA part 4, 5.9

There are no views: a client always sees the whole address space. Registering a node changes
nothing, as all nodes are found equally fast.

A request costs a bounded time. Once it has seen or returned as many references as one request may,
the other operations of a Browse fail with BadNoContinuationPoints, and the client asks again for
these; those of a BrowseNext bring no references but a point to go on from.
"""

from datetime import datetime
from typing import Protocol

from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.server.address_space import AddressSpace
from asyncua.ua import StatusCodes

from twincell.server.opcua.limits import Limits
from twincell.server.opcua.operations import check_count
from twincell.server.opcua.space.named_node import find_node
from twincell.server.opcua.space.reference_types import ReferenceTypes
from twincell.server.opcua.view.browse_path import BrowsePaths
from twincell.server.opcua.view.browse_selection import Selection
from twincell.server.opcua.view.continuation import Continuations

MOST_LOOKS = 100_000  # references seen by one request; chosen for some 30 ms
MOST_REFERENCES = 5_000  # returned by one request; chosen for some 40 ms of encoding them
NO_TIME = ua.get_win_epoch()


class Browsing(Protocol):
    """A session that browses."""

    @property
    def continuations(self) -> Continuations: ...


class CellView:
    """The view service of a cell."""

    def __init__(self, aspace: AddressSpace, limits: Limits) -> None:
        self._aspace = aspace
        self._limits = limits
        self._types = ReferenceTypes(aspace)

    def browse(self, session: Browsing, params: ua.BrowseParameters) -> list[ua.BrowseResult]:
        """The first references of each node, and where to go on."""
        check_count(params.NodesToBrowse, self._limits.browse_nodes)
        _check_view(params.View)
        most = self._limits.references_per_node
        portion = min(params.RequestedMaxReferencesPerNode or most, most)
        session.continuations.begin_request()
        effort = _Effort()
        results = []
        for asked in params.NodesToBrowse:
            if effort.is_enough:
                results.append(_refused(StatusCodes.BadNoContinuationPoints))
                continue
            try:
                selection = self._select(asked, portion)
                results.append(_next_of(selection, session.continuations, effort))
            except ua.uaerrors.UaStatusCodeError as refusal:
                results.append(_refused(refusal.code))
        return results

    def browse_next(
        self, session: Browsing, params: ua.BrowseNextParameters
    ) -> list[ua.BrowseResult]:
        """More references; nothing at all when the client only gives its points back."""
        check_count(params.ContinuationPoints, self._limits.browse_nodes)
        points, effort = session.continuations, _Effort()
        points.begin_request()
        results = []
        for point in params.ContinuationPoints:
            selection = points.take(point)
            if params.ReleaseContinuationPoints:
                continue
            if selection is None:
                results.append(_refused(StatusCodes.BadContinuationPointInvalid))
            elif effort.is_enough:
                results.append(ua.BrowseResult(ContinuationPoint=points.keep(selection)))
            else:
                results.append(_next_of(selection, points, effort))
        return results

    def translate(
        self, params: ua.TranslateBrowsePathsToNodeIdsParameters
    ) -> list[ua.BrowsePathResult]:
        """The nodes at the ends of paths of names."""
        check_count(params.BrowsePaths, self._limits.translate_nodes)
        paths = BrowsePaths(self._aspace, self._types, self._limits.references_per_node)
        return [paths.follow(path) for path in params.BrowsePaths]

    def register(self, params: ua.RegisterNodesParameters) -> list[ua.NodeId]:
        """The ids to use from now on: the same, known or not."""
        check_count(params.NodesToRegister, self._limits.register_nodes)
        return list(params.NodesToRegister)

    def unregister(self, params: ua.UnregisterNodesParameters) -> None:
        """Accept that ids are no longer used, registered or not."""
        check_count(params.NodesToUnregister, self._limits.register_nodes)

    def _select(self, asked: ua.BrowseDescription, portion: int) -> Selection:
        node = find_node(self._aspace, asked.NodeId)
        followed = self._types.followed(asked.ReferenceTypeId, asked.IncludeSubtypes)
        return Selection(node.references, asked, followed, portion)


class _Effort:
    """What a request has cost so far."""

    def __init__(self) -> None:
        self.looked = 0
        self.returned = 0

    @property
    def is_enough(self) -> bool:
        return self.looked >= MOST_LOOKS or self.returned >= MOST_REFERENCES


def _next_of(selection: Selection, points: Continuations, effort: _Effort) -> ua.BrowseResult:
    """The next portion of a selection; none of it if the rest could not be had later."""
    effort.looked -= selection.looked
    references = selection.take()
    effort.looked += selection.looked
    effort.returned += len(references)
    if selection.is_over:
        return ua.BrowseResult(References=references)
    point = points.keep(selection)
    if point is None:
        return _refused(StatusCodes.BadNoContinuationPoints)
    return ua.BrowseResult(ContinuationPoint=point, References=references)


def _refused(code: int) -> ua.BrowseResult:
    return ua.BrowseResult(ua.StatusCode(code))


def _check_view(view: ua.ViewDescription) -> None:
    """Only the whole address space can be seen, and only as it is now.

    A time alone is let pass: clients send that of the request, and nothing has changed since.
    """
    if not view.ViewId.is_null():
        raise ServiceError(StatusCodes.BadViewIdUnknown)
    if view.ViewVersion and _is_given(view.Timestamp):
        raise ServiceError(StatusCodes.BadViewParameterMismatch)
    if view.ViewVersion:
        raise ServiceError(StatusCodes.BadViewVersionInvalid)


def _is_given(time: datetime | None) -> bool:
    return time is not None and time > NO_TIME
