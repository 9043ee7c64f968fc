"""The recorder's post: a recorder that hangs is ended, and one that never stays is done without."""

import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.running_cell import PATIENCE_S, is_there, wait_until
from twincell.server.logging.pipe import LogPipe
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.record_box import Asked, Outcome, Request
from twincell.server.realtime.shared.ring import NOBODY_RECORDS
from twincell.server.recording.facts import CellFiles, Facts
from twincell.server.recording.recorder import Wanted
from twincell.server.supervisor import entry_points as work
from twincell.server.supervisor.essential import RECORDER_SILENCE_S, RecorderPost
from twincell.sim.cell import Cell


def idle(*_: object) -> None:
    signal.pause()


def _facts(cell_file: Path) -> Facts:
    cell = Cell.load(cell_file)
    return Facts.of(cell, CellFiles.of(cell.spec))


@pytest.fixture
def link() -> Link:
    return Link(1)


@pytest.fixture
def post(link: Link, small_cell: Path, tmp_path: Path) -> Iterator[RecorderPost]:
    log_pipe = LogPipe()
    made = RecorderPost(link, log_pipe, Wanted(_facts(small_cell), tmp_path))
    yield made
    if made.child:
        made.child.kill()
    log_pipe.close()


def test_a_recorder_without_a_sign_of_life_is_ended_and_the_cell_waits_no_more(
    post: RecorderPost, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "record", idle)
    post.start()
    assert post.child
    hung = post.child.pid
    link.recorded[0], link.vitals["recorder_beat_ns"] = 7, 1
    link.recording.show("run.mcap", 7, 0)
    tenths = range(1000, 1000 + int(10 * RECORDER_SILENCE_S))
    assert [line for tenth in tenths for line in post.look(tenth / 10)] == []
    late = (100.1 + RECORDER_SILENCE_S, 100.2 + RECORDER_SILENCE_S)
    (said,) = [line for at_s in late for line in post.look(at_s)]
    assert said == (
        "the recorder ended (no sign of life); the recording run.mcap ended there; started again"
    )
    assert link.recorded[0] == NOBODY_RECORDS
    assert not is_there(hung) and is_there(post.child.pid)


def test_a_recorder_gives_signs_of_life(post: RecorderPost, link: Link) -> None:
    post.start()
    seen: set[int] = set()

    def has_several() -> bool:
        seen.add(link.vitals["recorder_beat_ns"])
        return len(seen) > 3

    wait_until(has_several)


def test_a_recorder_that_never_stays_is_done_without_and_requests_are_refused(
    post: RecorderPost, link: Link, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "record", lambda *_: sys.exit(7))
    post.start()
    said: list[str] = []
    while post.child:
        post.child.wait(time.monotonic() + PATIENCE_S)
        link.recording.show("run.mcap", 7, 0)
        link.recorded[0] = 7
        said += post.look(100.0)
    assert len(said) == 6
    assert said[-1] == (
        "the recorder ended (exit code 7) too often; the recording run.mcap ended there:"
        " the cell goes on without it"
    )
    assert link.recorded[0] == NOBODY_RECORDS
    assert link.recording.file == "" and "ended too often" in link.recording.error
    for asked in (Asked.START, Asked.STOP):
        number = link.recording.post(Request(asked, "more"))
        assert post.look(200.0) == []
        reply = link.recording.reply_to(number)
        assert reply is not None and reply.outcome is Outcome.NOT_WRITABLE
        assert reply.text.startswith("the recorder ended too often")
