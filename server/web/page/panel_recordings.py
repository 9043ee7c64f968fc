"""Recordings: start, stop, open one in the whole page, download it, delete it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from asyncua import ua
from nicegui import ui

from twincell.server.client.mistake import Mistake
from twincell.server.security.roles import Role
from twincell.server.web.data.recording_list import File
from twincell.server.web.page.elements import LocalTime
from twincell.server.web.page.page_session import PageSession, group, labelled


class RecordingsPanel:
    """What was recorded, and what is."""

    def __init__(self, page_session: PageSession) -> None:
        self._page_session = page_session
        self._files: list[File] | None = None
        self._rows: dict[str, _Row] = {}  # by the name of the file
        self._is_reading = False
        with ui.element("div").classes("tc-panel"):
            self._add_recorder()
            with group("Recordings"):
                with ui.element("div").classes("head"):
                    ui.label("Recordings")
                with ui.element("div").classes("line") as self._reading:
                    ui.spinner(size="1.4em")
                    self._reading_text = ui.label().classes("tc-dim")
                self._reading.set_visibility(False)
                with ui.element("div").classes("line") as self._refusal:
                    self._why_not = ui.label().style("color: var(--tc-bad)")
                self._refusal.set_visibility(False)
                self._none = ui.label("None yet: start one above.").classes("tc-empty")
                self._none.set_visibility(False)
                self._list = ui.element("div")
        self._add_deleting()
        page_session.on_replay(self._mark_open)

    def _add_recorder(self) -> None:
        with group("Record") as self._recorder:
            with ui.element("div").classes("head"):
                ui.label("Record").classes("tc-grow")
                self._status = ui.label().classes("tc-value")
            with ui.element("div").classes("line"):
                self._name = ui.input("Name", placeholder="run_1").props("outlined dense")
                self._name.classes("tc-grow")
                self._start = ui.button("Start", icon="fiber_manual_record", on_click=self._begin)
                self._start.props("unelevated dense color=negative")
                self._stop = ui.button("Stop", icon="stop", on_click=self._end)
                self._stop.props("outline dense")
            with ui.element("div").classes("line") as self._problem:
                self._reason = ui.label().style("color: var(--tc-bad)")
            self._problem.set_visibility(False)

    def _add_deleting(self) -> None:
        self._to_delete = ""
        with ui.dialog() as self._dialog, ui.element("div").classes("tc-dialog"):
            self._question = ui.label().classes("title").props('role="heading" aria-level="2"')
            ui.label("It cannot be brought back.").classes("tc-dim")
            with ui.element("div").classes("tc-row"):
                ui.element("span").classes("tc-grow")
                ui.button("Cancel", on_click=self._dialog.close).props("flat dense")
                delete = ui.button("Delete", icon="delete", on_click=self._delete)
                delete.props("unelevated dense color=negative")

    async def _begin(self) -> None:
        name = str(self._name.value or "").strip() or datetime.now(UTC).strftime(
            "run_%Y%m%d_%H%M%S"
        )
        arguments = (
            ua.Variant(name, ua.VariantType.String),
            ua.Variant(1, ua.VariantType.UInt32),
            ua.Variant([], ua.VariantType.String, is_array=True),
        )
        user_session = self._page_session.visitor.user_session
        if await self._page_session.act(
            Role.ENGINEER, lambda: user_session.call("Simulation", "StartRecording", *arguments)
        ):
            self._name.set_value("")

    async def _end(self) -> None:
        user_session = self._page_session.visitor.user_session
        await self._page_session.act(
            Role.ENGINEER, lambda: user_session.call("Simulation", "StopRecording")
        )

    async def show(self, name: str) -> None:
        """Open a recording in the whole page."""
        if self._is_reading:
            return
        self._is_reading = True
        self._refusal.set_visibility(False)
        self._reading_text.set_text(f"Reading {name} ...")
        self._reading.set_visibility(True)
        try:
            await self._page_session.open_recording(name)
        except Mistake as mistake:
            self._why_not.set_text(str(mistake))
            self._refusal.set_visibility(True)
        finally:
            self._is_reading = False
            self._reading.set_visibility(False)

    def _mark_open(self) -> None:
        """What is open, and that nothing is recorded from here meanwhile."""
        replay = self._page_session.replay
        self._recorder.set_visibility(replay is None)
        for name, row in self._rows.items():
            is_open = replay is not None and replay.name == name
            row.line.classes(**{"add" if is_open else "remove": "picked"})

    def _ask(self, name: str) -> None:
        self._to_delete = name
        self._question.set_text(f"Delete {name}?")
        self._dialog.open()

    async def _delete(self) -> None:
        name = self._to_delete
        self._dialog.close()

        async def delete() -> None:
            if Path(self._page_session.view.link.recording.file).name == name:
                raise Mistake(f"{name} is being recorded", "stop it first")
            self._page_session.view.recording_list.delete(name)

        await self._page_session.act(Role.ENGINEER, delete, f"{name} is deleted")

    def refresh(self) -> None:
        box = self._page_session.view.link.recording
        is_on = bool(box.file)
        lost = f", {box.lost} lost" if box.lost else ""
        self._status.set_text(
            f"{Path(box.file).name}: {box.rows} rows{lost}" if is_on else "not recording"
        )
        self._reason.set_text(box.error)
        self._problem.set_visibility(bool(box.error) and not is_on)
        self._start.set_enabled(not is_on)
        self._stop.set_enabled(is_on)
        files = self._page_session.view.recording_list.files()
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
                    self._rows[file.name] = self._new_row(file)
            row = self._rows[file.name]
            row.changed.show(round(file.changed_s * 1000))
            row.size.set_text(f"{file.size / 1e6:.1f} MB")
            if self._list.default_slot.children[place] is not row.line:
                row.line.move(target_index=place)
        self._mark_open()

    def _new_row(self, file: File) -> "_Row":
        name = file.name
        with ui.element("div").classes("line") as line:
            with ui.element("div").classes("tc-grow"):
                ui.label(name).classes("name")
                with ui.element("div").classes("about"):
                    changed = LocalTime(round(file.changed_s * 1000))
                    ui.label("·").classes("tc-inline")
                    size = ui.label().classes("tc-inline")
            button = ui.button("Open", icon="play_circle", on_click=lambda: self.show(name))
            labelled(button.props("flat dense"), f"Open {name}")
            with ui.link(target=f"/recordings/{quote(name)}") as link:
                ui.icon("download")
            labelled(link.classes("tc-icon-link").props("download"), f"Download {name}")
            button = ui.button(icon="delete", on_click=lambda: self._ask(name))
            labelled(button.props("flat dense round size=sm color=grey"), f"Delete {name}")
        return _Row(line, changed, size)


class _Row(NamedTuple):
    """A recording in the list."""

    line: ui.element
    changed: LocalTime
    size: ui.label
