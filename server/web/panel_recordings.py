"""Recordings: start, stop, open one and go through its time in the 3-D view."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from asyncua import ua
from nicegui import ui

from server.client.mistake import Mistake
from server.security.roles import Role
from server.web.elements import CellScene, Scrubber
from server.web.replay import Replay
from server.web.shelf import File
from server.web.sight import Sight, group, labelled


class RecordingsPanel:
    """What was recorded, and what is."""

    def __init__(self, sight: Sight, scene: CellScene) -> None:
        self._sight = sight
        self._scene = scene
        self._files: list[File] | None = None
        self._rows: dict[str, _Row] = {}  # by the name of the file
        self._is_reading = False
        with ui.element("div").classes("tc-panel"):
            with group("Record"):
                with ui.element("div").classes("head"):
                    ui.label("Record").classes("tc-grow")
                    self._status = ui.label().classes("tc-value")
                with ui.element("div").classes("line"):
                    self._name = ui.input("Name", placeholder="run_1").props("outlined dense")
                    self._name.classes("tc-grow")
                    self._start = ui.button(
                        "Start", icon="fiber_manual_record", on_click=self._begin
                    )
                    self._start.props("unelevated dense color=negative")
                    self._stop = ui.button("Stop", icon="stop", on_click=self._end)
                    self._stop.props("outline dense")
                with ui.element("div").classes("line") as self._problem:
                    self._reason = ui.label().style("color: var(--tc-bad)")
                self._problem.set_visibility(False)
            self._open = group("Open recording")
            self._open.set_visibility(False)
            with group("Recordings"):
                with ui.element("div").classes("head"):
                    ui.label("Recordings")
                self._none = ui.label("None yet: start one above.").classes("tc-empty")
                self._none.set_visibility(False)
                self._list = ui.element("div")

    async def _begin(self) -> None:
        name = str(self._name.value or "").strip() or datetime.now(UTC).strftime(
            "run_%Y%m%d_%H%M%S"
        )
        arguments = (
            ua.Variant(name, ua.VariantType.String),
            ua.Variant(1, ua.VariantType.UInt32),
            ua.Variant([], ua.VariantType.String, is_array=True),
        )
        hand = self._sight.visitor.hand
        if await self._sight.act(
            Role.ENGINEER, lambda: hand.call("Simulation", "StartRecording", *arguments)
        ):
            self._name.set_value("")

    async def _end(self) -> None:
        hand = self._sight.visitor.hand
        await self._sight.act(Role.ENGINEER, lambda: hand.call("Simulation", "StopRecording"))

    async def _show(self, name: str) -> None:
        """Open a recording in the 3-D view."""
        if self._is_reading:
            return
        self._open.clear()
        self._open.set_visibility(True)
        with self._open:
            with ui.element("div").classes("head"):
                ui.label(name).classes("tc-grow")
                ui.button("Back to live", icon="sensors", on_click=self._back).props("flat dense")
            with ui.element("div").classes("line") as line:
                ui.spinner(size="1.4em")
                ui.label("Reading the recording ...").classes("tc-dim")
        view = self._sight.view
        self._is_reading = True
        try:
            number, replay = await view.replays.open(view.shelf.folder / name)
        except Mistake as mistake:
            line.clear()
            with line:
                ui.label(str(mistake)).style("color: var(--tc-bad)")
            return
        finally:
            self._is_reading = False
        self._scene.run_method("replay", replay.scene.as_json())
        line.delete()
        with self._open:
            self._scrub(replay, number)

    def _scrub(self, replay: Replay, number: str) -> None:
        scrubber = Scrubber()
        scrubber.props["url"] = f"/replay/{number}"
        for event in replay.events[:200]:
            with ui.element("div").classes("line"):
                ui.label(f"{event.at_s:.3f} s").classes("tc-value tc-dim")
                ui.label(event.text).classes("tc-grow")
                button = ui.button(
                    icon="my_location",
                    on_click=lambda at_s=event.at_s: scrubber.run_method("goTo", at_s),
                )
                labelled(button.props("flat dense round size=sm"), f"Go to {event.at_s:.3f} s")
        if replay.note:
            with ui.element("div").classes("line"):
                ui.label(replay.note).classes("tc-dim")

    def _back(self) -> None:
        self._open.set_visibility(False)
        self._open.clear()
        self._scene.run_method("replay", None)

    def refresh(self) -> None:
        box = self._sight.view.link.recording
        is_on = bool(box.file)
        lost = f", {box.lost} lost" if box.lost else ""
        self._status.set_text(
            f"{Path(box.file).name}: {box.rows} rows{lost}" if is_on else "not recording"
        )
        self._reason.set_text(box.error)
        self._problem.set_visibility(bool(box.error) and not is_on)
        self._start.set_enabled(not is_on)
        self._stop.set_enabled(is_on)
        files = self._sight.view.shelf.files()
        if files is not None and files != self._files:
            self._files = files
            self._fill(files)

    def _fill(self, files: list[File]) -> None:
        """Change what has changed, and only that: a click on a row drawn anew would be lost."""
        self._none.set_visibility(not files)
        for gone in self._rows.keys() - {file.name for file in files}:
            self._rows.pop(gone).line.delete()
        for place, file in enumerate(files):
            if file.name not in self._rows:
                with self._list:
                    self._rows[file.name] = self._new_row(file.name)
            row = self._rows[file.name]
            row.about.set_text(about(file))
            if self._list.default_slot.children[place] is not row.line:
                row.line.move(target_index=place)

    def _new_row(self, name: str) -> "_Row":
        with ui.element("div").classes("line") as line:
            with ui.element("div").classes("tc-grow"):
                ui.label(name).classes("name")
                words = ui.label().classes("about")
            button = ui.button("Open", icon="play_circle", on_click=lambda: self._show(name))
            labelled(button.props("flat dense"), f"Open {name}")
        return _Row(line, words)


class _Row(NamedTuple):
    """A recording in the list."""

    line: ui.element
    about: ui.label


def about(file: File) -> str:
    """When it was made, and how large it is."""
    day = datetime.fromtimestamp(file.changed_s, UTC).strftime("%Y-%m-%d %H:%M UTC")
    return f"{day}, {file.size / 1e6:.1f} MB"
