"""Paths of browse names: where they lead, and why they lead nowhere."""

from collections.abc import Iterator

import pytest
from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.server.address_space import AddressSpace
from asyncua.ua import ObjectIds

from tests.server.opcua.built_space import shipped, standard_space
from tests.server.opcua.viewing import (
    FOLDER,
    HIERARCHICAL,
    OBJECTS,
    ROOT,
    Viewer,
    statuses,
    viewer,
)
from twincell.server.opcua.space.namespaces import CELL, TYPES, base_id, cell_id
from twincell.server.opcua.space.node_store import HAS_COMPONENT, ORGANIZES, Name, NodeStore, Place
from twincell.server.opcua.view import browse_path

TO_THE_END = 0xFFFFFFFF
ANY = ua.NodeId()


@pytest.fixture
def seen() -> Viewer:
    return viewer(shipped("tool_change_single").aspace, translate_nodes=20)


@pytest.fixture(scope="module")
def twins() -> AddressSpace:
    """Two folders A in Objects, each with a B, and one B that both have; two nodes elsewhere."""
    aspace = standard_space()
    store = NodeStore(aspace)
    for i in (1, 2):
        folder = cell_id(f"A{i}")
        store.add_object(folder, Name("A"), Place(OBJECTS, ORGANIZES), FOLDER)
        store.add_object(cell_id(f"B{i}"), Name("B"), Place(folder), FOLDER)
    store.add_object(cell_id("B"), Name("B"), Place(cell_id("A1")), FOLDER)
    store.refer(cell_id("A2"), HAS_COMPONENT, cell_id("B"))
    for server in (3, 4):
        far = ua.ExpandedNodeId("B1", CELL, ServerIndex=server)
        name = ua.QualifiedName("Far", TYPES)
        aspace[cell_id("A1")].references.append(
            ua.ReferenceDescription(HAS_COMPONENT, True, far, name)
        )
    return aspace


def element(
    name: str | None, kind: ua.NodeId = HIERARCHICAL, inverse: bool = False, subtypes: bool = True
) -> ua.RelativePathElement:
    """An element; its name is `2:Name`, or `Name` of the standard."""
    named = ua.QualifiedName.from_string(name) if name is not None else ua.QualifiedName()
    return ua.RelativePathElement(kind, inverse, subtypes, named)


def path(start: ua.NodeId, *elements: str | ua.RelativePathElement) -> ua.BrowsePath:
    """A path of names, or of what else is said about an element."""
    made = [element(one) if isinstance(one, str) else one for one in elements]
    return ua.BrowsePath(start, ua.RelativePath(made))


def translate(seen: Viewer, *paths: ua.BrowsePath) -> list[ua.BrowsePathResult]:
    return seen.view.translate(ua.TranslateBrowsePathsToNodeIdsParameters(list(paths)))


def ends(seen: Viewer, asked: ua.BrowsePath) -> list[ua.NodeId]:
    """Where a path leads that leads somewhere."""
    (result,) = translate(seen, asked)
    assert result.StatusCode.is_good()
    assert all(target.RemainingPathIndex == TO_THE_END for target in result.Targets)
    return [target.TargetId for target in result.Targets]


def status(seen: Viewer, asked: ua.BrowsePath) -> str:
    """Why a path leads nowhere."""
    (result,) = translate(seen, asked)
    assert result.Targets == []
    return str(result.StatusCode.name)


# ---------------------------------------------------------------- where paths lead


def test_a_path_leads_from_the_root_to_a_signal(seen: Viewer):
    names = ["Objects", "3:Cell", "2:Simulation", "2:Time"]
    assert ends(seen, path(ROOT, *names)) == [cell_id("Simulation.Time")]


def test_a_path_can_lead_upwards(seen: Viewer):
    up = element("3:Cell", inverse=True)
    assert ends(seen, path(cell_id("Simulation"), up)) == [cell_id("Cell")]
    assert status(seen, path(cell_id("Simulation"), element("3:Cell"))) == "BadNoMatch"
    assert status(seen, path(OBJECTS, element("3:Cell", inverse=True))) == "BadNoMatch"


def test_references_that_refine_a_type_are_followed_only_if_asked_for(seen: Viewer):
    organizes = base_id(ObjectIds.Organizes)
    assert ends(seen, path(OBJECTS, element("3:Cell", organizes, subtypes=False)))
    assert ends(seen, path(OBJECTS, element("3:Cell", HIERARCHICAL, subtypes=True)))
    unrefined = element("3:Cell", HIERARCHICAL, subtypes=False)
    assert status(seen, path(OBJECTS, unrefined)) == "BadNoMatch"


def test_without_a_type_every_reference_is_followed(seen: Viewer):
    for subtypes in (True, False):
        to_type = element("2:SimulationType", ANY, subtypes=subtypes)
        (found,) = ends(seen, path(cell_id("Simulation"), to_type))
        assert found.Identifier == "SimulationType"


def test_all_nodes_of_a_name_are_found_each_of_them_once(twins: AddressSpace):
    found = ends(viewer(twins), path(OBJECTS, "2:A", "2:B"))
    assert found == [cell_id("B1"), cell_id("B"), cell_id("B2")]


def test_a_path_may_go_in_circles(twins: AddressSpace):
    up = element("2:A", inverse=True)
    around = ["2:A", "2:B", up, "2:B", up, "2:B"]
    assert len(ends(viewer(twins), path(OBJECTS, *around))) == 3


def test_a_path_that_ends_in_another_server_has_been_followed_to_its_end(twins: AddressSpace):
    found = ends(viewer(twins), path(OBJECTS, "2:A", "2:Far"))
    assert [one.ServerIndex for one in found] == [3, 4]


def test_a_path_that_goes_on_in_another_server_says_from_where(twins: AddressSpace):
    (result,) = translate(viewer(twins), path(OBJECTS, "2:A", "2:Far", "2:B", "2:C"))
    assert result.StatusCode.name == "UncertainReferenceOutOfServer"
    assert [target.TargetId.ServerIndex for target in result.Targets] == [3, 4]
    assert [target.RemainingPathIndex for target in result.Targets] == [2, 2]


# ---------------------------------------------------------------- where they do not


def test_a_name_that_is_not_there_does_not_match(seen: Viewer):
    assert status(seen, path(ROOT, "Objects", "3:Nobody")) == "BadNoMatch"
    assert status(seen, path(ROOT, "Nobody", "3:Cell")) == "BadNoMatch"
    assert status(seen, path(ROOT, "Objects", "2:Cell")) == "BadNoMatch"  # of another namespace


def test_what_is_no_type_of_references_is_followed_nowhere(seen: Viewer):
    for kind in (OBJECTS, cell_id("Nobody")):
        assert status(seen, path(ROOT, element("Objects", kind))) == "BadNoMatch"


def test_a_path_without_elements_has_nothing_to_do(seen: Viewer):
    assert status(seen, path(ROOT)) == "BadNothingToDo"
    nothing = ua.BrowsePath(ROOT, ua.RelativePath(None))
    assert status(seen, nothing) == "BadNothingToDo"


@pytest.mark.parametrize("name", [None, "", "0:"])
def test_every_element_must_have_a_name(seen: Viewer, name: str | None):
    assert status(seen, path(ROOT, element(name))) == "BadBrowseNameInvalid"
    assert status(seen, path(ROOT, element(name), "3:Cell")) == "BadBrowseNameInvalid"


def test_a_path_must_start_at_a_node(seen: Viewer):
    assert status(seen, path(cell_id("Nobody"), "2:Time")) == "BadNodeIdUnknown"
    assert status(seen, path(ua.NodeId(), "2:Time")) == "BadNodeIdInvalid"


def test_a_mistake_in_one_path_leaves_the_others_alone(seen: Viewer):
    results = translate(seen, path(ROOT, "Objects"), path(ROOT), path(ROOT, "Types"))
    assert statuses(results) == ["Good", "BadNothingToDo", "Good"]


@pytest.mark.parametrize("count, reason", [(0, "BadNothingToDo"), (21, "BadTooManyOperations")])
def test_a_request_has_limits(seen: Viewer, count: int, reason: str):
    with pytest.raises(ServiceError) as raised:
        translate(seen, *[path(ROOT, "Objects")] * count)
    assert ua.StatusCode(raised.value.code).name == reason


# ---------------------------------------------------------------- what they may cost


def test_too_many_targets_are_not_told(twins: AddressSpace):
    b = path(OBJECTS, "2:A", "2:B")
    assert len(ends(viewer(twins, references_per_node=3), b)) == 3
    assert status(viewer(twins, references_per_node=2), b) == "BadTooManyMatches"


def circle(length: int) -> ua.BrowsePath:
    """From Root to Objects and back, for ever."""

    def steps() -> Iterator[ua.RelativePathElement]:
        for i in range(length):
            yield element("Root", ANY, inverse=True) if i % 2 else element("Objects", ANY)

    return path(ROOT, *steps())


def test_a_path_may_have_a_hundred_elements(seen: Viewer):
    assert ends(seen, circle(100)) == [ROOT]
    assert status(seen, circle(101)) == "BadQueryTooComplex"
    assert status(seen, circle(1000)) == "BadQueryTooComplex"


def test_the_paths_of_a_request_share_what_it_may_cost(
    seen: Viewer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(browse_path, "MOST_LOOKS", 1500)
    results = translate(seen, *[circle(100)] * 4)
    assert statuses(results) == ["Good", "Good", "BadQueryTooComplex", "BadQueryTooComplex"]
    assert ends(seen, circle(100)) == [ROOT]  # in a request of its own


def test_a_large_folder_costs_once_what_many_paths_find_in_it(
    seen: Viewer, monkeypatch: pytest.MonkeyPatch
):
    types = base_id(ObjectIds.BaseDataType)
    references = shipped("tool_change_single").aspace[base_id(ObjectIds.Structure)].references
    assert len(references) > 200
    monkeypatch.setattr(browse_path, "MOST_LOOKS", 2 * len(references))
    argument = path(types, "Structure", "Argument")
    assert statuses(translate(seen, *[argument] * 15)) == ["Good"] * 15
