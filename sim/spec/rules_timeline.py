"""The timeline may set what a controller may set, at times that are ticks."""

import math

from sim.spec.draft import SECTIONS, Draft
from sim.spec.problems import Problems, key_of, list_known, nearest, number
from sim.spec.wording import shown

MOST_STEPS = 1e9  # chosen: eleven days at 1 ms
STEP_SLACK = 1e-6  # of a step: chosen, far above the rounding of at_s / step_s in an hour's run


def check_timeline(draft: Draft, problems: Problems) -> None:
    """Each entry sets commands of the cell, at a whole number of steps."""
    valid = draft.cell.collision_object
    # an object with a mistake may have been meant as a control object
    commands = [
        f"{name}.Closed"
        for name in draft.names["collision_object"]
        if name not in valid or valid[name].mode == "control"
    ]
    taken: dict[tuple[float, str], str] = {}
    for place, entry in draft.timeline.items():
        if "step_s" not in draft.bad_keys:
            _check_time(f"timeline[{place}].at_s", entry.at_s, draft.cell.step_s, problems)
        for signal, value in entry.set.items():
            key = key_of(["timeline", place, "set", signal])
            first = taken.setdefault((_tick(entry.at_s, draft), signal), key)
            if first != key:
                text = f"{signal} is set at {number(entry.at_s)} s already"
                problems.add(key, text, hint=f"remove it here or in {problems.source.place(first)}")
            if signal not in commands:
                _check_unknown(key, signal, commands, draft, problems)
            elif not isinstance(value, bool):
                text = f"{signal} is true or false, not {shown(value)}"
                problems.add(key, text, hint=f'write "{signal}" = true')


def _tick(at_s: float, draft: Draft) -> float:
    """The tick that latches an entry; its time, where that cannot be known."""
    steps = at_s / draft.cell.step_s
    known = "step_s" not in draft.bad_keys and steps <= MOST_STEPS
    return round(steps) if known else at_s


def _check_time(key: str, at_s: float, step_s: float, problems: Problems) -> None:
    steps = at_s / step_s
    if steps > MOST_STEPS:
        hint = f"stay below {number(MOST_STEPS * step_s)}"
        problems.add(key, f"{number(at_s)} s is more than {number(MOST_STEPS)} steps away", hint)
        return
    if abs(steps - round(steps)) <= STEP_SLACK:
        return
    before, after = math.floor(steps) * step_s, math.ceil(steps) * step_s
    problems.add(
        key,
        f"{number(at_s)} s is not a whole number of steps of {number(step_s * 1e3)} ms",
        hint=f"write {number(before)} or {number(after)}",
    )


def _check_unknown(
    key: str, signal: str, commands: list[str], draft: Draft, problems: Problems
) -> None:
    """Say why a signal is not a command: it is nobody's, or the cell decides it itself."""
    name, _, quantity = signal.partition(".")
    section = next((section for section in SECTIONS if draft.has(section, name)), None)
    known = list_known(commands) or "the cell has no commands"
    # the object decides what was meant: any two commands look alike at their ends
    meant = nearest(name, [command.removesuffix(".Closed") for command in commands])
    if section is None or (meant == name and nearest(quantity, ["Closed"])):
        hint = f"did you mean {meant}.Closed?" if meant else known
        problems.add(key, f"there is no command {signal}", hint)
    elif section == "collision_object" and quantity == "Closed":
        text = f"{signal} is not a command: {name} is passive and catches always"
        problems.add(key, text, hint=f'write mode = "control" in collision_object.{name}')
    else:
        problems.add(key, f"{signal} is not a command: a controller cannot set it", hint=known)
