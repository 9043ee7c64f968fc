"""Events by kind: what floods is kept apart from what matters."""

from datetime import datetime
from types import SimpleNamespace

import pytest

from twincell.server.opcua.space.space_events import EVENTS
from twincell.server.security.folder import SecurityFolder
from twincell.server.web.data.event_kinds import KIND_OF_TYPE, kind_of, level_of
from twincell.server.web.data.event_watcher import MOST_EVENTS, Watcher


def told(type_name: str, text: str) -> SimpleNamespace:
    """An event as the client library hands it over."""
    return SimpleNamespace(
        EventType=SimpleNamespace(Identifier=type_name),
        Time=datetime(2026, 1, 2, 3, 4, 5, 678_000),
        Message=SimpleNamespace(Text=f"{text} (tick 7)"),
        SourceName="Tool1",
    )


@pytest.fixture
def watcher(tmp_path) -> Watcher:
    return Watcher("", "", SecurityFolder(tmp_path))


def test_ticks_that_took_too_long_push_out_no_other_event(watcher):
    watcher.event_notification(told("ToolAttachedEventType", "Tool1 attached to Holder1"))
    for _ in range(2 * MOST_EVENTS):
        watcher.event_notification(told("LoopOverrunEventType", "1 tick took too long"))
    (event,) = watcher.events
    assert (event.kind, event.source, event.tick) == ("Tools", "Tool1", 7)
    assert event.text == "Tool1 attached to Holder1"
    assert event.ms == 1767323045678
    assert {one.text for one in watcher.overruns} == {"1 tick took too long"}


def test_every_type_of_the_server_has_a_kind():
    assert {name.removesuffix("EventType") for name in EVENTS} <= KIND_OF_TYPE.keys()
    assert kind_of("SomethingNewEventType") == "Other"
    assert level_of("ControllerLostEventType") == "serious"
