"""A cell in its loop with a recorder beside it, turn by turn, all in one process."""

from pathlib import Path

from tests.server.realtime.looped_cell import LoopedCell
from twincell.server.realtime.shared.link import Link
from twincell.server.realtime.shared.order_box import Kind
from twincell.server.realtime.shared.record_box import Asked, Reply, Request
from twincell.server.recording.facts import CellFiles, Facts
from twincell.server.recording.rebuilt_cell import rebuilt
from twincell.server.recording.recorder import Recorder, Wanted
from twincell.server.recording.recording import Recording, Rows
from twincell.server.recording.replay import Replay
from twincell.sim.cell import Cell


class RecordedCell(LoopedCell):
    """Rows are taken whenever the recorder looks."""

    def __init__(
        self, cell_file: Path, folder: Path, at_once: str | None = None, ring_rows: int = 16_384
    ) -> None:
        cell = Cell.load(cell_file)
        super().__init__(cell, Link(len(cell.signals), ring_rows))
        self.folder = folder
        facts = Facts.of(cell, CellFiles.of(cell.spec))
        self.wanted = Wanted(facts, folder, folder / at_once if at_once else None)
        self.recorder = Recorder(self.link, self.wanted)

    def start(self, name: str, every: int = 1, signals: tuple[str, ...] = ()) -> Reply:
        """As the method StartRecording does it."""
        first_row = int(self.order(Kind.RECORD).value)
        return self._ask(Request(Asked.START, name, every, signals, first_row))

    def stop(self) -> Reply:
        return self._ask(Request(Asked.STOP))

    def _ask(self, request: Request) -> Reply:
        number = self.link.recording.post(request)
        self.recorder.look()
        reply = self.link.recording.reply_to(number)
        assert reply is not None
        return reply

    def turn(self, count: int = 1) -> None:
        super().turn(count)
        if hasattr(self, "recorder"):
            self.recorder.look()

    def recording(self, name: str) -> Recording:
        return Recording(self.folder / name)


def all_rows(recording: Recording) -> list[tuple[int, bytes]]:
    """Number and bits of every row of which everything is kept."""
    return [
        (part.first + int(kept), row.tobytes())
        for part in recording.rows()
        for kept, row in zip(part.kept, part.values, strict=True)
    ]


def replayed(recording: Recording) -> Replay:
    """A replay that went to the end."""
    replay = Replay(rebuilt(recording.facts.files), recording.facts)
    for _ in replay.run(recording.parts()):
        pass
    return replay


def ticks_of(recording: Recording) -> list[int]:
    return [
        int(tick) for part in recording.parts() if isinstance(part, Rows) for tick in part.ticks
    ]
