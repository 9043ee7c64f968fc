"""A client's view of a cell without a server: what it browses, and the folder of many."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace

from tests.server.opcua.built_space import standard_space
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.space.namespaces import base_id, cell_id
from twincell.server.opcua.space.node_store import ORGANIZES, Name, NodeStore, Place
from twincell.server.opcua.view.continuation import Continuations
from twincell.server.opcua.view.view import CellView

ROOT = base_id(ua.ObjectIds.RootFolder)
OBJECTS = base_id(ua.ObjectIds.ObjectsFolder)
HIERARCHICAL = base_id(ua.ObjectIds.HierarchicalReferences)
FOLDER = base_id(ua.ObjectIds.FolderType)
EVERYTHING = ua.BrowseResultMask.All


@dataclass
class Viewer:
    """A session and the view that it looks at."""

    view: CellView
    n_point: int = 10
    continuations: Continuations = field(init=False)

    def __post_init__(self) -> None:
        self.continuations = Continuations(self.n_point)

    def browse(self, *asked: ua.BrowseDescription, limit: int = 0) -> list[ua.BrowseResult]:
        return self.view.browse(
            self,
            ua.BrowseParameters(NodesToBrowse=list(asked), RequestedMaxReferencesPerNode=limit),
        )

    def go_on(self, *points: bytes | None, release: bool = False) -> list[ua.BrowseResult]:
        return self.view.browse_next(self, ua.BrowseNextParameters(release, list(points)))

    def all_of(self, asked: ua.BrowseDescription, limit: int = 0) -> list[ua.ReferenceDescription]:
        """References of a node, portion by portion."""
        (result,) = self.browse(asked, limit=limit)
        found = list(result.References)
        while result.ContinuationPoint:
            (result,) = self.go_on(result.ContinuationPoint)
            assert 0 < len(result.References) <= (limit or 1000)
            found += result.References
        assert result.StatusCode.is_good()
        return found


def viewer(aspace: AddressSpace, n_point: int = 10, **limits: int) -> Viewer:
    return Viewer(CellView(aspace, Limits(**limits)), n_point)


def ask(node_id: ua.NodeId, **wishes: Any) -> ua.BrowseDescription:
    """Ask for everything about all references of a node, but for these wishes."""
    wishes = {"BrowseDirection": ua.BrowseDirection.Both, "ResultMask": EVERYTHING} | wishes
    return ua.BrowseDescription(NodeId=node_id, **wishes)


def names(references: Iterable[ua.ReferenceDescription]) -> list[str]:
    return [reference.BrowseName.Name for reference in references]


def statuses(results: Sequence[Any]) -> list[str]:
    return [result.StatusCode.name for result in results]


@cache
def space_with_many() -> AddressSpace:
    """The standard's nodes, and a folder Many with fifty children; tests only look."""
    aspace = standard_space()
    store = NodeStore(aspace)
    store.add_object(cell_id("Many"), Name("Many"), Place(OBJECTS, ORGANIZES), FOLDER)
    for i in range(50):
        store.add_object(
            cell_id(f"Child{i}"), Name(f"Child{i}"), Place(cell_id("Many"), ORGANIZES), FOLDER
        )
    return aspace
