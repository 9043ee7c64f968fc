"""Many scenarios in one go: all files are checked before the first one runs.

Every cell is started once, side by side with the others, and put back to its start for each
scenario. A cell that runs already, under somebody else's control, is taken as it is.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from asyncua import ua

from server.cli.client_login import LoginOptions, login_of
from server.cli.client_talk import endpoint_of
from server.cli.refusal import Refusal
from server.client.mistake import Mistake
from server.kit.cell_pool import CellPool, Wanted, cell_path
from server.kit.cell_under_test import CellUnderTest
from server.kit.run_recording import RunRecording
from server.kit.running import CellDidNotStart, Time
from server.kit.scenario import Scenario
from server.kit.scenario_load import load_scenario
from server.kit.scenario_result import Outcome, ScenarioResult, StepResult
from server.kit.scenario_run import run_scenario
from server.kit.scenario_signals import check_signals
from sim.spec.problems import SpecError


@dataclass(frozen=True)
class Attached:
    """A cell that runs already, and how to reach it."""

    url: str
    login: LoginOptions
    reset: bool  # put it back to its start for each scenario


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
        self._scenarios: list[tuple[Path, Scenario]] = []
        mistakes = _Mistakes()
        for file in files:
            with mistakes.noted():
                self._scenarios.append((file, load_scenario(file)))
        mistakes.raise_if_any()

    def run(self, tell: Callable[[str], None] = lambda _: None) -> Iterator[ScenarioResult]:
        """Run all of them; a result as soon as there is one."""
        with ExitStack() as stack:
            cell_for = self._attach(stack) if self._attached else self._start(stack)
            mistakes = _Mistakes()
            for file, scenario in self._scenarios:
                with mistakes.noted():
                    check_signals(scenario, cell_for(file).connection.catalogue)
            mistakes.raise_if_any()
            for number, (file, scenario) in enumerate(self._scenarios, 1):
                place = f"{number} of {len(self._scenarios)}: {scenario.name}"
                tell(place)
                cell = cell_for(file)
                if not self._attached or self._attached.reset:
                    cell.reset()
                else:
                    cell.begin_traces()
                recording = RunRecording(cell) if self._recordings and cell.recordings else None
                result = run_scenario(scenario, file, cell, _teller(tell, place))
                result.cell_name = self._cell_name(file, scenario)
                self._keep(recording, result)
                yield result

    def _keep(self, recording: RunRecording | None, result: ScenarioResult) -> None:
        """Keep the recording of a scenario that failed."""
        if recording is None:
            return
        assert self._recordings is not None  # or there were no recording
        if result.outcome is Outcome.FAILED:
            result.recording = recording.keep(self._recordings / f"{result.file.stem}.mcap")
        else:
            recording.drop()

    def _start(self, stack: ExitStack) -> Callable[[Path], CellUnderTest]:
        """Start every cell that is needed, all at the same time."""
        pool = CellPool()
        stack.callback(pool.end)
        wanted = {
            file: (cell_path(scenario.cell, file.parent), Time.LOCKSTEP)
            for file, scenario in self._scenarios
        }
        pool.start(wanted.values())
        try:
            cells: dict[Wanted, CellUnderTest] = {one: pool.cell(one) for one in wanted.values()}
        except CellDidNotStart as problem:
            raise Refusal(str(problem)) from None
        return lambda file: cells[wanted[file]]

    def _attach(self, stack: ExitStack) -> Callable[[Path], CellUnderTest]:
        assert self._attached
        url = endpoint_of(self._attached.url)
        try:
            cell = CellUnderTest(url, Time.REALTIME, login_of(self._attached.login))
        except Mistake as mistake:
            raise Refusal(str(mistake), mistake.hint) from None
        except (OSError, TimeoutError, ua.UaError) as error:
            hint = "start a cell with 'twincell run', which prints its address"
            raise Refusal(f"{url}: cannot be reached: {error}", hint) from None
        stack.callback(cell.close)
        return lambda _: cell

    def _cell_name(self, file: Path, scenario: Scenario) -> str:
        if self._attached:
            return f"{scenario.cell} at {self._attached.url}"
        return Path(cell_path(scenario.cell, file.parent)).stem


def _teller(tell: Callable[[str], None], place: str) -> Callable[[StepResult], None]:
    return lambda step: tell(f"{place}: {step.name}: {step.outcome.value}")


class _Mistakes:
    """Collects the mistakes of several files, so that all of them are told together."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note what is wrong in the block, and go on behind it."""
        try:
            yield
        except SpecError as error:
            self._texts.append(str(error))

    def raise_if_any(self) -> None:
        if self._texts:
            raise Refusal("\n".join(self._texts))
