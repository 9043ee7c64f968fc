"""What all pages of a web process share."""

from dataclasses import dataclass, field

from twincell.server.config import Serving
from twincell.server.realtime.shared.link import Link
from twincell.server.web.access.visitors import Visitors
from twincell.server.web.data.event_watcher import Watcher
from twincell.server.web.data.live import Live
from twincell.server.web.data.long_history import LongHistory
from twincell.server.web.data.recording_list import RecordingList
from twincell.server.web.data.replay import Replays
from twincell.server.web.data.scene import Scene, scene_of
from twincell.server.web.showing import Showing
from twincell.sim.cell import Cell
from twincell.sim.plan import Arm
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import CellSpec


@dataclass(frozen=True)
class CellView:
    """A running cell, as its pages see it."""

    spec: CellSpec
    signals: SignalTable
    link: Link
    serving: Serving
    showing: Showing
    scene: Scene
    live: Live
    visitors: Visitors
    watcher: Watcher
    scene_json: dict[str, object]
    recording_list: RecordingList
    arms: tuple[Arm, ...]  # the robots, as planning sees them
    long_history: LongHistory
    replays: Replays = field(default_factory=Replays)

    @classmethod
    def of(cls, cell: Cell, link: Link, serving: Serving, showing: Showing) -> "CellView":
        scene = scene_of(cell.spec, cell.signals)
        return cls(
            cell.spec,
            cell.signals,
            link,
            serving,
            showing,
            scene,
            Live(link, scene.columns),
            Visitors(serving, showing.endpoint, showing.address.port),
            Watcher(showing.endpoint, showing.password, serving.security.trust.folder),
            scene.as_json(),
            RecordingList(showing.recordings),
            cell.compiled.arms,
            LongHistory(link, cell.spec.step_s, len(cell.signals)),
        )
