"""The controller's cycle fits the tick, and what is to happen when it is lost can happen."""

from twincell.sim.spec.controller import MOST_CYCLE_TICKS, ticks_of_cycle
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.problems import Problems, number


def check_controller(draft: Draft, problems: Problems) -> None:
    """Note a cycle between two ticks, and a reaction that changes nothing."""
    if "controller" in draft.bad_keys:
        return
    controller = draft.cell.controller
    if "step_s" not in draft.bad_keys:
        _check_cycle(controller.cycle_ms, draft.cell.step_s, problems)
    if controller.when_lost == "stop" and not draft.names["robot"]:
        problems.add(
            "controller.when_lost",
            '"stop" stops robots, and the cell has none',
            hint='write "pause", which holds the whole cell',
        )
    if controller.when_lost != "nothing" and controller.silence_s == 0.0:
        problems.add(
            "controller.silence_s",
            f'missing: when_lost = "{controller.when_lost}" needs it',
            hint="say after how much silence the controller is lost, such as silence_s = 2",
        )


def _check_cycle(cycle_ms: float | None, step_s: float, problems: Problems) -> None:
    if cycle_ms is None or ticks_of_cycle(cycle_ms, step_s) is not None:
        return
    step_ms = number(step_s * 1e3)
    problems.add(
        "controller.cycle_ms",
        f"{number(cycle_ms)} is not a whole number of ticks of {step_ms} ms",
        hint=f"give a multiple of {step_ms}, at most {MOST_CYCLE_TICKS} ticks",
    )
