"""Many scenarios in one go: all files are checked before the first one runs.

Every cell is started once, side by side with the others, and put back to its start for each
scenario. A cell that runs already, under somebody else's control, is taken as it is.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from twincell.server.errors import Refusal
from twincell.server.kit.run_recording import RunRecording
from twincell.server.kit.scenario import Scenario
from twincell.server.kit.scenario_load import read_scenario
from twincell.server.kit.scenario_result import (
    Outcome,
    ScenarioResult,
    StepResult,
    result_not_run,
    result_without_cell,
)
from twincell.server.kit.scenario_run import run_scenario
from twincell.server.kit.scenario_signals import check_signals
from twincell.server.kit.suite_cells import (
    UNUSABLE,
    Attached,
    AttachedCell,
    OwnCells,
    SuiteCells,
    reason_of,
)
from twincell.sim.spec.problems import Problems, SpecError


class Suite:
    """Scenarios to be run one after the other."""

    def __init__(
        self,
        files: Sequence[Path],
        attached: Attached | None = None,
        recordings: Path | None = None,
    ) -> None:
        self._attached = attached
        self._recordings = recordings  # where scenarios that fail leave theirs
        self._scenarios: dict[Path, Scenario] = {}
        self._problems: dict[Path, Problems] = {}
        unreadable: list[SpecError] = []
        for file in files:
            try:
                draft = read_scenario(file)
            except SpecError as error:
                unreadable.append(error)
                continue
            self._problems[file] = draft.problems
            if draft.scenario is not None:
                self._scenarios[file] = draft.scenario
        if unreadable or any(self._problems.values()):
            self._refuse(unreadable)

    def run(self, tell: Callable[[str], None] = lambda _: None) -> Iterator[ScenarioResult]:
        """Run all of them; a result as soon as there is one."""
        cells = self._cells()
        try:
            self._check_signals(cells)
            if any(self._problems.values()):
                raise _refusal(self._problems.values())
            for number, (file, scenario) in enumerate(self._scenarios.items(), 1):
                place = f"{number} of {len(self._scenarios)}: {scenario.name}"
                tell(place)
                result = self._run(scenario, file, cells, _teller(tell, place))
                result.cell_name = cells.name(file)
                yield result
        finally:
            cells.end()

    def not_run(self, results: Sequence[ScenarioResult]) -> list[ScenarioResult]:
        """The scenarios that have no result, because something ended the run."""
        rest = list(self._scenarios.items())[len(results) :]
        return [result_not_run(scenario, file) for file, scenario in rest]

    def _refuse(self, unreadable: Sequence[SpecError]) -> NoReturn:
        """Say what is wrong with the files, and with the signals they name if their cells start."""
        with suppress(Refusal):  # what is wrong with a cell is told once the files are right
            cells = self._cells()
            try:
                self._check_signals(cells)
            finally:
                cells.end()
        raise _refusal(self._problems.values(), unreadable)

    def _check_signals(self, cells: SuiteCells) -> None:
        for file, scenario in self._scenarios.items():
            check_signals(scenario, cells.catalogue(file), self._problems[file])

    def _cells(self) -> SuiteCells:
        if self._attached:
            return AttachedCell(self._attached, self._scenarios)
        return OwnCells(self._scenarios)

    def _run(
        self, scenario: Scenario, file: Path, cells: SuiteCells, told: Callable[[StepResult], None]
    ) -> ScenarioResult:
        """Run one; a cell that cannot be had fails this scenario, not the suite."""
        try:
            cell = cells.cell(file)
        except UNUSABLE as problem:
            return result_without_cell(scenario, file, reason_of(problem))
        recording = RunRecording(cell) if self._recordings and cell.recordings else None
        result = run_scenario(scenario, file, cell, told)
        result.cell_fingerprint = cell.fingerprint
        self._keep(recording, result)
        return result

    def _keep(self, recording: RunRecording | None, result: ScenarioResult) -> None:
        """Keep the recording of a scenario that failed."""
        if recording is None:
            return
        assert self._recordings is not None  # or there were no recording
        if result.outcome is Outcome.FAILED:
            # a folder that takes no files takes no report either, which is told then
            with suppress(OSError):
                result.recording = recording.keep(self._recordings / f"{result.file.stem}.mcap")
        recording.drop()


def _teller(tell: Callable[[str], None], place: str) -> Callable[[StepResult], None]:
    return lambda step: tell(f"{place}: {step.name}: {step.outcome.value}")


def _refusal(found: Iterable[Problems], unreadable: Sequence[SpecError] = ()) -> Refusal:
    """The mistakes of several files, all together."""
    errors = [*unreadable, *(SpecError(one.source.file, one) for one in found if one)]
    return Refusal("\n".join(map(str, errors)))
