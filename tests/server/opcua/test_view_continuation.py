"""Browsing in portions: nothing lost, nothing twice, and points that are good once."""

import pytest
from asyncua import ua
from asyncua.common.utils import ServiceError
from asyncua.ua import BrowseDirection, NodeClass

from tests.server.opcua.built_space import shipped
from tests.server.opcua.viewing import (
    HIERARCHICAL,
    ROOT,
    Viewer,
    ask,
    names,
    space_with_many,
    statuses,
    viewer,
)
from twincell.server.opcua.space.namespaces import cell_id
from twincell.server.opcua.view import view
from twincell.server.opcua.view.browse_selection import Selection

FORWARD = BrowseDirection.Forward


@pytest.fixture(scope="module")
def many() -> Viewer:
    return viewer(space_with_many(), n_point=3)


@pytest.fixture
def seen(many: Viewer) -> Viewer:
    """A new session."""
    return Viewer(many.view, many.n_point)


def children(**wishes: object) -> ua.BrowseDescription:
    return ask(cell_id("Many"), BrowseDirection=FORWARD, ReferenceTypeId=HIERARCHICAL, **wishes)


def point_of(seen: Viewer) -> bytes:
    """A fresh continuation point."""
    (result,) = seen.browse(children(), limit=1)
    assert isinstance(result.ContinuationPoint, bytes)
    return result.ContinuationPoint


def walk(seen: Viewer, limit: int) -> list[ua.ReferenceDescription]:
    """Every reference that can be reached from the root, in the order of a walk."""
    found, known, open_ = [], {ROOT}, [ROOT]
    while open_:
        for reference in seen.all_of(ask(open_.pop()), limit):
            found.append(reference)
            if reference.NodeId not in known:
                known.add(reference.NodeId)
                open_.append(reference.NodeId)
    return found


def test_a_walk_in_portions_sees_the_same_as_one_without():
    seen = viewer(shipped("tool_change_single").aspace)
    whole = walk(seen, limit=0)
    assert len(whole) > 20_000
    for limit in (1, 2, 7):
        in_portions = walk(seen, limit)
        assert len(in_portions) == len(whole)
        assert all(one is other for one, other in zip(in_portions, whole, strict=True))
    assert len(seen.continuations) == 0


@pytest.mark.parametrize("limit", [1, 7, 49, 50, 51, 2**32 - 1])
def test_portions_are_as_large_as_asked_and_the_last_has_no_point(seen: Viewer, limit: int):
    (result,) = seen.browse(children(), limit=limit)
    assert len(result.References) == min(limit, 50)
    assert (result.ContinuationPoint is None) == (limit >= 50)
    assert names(seen.all_of(children(), limit)) == [f"Child{i}" for i in range(50)]


def test_the_server_has_a_limit_of_its_own():
    seen = viewer(space_with_many(), references_per_node=20)
    for limit in (0, 21, 2**32 - 1):
        (result,) = seen.browse(children(), limit=limit)
        assert len(result.References) == 20
        assert len(seen.all_of(children(), limit)) == 50


def test_wishes_hold_for_all_portions(seen: Viewer):
    wishes = {"ResultMask": ua.BrowseResultMask.BrowseName, "NodeClassMask": NodeClass.Object}
    found = seen.all_of(children(**wishes), limit=7)
    assert names(found) == [f"Child{i}" for i in range(50)]
    assert all(reference.DisplayName.Text is None for reference in found)


def test_no_point_is_given_for_references_that_are_not_wanted(seen: Viewer):
    (result,) = seen.browse(ask(cell_id("Many"), BrowseDirection=BrowseDirection.Inverse), limit=1)
    assert names(result.References) == ["Objects"]
    assert result.ContinuationPoint is None


def test_every_reference_is_looked_at_once_however_small_the_portions_are():
    """Going on from a point must not begin at the start again."""

    class Counted(list[ua.ReferenceDescription]):
        looks = 0

        def __getitem__(self, index):  # type: ignore[no-untyped-def, override]
            self.looks += 1
            return super().__getitem__(index)

    references = Counted(ua.ReferenceDescription() for _ in range(1000))
    selection = Selection(references, ask(ROOT), None, portion=1)
    while not selection.is_over:
        assert len(selection.take()) == 1
    assert references.looks < 2 * len(references)  # one ahead, to know that there is more


# ---------------------------------------------------------------- points


def test_points_are_different_and_tell_nothing(seen: Viewer):
    points = [point_of(seen) for _ in range(100)]
    assert len(set(points)) == 100
    assert {len(point) for point in points} == {16}


def test_a_point_is_good_once(seen: Viewer):
    point = point_of(seen)
    (result,) = seen.go_on(point)
    assert names(result.References) == ["Child1"]
    assert result.ContinuationPoint not in (None, point)
    assert statuses(seen.go_on(point)) == ["BadContinuationPointInvalid"]


def test_a_point_named_twice_in_a_request_is_good_once(seen: Viewer):
    point = point_of(seen)
    assert statuses(seen.go_on(point, point)) == ["Good", "BadContinuationPointInvalid"]


@pytest.mark.parametrize("point", [None, b"", b"x", b"x" * 16, b"x" * 10_000])
def test_a_point_that_was_never_given_is_invalid(seen: Viewer, point: bytes | None):
    (result,) = seen.go_on(point)
    assert result.StatusCode.name == "BadContinuationPointInvalid"
    assert result.References == []
    assert result.ContinuationPoint is None


def test_a_point_of_another_session_is_invalid(seen: Viewer):
    point = point_of(seen)
    stranger = Viewer(seen.view)
    assert statuses(stranger.go_on(point)) == ["BadContinuationPointInvalid"]
    assert stranger.go_on(point, release=True) == []
    assert statuses(seen.go_on(point)) == ["Good"]


def test_a_released_point_is_invalid_and_releasing_answers_nothing(seen: Viewer):
    point, kept = point_of(seen), point_of(seen)
    assert seen.go_on(point, b"unknown", release=True) == []
    assert len(seen.continuations) == 1
    assert statuses(seen.go_on(point, kept)) == ["BadContinuationPointInvalid", "Good"]


def test_a_new_request_frees_the_oldest_points_when_all_are_in_use(seen: Viewer):
    points = [point_of(seen) for _ in range(4)]
    assert len(seen.continuations) == 3
    assert statuses(seen.go_on(*points)) == ["BadContinuationPointInvalid"] + ["Good"] * 3


def test_a_request_that_has_all_points_itself_gets_no_more(seen: Viewer):
    earlier = point_of(seen)
    small = ask(ROOT, NodeClassMask=NodeClass.ObjectType)  # one reference: needs no point
    results = seen.browse(*[children()] * 4, small, limit=1)
    assert statuses(results) == ["Good"] * 3 + ["BadNoContinuationPoints", "Good"]
    assert results[3].References == []
    assert results[3].ContinuationPoint is None
    assert statuses(seen.go_on(earlier)) == ["BadContinuationPointInvalid"]
    assert statuses(seen.go_on(*[one.ContinuationPoint for one in results[:3]])) == ["Good"] * 3


def test_going_on_never_lacks_a_point(seen: Viewer):
    points = [point_of(seen) for _ in range(3)]
    for portion in range(1, 50):
        results = seen.go_on(*points)
        assert [names(one.References) for one in results] == [[f"Child{portion}"]] * 3
        points = [one.ContinuationPoint for one in results]
    assert points == [None] * 3


def test_what_is_too_much_for_one_request_can_be_had_in_the_next(
    seen: Viewer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(view, "MOST_REFERENCES", 2)
    points = [point_of(seen) for _ in range(3)]
    results = seen.go_on(*points)
    assert statuses(results) == ["Good"] * 3
    assert [names(one.References) for one in results] == [["Child1"], ["Child1"], []]
    (result,) = seen.go_on(results[2].ContinuationPoint)
    assert names(result.References) == ["Child1"]


def test_a_request_to_go_on_has_limits(seen: Viewer):
    with pytest.raises(ServiceError) as raised:
        seen.go_on()
    assert raised.value.code == ua.StatusCodes.BadNothingToDo
    with pytest.raises(ServiceError) as raised:
        seen.go_on(*[b"x"] * 1001)
    assert raised.value.code == ua.StatusCodes.BadTooManyOperations
