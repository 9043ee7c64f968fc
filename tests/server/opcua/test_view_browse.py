"""What a Browse shows of a node: which references, what of each, and what it refuses."""

from datetime import UTC, datetime

import pytest
from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.ua import BrowseDirection, NodeClass, ObjectIds
from asyncua.ua import BrowseResultMask as Mask

from tests.server.opcua.built_space import shipped
from tests.server.opcua.viewing import (
    HIERARCHICAL,
    OBJECTS,
    ROOT,
    Viewer,
    ask,
    names,
    space_with_many,
    statuses,
    viewer,
)
from twincell.server.opcua.space.namespaces import CELL, base_id, cell_id, type_id
from twincell.server.opcua.view import view

SIMULATION = cell_id("Simulation")


@pytest.fixture
def seen() -> Viewer:
    return viewer(shipped("tool_change_single").aspace, browse_nodes=20, register_nodes=20)


def refusal(seen: Viewer, params: ua.BrowseParameters) -> str:
    """Why a whole request is refused."""
    with pytest.raises(ServiceError) as raised:
        seen.view.browse(seen, params)
    return str(ua.StatusCode(raised.value.code).name)


def status(seen: Viewer, asked: ua.BrowseDescription) -> str:
    """Why a node is not shown."""
    (result,) = seen.browse(asked)
    assert result.References == []
    assert result.ContinuationPoint is None
    return str(result.StatusCode.name)


# ---------------------------------------------------------------- which references


def test_a_node_shows_the_references_in_both_directions_in_the_order_they_were_made(seen: Viewer):
    aspace = shipped("tool_change_single").aspace
    assert seen.all_of(ask(SIMULATION)) == aspace[SIMULATION].references


def test_a_direction_is_honoured(seen: Viewer):
    forward = seen.all_of(ask(SIMULATION, BrowseDirection=BrowseDirection.Forward))
    inverse = seen.all_of(ask(SIMULATION, BrowseDirection=BrowseDirection.Inverse))
    assert all(reference.IsForward for reference in forward)
    assert "Pause" in names(forward)
    assert names(inverse) == ["Cell"]
    assert not inverse[0].IsForward


def test_a_type_of_references_includes_those_that_refine_it(seen: Viewer):
    found = seen.all_of(ask(cell_id("Cell"), ReferenceTypeId=HIERARCHICAL))
    kinds = {reference.ReferenceTypeId.Identifier for reference in found}
    assert kinds == {ObjectIds.HasComponent, ObjectIds.Organizes, ObjectIds.HasNotifier}


def test_a_type_of_references_alone_does_not_include_those_that_refine_it(seen: Viewer):
    alone = ask(cell_id("Cell"), ReferenceTypeId=HIERARCHICAL, IncludeSubtypes=False)
    assert seen.all_of(alone) == []
    organizes = base_id(ObjectIds.Organizes)
    exact = ask(cell_id("Cell"), ReferenceTypeId=organizes, IncludeSubtypes=False)
    assert names(seen.all_of(exact)) == ["Objects"]


def test_without_a_type_all_references_are_shown_whatever_is_said_of_subtypes(seen: Viewer):
    with_them = seen.all_of(ask(SIMULATION))
    assert seen.all_of(ask(SIMULATION, IncludeSubtypes=False)) == with_them


def test_only_targets_of_the_wanted_classes_are_shown(seen: Viewer):
    methods = seen.all_of(ask(SIMULATION, NodeClassMask=NodeClass.Method))
    both = seen.all_of(ask(SIMULATION, NodeClassMask=NodeClass.Method | NodeClass.ObjectType))
    assert {reference.NodeClass for reference in methods} == {NodeClass.Method}
    assert set(names(both)) == {*names(methods), "SimulationType"}
    assert seen.all_of(ask(SIMULATION, NodeClassMask=1 << 20)) == []


# ---------------------------------------------------------------- what of each


def test_objects_and_variables_come_with_their_types_and_others_without(seen: Viewer):
    of_cell = {one.BrowseName.Name: one for one in seen.all_of(ask(cell_id("Cell")))}
    of_simulation = {one.BrowseName.Name: one for one in seen.all_of(ask(SIMULATION))}
    assert of_cell["Simulation"].TypeDefinition == type_id("SimulationType")
    assert of_simulation["Time"].TypeDefinition == base_id(ObjectIds.AnalogUnitType)
    assert of_simulation["Pause"].TypeDefinition.is_null()
    assert of_simulation["SimulationType"].TypeDefinition.is_null()


def test_what_a_reference_says_of_its_target_is_true_everywhere(seen: Viewer):
    built = shipped("tool_change_single")
    for node_id in list(built.aspace.keys()):
        for reference in seen.all_of(ask(node_id)):
            target = reference.NodeId
            types = built.targets(target, ObjectIds.HasTypeDefinition) or [ua.NodeId()]
            assert [reference.TypeDefinition] == types
            for field in ("BrowseName", "DisplayName", "NodeClass"):
                wanted = built.attribute(target, ua.AttributeIds[field])
                assert getattr(reference, field) == wanted


NULLS = {
    Mask.ReferenceTypeId: ua.NodeId(),
    Mask.IsForward: False,
    Mask.NodeClass: NodeClass.Unspecified,
    Mask.BrowseName: ua.QualifiedName(),
    Mask.DisplayName: ua.LocalizedText(),
    Mask.TypeDefinition: ua.NodeId(),
}


@pytest.mark.parametrize("mask", [*range(64), 0xFFFFFFC0, 0xFFFFFFFF])
def test_fields_that_were_not_asked_for_are_null(seen: Viewer, mask: int):
    whole = seen.all_of(ask(SIMULATION))
    masked = seen.all_of(ask(SIMULATION, ResultMask=mask))
    assert [one.NodeId for one in masked] == [one.NodeId for one in whole]
    for one, full in zip(masked, whole, strict=True):
        for field, null in NULLS.items():
            wanted = getattr(full, field.name) if mask & field else null
            assert getattr(one, field.name) == wanted


# ---------------------------------------------------------------- what is refused


def test_a_request_for_nothing_is_refused(seen: Viewer):
    assert refusal(seen, ua.BrowseParameters()) == "BadNothingToDo"
    assert refusal(seen, ua.BrowseParameters(NodesToBrowse=None)) == "BadNothingToDo"


def test_a_request_for_more_nodes_than_allowed_is_refused(seen: Viewer):
    assert len(seen.browse(*[ask(ROOT)] * 20)) == 20
    too_many = ua.BrowseParameters(NodesToBrowse=[ask(ROOT)] * 21)
    assert refusal(seen, too_many) == "BadTooManyOperations"


@pytest.mark.parametrize("view_id", [OBJECTS, base_id(ObjectIds.ViewsFolder), cell_id("None")])
def test_there_are_no_views(seen: Viewer, view_id: ua.NodeId):
    asked = ua.BrowseParameters(ua.ViewDescription(view_id), NodesToBrowse=[ask(ROOT)])
    assert refusal(seen, asked) == "BadViewIdUnknown"


def test_the_whole_address_space_has_no_versions(seen: Viewer):
    now = datetime.now(UTC)
    for time, status in (
        (None, "BadViewVersionInvalid"),
        (ua.get_win_epoch(), "BadViewVersionInvalid"),
        (now, "BadViewParameterMismatch"),
    ):
        description = ua.ViewDescription(Timestamp=time, ViewVersion=1)
        asked = ua.BrowseParameters(description, NodesToBrowse=[ask(ROOT)])
        assert refusal(seen, asked) == status
    unversioned = ua.ViewDescription(Timestamp=now)
    (result,) = seen.view.browse(seen, ua.BrowseParameters(unversioned, NodesToBrowse=[ask(ROOT)]))
    assert result.StatusCode.is_good()


def test_a_node_that_is_not_there_is_unknown(seen: Viewer):
    assert status(seen, ask(cell_id("Nobody"))) == "BadNodeIdUnknown"
    assert status(seen, ask(ua.NodeId(85, 77))) == "BadNodeIdUnknown"
    assert status(seen, ask(ua.NodeId(b"Simulation", CELL))) == "BadNodeIdUnknown"


def test_an_id_that_no_node_can_have_is_invalid(seen: Viewer):
    assert status(seen, ask(ua.NodeId())) == "BadNodeIdInvalid"
    assert status(seen, ask(cell_id("x" * 4097))) == "BadNodeIdInvalid"
    elsewhere = ua.ExpandedNodeId("Simulation", CELL, ServerIndex=1)
    assert status(seen, ask(elsewhere)) == "BadNodeIdInvalid"
    named = ua.ExpandedNodeId("Simulation", CELL, NamespaceUri="urn:twincell:cell")
    assert status(seen, ask(named)) == "BadNodeIdInvalid"


def test_what_is_no_type_of_references_is_invalid(seen: Viewer):
    for other in (OBJECTS, cell_id("Nobody"), base_id(ObjectIds.FolderType)):
        wrong = ask(ROOT, ReferenceTypeId=other)
        assert status(seen, wrong) == "BadReferenceTypeIdInvalid"


def test_a_direction_that_is_none_is_invalid(seen: Viewer):
    for direction in (BrowseDirection.Invalid, 4, -1):
        assert status(seen, ask(ROOT, BrowseDirection=direction)) == "BadBrowseDirectionInvalid"


def test_a_mistake_with_one_node_leaves_the_others_alone(seen: Viewer):
    results = seen.browse(ask(ROOT), ask(cell_id("Nobody")), ask(OBJECTS))
    assert statuses(results) == ["Good", "BadNodeIdUnknown", "Good"]
    assert "Objects" in names(results[0].References)
    assert "Cell" in names(results[2].References)


# ---------------------------------------------------------------- what it may cost


def test_a_request_returns_a_bounded_number_of_references(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(view, "MOST_REFERENCES", 120)
    seen = viewer(space_with_many())
    results = seen.browse(*[ask(cell_id("Many"))] * 5)
    assert statuses(results) == ["Good"] * 3 + ["BadNoContinuationPoints"] * 2
    assert results[-1].References == []


def test_a_request_looks_at_a_bounded_number_of_references(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(view, "MOST_LOOKS", 120)
    seen = viewer(space_with_many())
    nothing = ask(cell_id("Many"), NodeClassMask=NodeClass.View)
    results = seen.browse(*[nothing] * 5)
    assert statuses(results) == ["Good"] * 3 + ["BadNoContinuationPoints"] * 2


# ---------------------------------------------------------------- registered nodes


def test_a_registered_node_keeps_its_id_known_or_not(seen: Viewer):
    ids = [ROOT, cell_id("Nobody"), ROOT]
    assert seen.view.register(ua.RegisterNodesParameters(ids)) == ids
    seen.view.unregister(ua.UnregisterNodesParameters(ids))


@pytest.mark.parametrize("count, reason", [(0, "BadNothingToDo"), (21, "BadTooManyOperations")])
def test_registering_has_limits(seen: Viewer, count: int, reason: str):
    ids = [ROOT] * count
    with pytest.raises(ServiceError) as raised:
        seen.view.register(ua.RegisterNodesParameters(ids))
    assert ua.StatusCode(raised.value.code).name == reason
    with pytest.raises(ServiceError) as raised:
        seen.view.unregister(ua.UnregisterNodesParameters(ids))
    assert ua.StatusCode(raised.value.code).name == reason
