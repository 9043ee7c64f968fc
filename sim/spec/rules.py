"""The rules of a cell that concern more than one key; `check` is their table of contents."""

import math

from twincell.sim.devices import modules
from twincell.sim.spec.draft import SECTIONS, Draft
from twincell.sim.spec.problems import Problems, number
from twincell.sim.spec.rules_bridges import check_bridges
from twincell.sim.spec.rules_contact import check_contact
from twincell.sim.spec.rules_controller import check_controller
from twincell.sim.spec.rules_entries import (
    check_directions,
    check_inertias,
    check_movers,
    check_shapes,
)
from twincell.sim.spec.rules_joints import check_joints
from twincell.sim.spec.rules_mounting import check_mounting
from twincell.sim.spec.rules_moves import check_moves
from twincell.sim.spec.rules_names import check_names, check_references
from twincell.sim.spec.rules_robots import check_robots
from twincell.sim.spec.rules_timeline import check_timeline

# a cell of nothing but these does nothing
NOTHING_ALONE = ("frame", "surface", "material", "pairing", "watched_contact", "visual")

# Largest eta * step_s at which the error of a caught object decays, x'' = -2 eta x' - eta² x.
# Both eigenvalues are -eta, so eta * step_s must lie within the integrator's stability interval.
LARGEST_ETA_STEP = {
    "rk4": 2.785,  # the real interval: root of 1 - z + z²/2 - z³/6 + z⁴/24 = 1
    "semi_implicit": 0.828,  # 2 (sqrt 2 - 1): where an eigenvalue of the step reaches -1
}


def check(draft: Draft, problems: Problems) -> None:
    """Note every broken rule among the valid entries of a cell."""
    check_not_empty(draft, problems)
    check_names(draft, problems)
    check_references(draft, problems)
    check_mounting(draft, problems)
    check_robots(draft, problems)
    check_inertias(draft, problems)
    check_directions(draft, problems)
    check_shapes(draft, problems)
    check_movers(draft, problems)
    check_joints(draft, problems)
    check_stability(draft, problems)
    for device in modules("rules").values():
        device.check(draft, problems)
    check_contact(draft, problems)
    check_timeline(draft, problems)
    check_moves(draft, problems)
    check_controller(draft, problems)
    check_bridges(draft, problems)


def check_not_empty(draft: Draft, problems: Problems) -> None:
    """A cell needs more than places to stand and shapes to draw."""
    sections = [section for section in SECTIONS if section not in NOTHING_ALONE]
    # a section that was misspelt or misread is another mistake, named already
    misread = draft.bad_keys & set(sections) or draft.bad_keys - set(type(draft.cell).model_fields)
    if not misread and not any(draft.names[section] for section in sections):
        hint = "begin with [body.Name], [mover.Name] or [robot.Name]"
        problems.add("", "the cell is empty: nothing in it can move or catch", hint)


def check_stability(draft: Draft, problems: Problems) -> None:
    """A caught object's error must decay, not grow from step to step."""
    cell = draft.cell
    if draft.bad_keys & {"step_s", "integrator"}:
        return
    limit = LARGEST_ETA_STEP[cell.integrator]
    for name, constrained in cell.constrained_object.items():
        if constrained.eta * cell.step_s < limit:
            continue
        # rounded down, so that the advice holds; the nudge keeps 2785 from becoming 2784
        largest = limit / cell.step_s * (1 + 1e-12)
        if largest >= 1:
            largest = math.floor(largest)
        problems.add(
            f"constrained_object.{name}.eta",
            f"{number(constrained.eta)} is unstable with a step of {number(cell.step_s * 1e3)} ms",
            hint=f"stay below {number(largest)}, or shorten step_s",
        )
