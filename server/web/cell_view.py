"""What all pages of a web process share."""

from dataclasses import dataclass, field

from server.realtime.link import Link
from server.serving import Serving
from server.web.live import Live
from server.web.long_history import LongHistory
from server.web.replay import Replays
from server.web.scene import Scene, scene_of
from server.web.shelf import Shelf
from server.web.showing import Showing
from server.web.visitors import Visitors
from server.web.watcher import Watcher
from sim.cell import Cell
from sim.plan import Arm
from sim.signals import SignalTable
from sim.spec.cell import CellSpec


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
    shelf: Shelf
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
            Shelf(showing.recordings),
            cell.compiled.arms,
            LongHistory(link, cell.spec.step_s, len(cell.signals)),
        )
