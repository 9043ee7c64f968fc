"""Run a scenario, step by step; the first step that fails ends it.

at_s, when        wait
fault, set, call, move    do
expect within_s   wait again, from the first tick that knows of what was done
for_s             let time pass, in which it stays
never             look at all ticks of the step, afterwards
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from twincell.server.client.mistake import Mistake
from twincell.server.kit.cell_under_test import LOST, CellUnderTest
from twincell.server.kit.conditions import Condition, condition_of, shown
from twincell.server.kit.scenario import Scenario, Step, plain
from twincell.server.kit.scenario_result import (
    WHOLE,
    Check,
    Outcome,
    ScenarioResult,
    StepResult,
    result_not_run,
)
from twincell.server.kit.traces import Trace
from twincell.server.kit.waiting import NotInTime, NotKept

PASSED, FAILED = Outcome.PASSED, Outcome.FAILED


class _StepFailed(Exception):
    """The scenario ends here."""


def run_scenario(
    scenario: Scenario,
    file: Path,
    cell: CellUnderTest,
    told: Callable[[StepResult], None] = lambda _: None,
) -> ScenarioResult:
    """Run a scenario from where the cell stands; `told` hears of every step that has ended."""
    result = result_not_run(scenario, file)
    result.start_s = cell.time_s
    began, begun = time.monotonic(), cell.tick
    run = _Run(scenario, cell, result)
    for step, outcome in zip(scenario.step, result.steps, strict=True):
        outcome.outcome = PASSED
        try:
            run.step(step, outcome)
        except _StepFailed:
            outcome.outcome = FAILED
        except (*LOST, Mistake) as lost:  # a Mistake: values of a cell that is down are bad
            outcome.outcome = FAILED
            seen = str(lost) or type(lost).__name__  # some errors have no words of their own
            outcome.checks.append(Check("cell", "", "goes on", seen, run.now_s, FAILED))
        told(outcome)
        if outcome.outcome is FAILED:
            break
    with suppress(*LOST):
        if scenario.never:
            result.whole = run.whole(begun)
    result.simulated_s = cell.time_s - result.start_s
    result.wall_s = time.monotonic() - began
    with suppress(*LOST):  # then there is nothing to draw
        result.traces = cell.traces(signals_to_draw(scenario, cell.signals))
    return result


def signals_to_draw(scenario: Scenario, known: Sequence[str]) -> list[str]:
    """The signals that are checked or set, those asked for, and the forces of their objects."""
    tables: list[Mapping[str, Any]] = [scenario.never]
    for step in scenario.step:
        tables += [step.set, step.fault, step.when, step.expect, step.never]
    named = dict.fromkeys(name for table in tables for name in table)
    objects = dict.fromkeys(name.partition(".")[0] for name in named)
    forces = [f"{one}.Force.{axis}" for one in objects for axis in "XYZ"]
    wanted = [*named, *scenario.plot, *forces]
    return [name for name in dict.fromkeys(wanted) if name in set(known)]


class _Run:
    """A scenario on its way."""

    def __init__(self, scenario: Scenario, cell: CellUnderTest, result: ScenarioResult) -> None:
        self._cell = cell
        self._start_s = result.start_s
        self._never = conditions(scenario.never)
        self._looked_to = cell.tick  # all ticks before this one never did what they must not
        self._planned = [
            cell.tick + round(step.at_s / cell.step_s) for step in scenario.step if step.at_s
        ]
        self._over_s = 0.0  # when the last step was over

    def step(self, step: Step, result: StepResult) -> None:
        """One step; raises _StepFailed when a check fails."""
        cell = self._cell
        result.begun_s = self.now_s
        try:
            self._wait(step, result)
            result.begun_s, first = self.now_s, cell.tick
            self._do(step, result)
            self._expect(step, result)
            result.checks += self._never_checks(conditions(step.never), first)
        finally:
            result.ended_s = self.now_s
            broken = self._never_checks(self._never, self._looked_to)
            result.checks += [check for check in broken if check.outcome is FAILED]
            self._looked_to = cell.tick
        if _outcome(result.checks) is FAILED:
            raise _StepFailed

    @property
    def now_s(self) -> float:
        """Simulated time since the scenario began."""
        return self._cell.time_s - self._start_s

    # ---------------------------------------------------------------- wait and do

    def _wait(self, step: Step, result: StepResult) -> None:
        cell = self._cell
        if step.at_s is not None:
            late_s = self._over_s - step.at_s
            if late_s > cell.step_s / 2:
                seen = f"the step before was over {late_s:.3f} s too late"
                wanted = f"begins at {step.at_s:g} s"
                result.checks.append(Check("at", "", wanted, seen, self.now_s, FAILED))
                raise _StepFailed
            cell.advance(step.at_s - self.now_s)
            self._over_s = self.now_s
        if step.when:
            self._await("when", conditions(step.when), step.when_within_s, result)

    def _do(self, step: Step, result: StepResult) -> None:
        cell = self._cell
        try:
            if step.clear_faults:
                cell.clear_faults()
            for lever, value in step.fault.items():
                cell.fault(lever, value)
            if step.set:
                cell.set(step.set)
            for call in step.call:
                cell.call(call.method, *call.arguments)
            if step.has_moves:
                cell.move(step)
        except Mistake as refused:
            seen = " ".join(f"{refused} {refused.hint}".split())
            result.checks.append(Check("do", "", "is accepted", seen, self.now_s, FAILED))
            raise _StepFailed from None

    # ---------------------------------------------------------------- check

    def _expect(self, step: Step, result: StepResult) -> None:
        cell, wanted = self._cell, conditions(step.expect)
        if not wanted:
            if step.for_s is not None:
                cell.advance(step.for_s)
                self._over_s = self.now_s
            elif step.does_something:
                cell.advance_ticks(1)  # what was done takes effect
            return
        met = self._await("expect", wanted, step.within_s or cell.step_s, result)
        if step.for_s is None:
            return
        end = met + round(step.for_s / cell.step_s)
        outcome = PASSED
        try:
            cell.stay(wanted, met, end)
        except NotKept:
            outcome = FAILED
        traces = [_between(one, met, end) for one in self._traces(wanted)]
        for condition, trace in zip(wanted, traces, strict=True):
            broken = np.flatnonzero(~condition.holds(trace))
            at = int(broken[0]) if len(broken) else len(trace) - 1
            result.checks.append(
                self._check("for", condition, trace, at, outcome if len(broken) else PASSED)(
                    wanted=f"stays {condition.wanted(trace.signal.unit)} for {step.for_s:g} s",
                    value_margin=_least(condition, trace),
                )
            )
        if outcome is FAILED:
            raise _StepFailed
        self._over_s += step.for_s

    def _await(
        self, what: str, wanted: Sequence[Condition], within_s: float, result: StepResult
    ) -> int:
        """Wait for conditions; the tick in which all of them hold."""
        begun_s = self._cell.time_s
        try:
            look_at = min((one for one in self._planned if one > self._cell.tick), default=0)
            met = self._cell.wait_for(wanted, within_s, look_at=look_at).tick
        except NotInTime:
            met = None
        for condition, trace in zip(wanted, self._traces(wanted), strict=True):
            place = len(trace) - 1 if met is None else int(np.searchsorted(trace.tick, met))
            holds = bool(condition.holds(trace.part(place, place + 1))[0])
            took_s = float(trace.time_s[place]) - begun_s
            result.checks.append(
                self._check(what, condition, trace, place, PASSED if holds else FAILED)(
                    took_s=took_s,
                    limit_s=within_s,
                    value_margin=_least(condition, trace.part(place, place + 1)),
                )
            )
        if met is None:
            if all(check.outcome is PASSED for check in result.checks):
                seen = "each was true, but never all of them in one tick"
                result.checks.append(Check(what, "", "together", seen, self.now_s, FAILED))
            raise _StepFailed
        self._over_s = float(met * self._cell.step_s) - self._start_s
        return met

    def whole(self, first: int) -> StepResult:
        """What must never happen, over the whole scenario."""
        checks = self._never_checks(self._never, first)
        return StepResult(WHOLE, 0.0, self.now_s, checks, _outcome(checks))

    def _never_checks(self, forbidden: Sequence[Condition], first: int) -> list[Check]:
        """What must not be true is not, in any tick from the first on."""
        checks = []
        for condition, trace in zip(forbidden, self._traces(forbidden), strict=True):
            part = trace.part(int(np.searchsorted(trace.tick, first)))
            broken = np.flatnonzero(condition.holds(part))
            margins = condition.margins(part.numbers)
            place = int(broken[0]) if len(broken) else len(part) - 1
            if margins is not None and not len(broken):
                place = int(np.argmax(margins))  # where it came closest
            checks.append(
                self._check("never", condition, part, place, FAILED if len(broken) else PASSED)(
                    value_margin=None if margins is None else -float(np.max(margins))
                )
            )
        return checks

    def _check(
        self, what: str, condition: Condition, trace: Trace, place: int, outcome: Outcome
    ) -> Callable[..., Check]:
        """A check of a signal at a place of its trace; the rest is told by name."""
        unit = f" {trace.signal.unit}" if trace.signal.unit else ""

        def check(**more: Any) -> Check:
            told: dict[str, Any] = {
                "what": what,
                "signal": condition.signal,
                "wanted": condition.wanted(trace.signal.unit),
                "seen": shown(trace[place], unit),
                "at_s": float(trace.time_s[place]) - self._start_s,
                "outcome": outcome,
                "unit": trace.signal.unit,
            }
            return Check(**{**told, **more})

        return check

    def _traces(self, wanted: Sequence[Condition]) -> list[Trace]:
        return self._cell.traces([one.signal for one in wanted]) if wanted else []


def conditions(table: Mapping[str, Any]) -> list[Condition]:
    """The conditions of a table of a scenario."""
    return [condition_of(signal, plain(wanted)) for signal, wanted in table.items()]


def _outcome(checks: Sequence[Check]) -> Outcome:
    return FAILED if any(check.outcome is FAILED for check in checks) else PASSED


def _between(trace: Trace, first: int, last: int) -> Trace:
    """The part of a trace from one tick to another, both included."""
    from_, to = np.searchsorted(trace.tick, [first, last + 1])
    return trace.part(int(from_), int(to))


def _least(condition: Condition, trace: Trace) -> float | None:
    """The smallest margin of all ticks."""
    margins = condition.margins(trace.numbers)
    return None if margins is None or not len(margins) else float(np.min(margins))
