"""From a scenario file to a checked scenario: everything that is wrong with it is said at once.

What a file says by itself is checked here; whether its signals exist, in `scenario_signals.py`.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from twincell.server.errors import Refusal
from twincell.server.kit.cell_pool import cell_path
from twincell.server.kit.scenario import Bounds, Scenario, Step
from twincell.sim.spec.file_text import decode, parse_toml, read_bytes
from twincell.sim.spec.problems import Problems, did_you_mean, key_of, number
from twincell.sim.spec.rules_texts import check_texts
from twincell.sim.spec.wording import report, shown

CONDITIONS = ("when", "expect", "never")
ACTIONS = ("clear_faults", "fault", "set", "call", "move_joint", "move_linear", "move_via")
QUOTES = 'the name of a signal has a dot: write it in quotes, "Tool1.Partner" = "Holder1"'


class ScenarioDraft(NamedTuple):
    """What could be read of a scenario file, and what is wrong with it."""

    scenario: Scenario | None  # what is valid; None if not even its cell is known
    problems: Problems


def load_scenario(path: Path) -> Scenario:
    """Read a scenario file and check it; raises SpecError."""
    draft = read_scenario(path)
    draft.problems.raise_if_any()
    assert draft.scenario is not None
    return draft.scenario


def read_scenario(path: Path) -> ScenarioDraft:
    """Read what is valid in a scenario file; raises SpecError for what is no TOML."""
    file = str(path)
    data = read_bytes(path)
    raw, source = parse_toml(decode(data, file), file)
    problems = Problems(source)
    check_texts(raw, problems)
    steps = _read_steps(raw, problems)
    # the scenario's own keys, with steps that do no harm
    rest = {**raw, "step": [{"name": "step"}]} if "step" in raw else raw
    read = _validated(Scenario, rest, [], raw, problems)
    if read is None or not _has_cell(read, path, problems):
        return ScenarioDraft(None, problems)
    _check_bounds(read.never, ["never"], problems)
    whole: Scenario = read.model_copy(update={"step": steps})
    whole._source = source
    whole._fingerprint = hashlib.sha256(data).hexdigest()
    return ScenarioDraft(whole, problems)


def _read_steps(raw: dict[str, Any], problems: Problems) -> list[Step]:
    """All steps, as far as they are valid; one bad step does not hide another's mistakes."""
    entries = raw.get("step", [])
    if not isinstance(entries, list) or not all(isinstance(one, dict) for one in entries):
        hint = "write [[step]], with two brackets, once for each step"
        problems.add("step", f"must be a list of tables, not {shown(entries)}", hint)
        return []
    steps: list[Step] = []
    for place, entry in enumerate(entries):
        before = len(problems)
        step = _validated(Step, entry, ["step", place], raw, problems)
        if step is not None and len(problems) == before:
            _check_step(step, place, problems)
        steps.append(step or Step(name="step"))
    _check_order(steps, problems)
    return steps


def _validated(
    table: type[Any], data: Any, parts: list[str | int], raw: dict[str, Any], problems: Problems
) -> Any:
    """A table of the file without what is wrong with it, which is noted; None if nothing is left.

    So the rest of a step that has a wrong key is checked as well.
    """
    try:
        return table.model_validate(data)
    except ValidationError as error:
        mistakes = error.errors(include_url=False, include_context=False)
    for mistake in mistakes:
        location = [*parts, *mistake["loc"]]
        asked = next((k for k, part in enumerate(location) if part in CONDITIONS), None)
        if asked is not None and len(location) > asked + 1:
            _report_condition(location[: asked + 2], raw, problems)
        else:
            report(mistake["type"], location, raw, problems, Scenario)
    try:
        return table.model_validate(_without(data, [mistake["loc"] for mistake in mistakes]))
    except ValidationError:
        return None


def _without(data: dict[str, Any], places: Iterable[tuple[int | str, ...]]) -> dict[str, Any]:
    """A table without its wrong entries; one that has no name is given one."""
    left = {key: dict(value) if isinstance(value, dict) else value for key, value in data.items()}
    for key, *below in places:
        if below and isinstance(left.get(str(key)), dict):
            left[str(key)].pop(below[0], None)
        else:
            left.pop(str(key), None)
    return {"name": "step", **left}


def _report_condition(location: list[str | int], raw: Any, problems: Problems) -> None:
    """What is wrong with a condition: pydantic tells of every form that it might have had."""
    wanted = raw
    for part in location:
        wanted = wanted[part]
    key = key_of(location)
    if not isinstance(wanted, Mapping):
        text = f"must be a value or a table of bounds, not {shown(wanted)}"
        problems.add(key, text, 'for example { above = 5.0 } or "Holder1"')
        return
    for name, bound in wanted.items():
        if name not in Bounds.model_fields:
            dotted = name[:1].isupper()
            hint = QUOTES if dotted else did_you_mean(name, Bounds.model_fields)
            problems.add(f"{key}.{name}", "unknown key", hint)
        else:
            try:
                Bounds.model_validate({name: bound})
            except ValidationError:
                text = "two numbers" if name == "between" else "a number"
                text = text if name != "is_not" else "a value, not a number with a point"
                problems.add(f"{key}.{name}", f"must be {text}, not {shown(bound)}")


# ---------------------------------------------------------------- rules of a step


def _check_step(step: Step, place: int, problems: Problems) -> None:
    key = f"step[{place}]"
    lasts = bool(step.expect or step.for_s is not None or step.when or step.at_s is not None)
    if not lasts and not step.does_something:
        hint = f"give expect, for_s, when, at_s, {', '.join(ACTIONS[1:-1])} or {ACTIONS[-1]}"
        problems.add(key, "nothing happens in this step", hint)
    if step.within_s is not None and not step.expect:
        hint = "give expect too; to let time pass: for_s; for `when`: when_within_s"
        problems.add(f"{key}.within_s", "there is nothing to expect within this time", hint)
    if step.never and step.for_s is None and not step.expect and not step.when:
        problems.add(f"{key}.never", "the step ends at once", "give for_s: how long it lasts")
    for name in CONDITIONS:
        _check_bounds(getattr(step, name), ["step", place, name], problems)
    for place_of_move, (robot, move) in enumerate(step.move_joint.items()):
        if move.position_m is None and move.joints_deg is None and move.joints_m is None:
            hint = "give joints_deg for hinges and joints_m for slides, or position_m for a pose"
            moved = key_of(["step", place, "move_joint", robot])
            problems.add(moved, f"move {place_of_move + 1} has no target", hint)


def _check_bounds(
    conditions: Mapping[str, Any], parts: list[str | int], problems: Problems
) -> None:
    """A table of bounds has one at least, and the lower one first."""
    for signal, wanted in conditions.items():
        if not isinstance(wanted, Bounds):
            continue
        key = key_of([*parts, signal])
        if not wanted.model_fields_set:
            problems.add(key, "has no bounds", "give above, below, between or is_not")
        if wanted.between and wanted.between[0] > wanted.between[1]:
            low, high = (number(one) for one in wanted.between)
            problems.add(f"{key}.between", f"{low} is above {high}", f"write [{high}, {low}]")
        if wanted.above is not None and wanted.below is not None and wanted.above >= wanted.below:
            text = f"nothing is above {number(wanted.above)} and below {number(wanted.below)}"
            problems.add(key, text, "swap them")


def _check_order(steps: Sequence[Step], problems: Problems) -> None:
    """Steps begin one after the other."""
    latest = 0.0
    for place, step in enumerate(steps):
        if step.at_s is not None and step.at_s < latest:
            text = f"{number(step.at_s)} s is before the step at {number(latest)} s"
            problems.add(f"step[{place}].at_s", text, "steps run in the order of the file")
        latest = max(latest, step.at_s or 0.0)


def _has_cell(scenario: Scenario, path: Path, problems: Problems) -> bool:
    """Whether the cell of a scenario is there."""
    try:
        cell_path(scenario.cell, path.parent)
    except Refusal as refusal:
        text, _, hint = str(refusal).partition("\n  hint: ")
        problems.add("cell", text, hint)
        return False
    return True
