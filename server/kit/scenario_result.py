"""What came out of scenarios: every check with what was wanted, what was seen, when, and how close.

margin in time     time-out - time it took             how much slower it may become
margin in value    distance to the nearest bound       how much worse it may become
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from twincell.server.kit.scenario import Scenario
from twincell.server.kit.traces import Trace

WHOLE = "During the whole scenario"


class Outcome(StrEnum):
    """How something ended."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    what: str  # when, expect, for, never, at, do, cell
    signal: str
    wanted: str
    seen: str
    at_s: float  # simulated, since the scenario began
    outcome: Outcome
    took_s: float | None = None
    limit_s: float | None = None
    value_margin: float | None = None
    unit: str = ""

    @property
    def time_margin_s(self) -> float | None:
        """How much longer it may take."""
        if self.took_s is None or self.limit_s is None:
            return None
        return self.limit_s - self.took_s


@dataclass
class StepResult:
    """One step, as it went."""

    name: str
    begun_s: float = 0.0
    ended_s: float = 0.0
    checks: list[Check] = field(default_factory=list)
    outcome: Outcome = Outcome.NOT_RUN


@dataclass
class ScenarioResult:
    """One scenario, as it went."""

    scenario: Scenario
    file: Path
    cell_name: str = ""
    cell_fingerprint: str = ""  # of the cell file that was run; of somebody else's cell: unknown
    steps: list[StepResult] = field(default_factory=list)
    whole: StepResult | None = None  # of a scenario that forbids something in all of its steps
    traces: list[Trace] = field(default_factory=list)  # what the report draws
    start_s: float = 0.0  # simulated time at which it began
    simulated_s: float = 0.0
    wall_s: float = 0.0
    recording: Path | None = None  # of a scenario that failed

    @property
    def parts(self) -> list[StepResult]:
        """The steps, and what holds for all of them."""
        return [*self.steps, *([self.whole] if self.whole else [])]

    @property
    def outcome(self) -> Outcome:
        """Passed, if every part did."""
        if all(part.outcome is Outcome.NOT_RUN for part in self.parts):
            return Outcome.NOT_RUN
        passed = all(part.outcome is Outcome.PASSED for part in self.parts)
        return Outcome.PASSED if passed else Outcome.FAILED

    @property
    def checks(self) -> list[Check]:
        """All checks of all parts."""
        return [check for part in self.parts for check in part.checks]

    @property
    def failures(self) -> list[tuple[StepResult, Check]]:
        """What failed, and in which part."""
        return [
            (part, check)
            for part in self.parts
            for check in part.checks
            if check.outcome is Outcome.FAILED
        ]


def result_not_run(scenario: Scenario, file: Path) -> ScenarioResult:
    """The result of a scenario that was not begun."""
    return ScenarioResult(scenario, file, steps=[StepResult(step.name) for step in scenario.step])


def result_without_cell(scenario: Scenario, file: Path, why: str) -> ScenarioResult:
    """The result of a scenario whose cell could not be had: it failed with its first step."""
    result = result_not_run(scenario, file)
    result.steps[0].outcome = Outcome.FAILED
    result.steps[0].checks = [Check("cell", "", "is at its start", why, 0.0, Outcome.FAILED)]
    return result


def tightest(checks: Iterable[Check]) -> float | None:
    """The smallest margin in time of what was expected, as a share of its time-out."""
    shares = [
        check.time_margin_s / check.limit_s
        for check in checks
        if check.time_margin_s is not None and check.limit_s and check.what == "expect"
    ]
    return min(shares, default=None)
