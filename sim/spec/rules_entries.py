"""Rules within one entry: an inertia that a body can have, one shape, times that increase."""

import math
from types import UnionType
from typing import get_args

from twincell.sim.spec.cell import Mover
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.inertia import check_inertia
from twincell.sim.spec.joint import MovingJoint
from twincell.sim.spec.problems import Problems, number
from twincell.sim.spec.rules_sizes import SHORTEST_DIRECTION
from twincell.sim.spec.table import Table


def check_inertias(draft: Draft, problems: Problems) -> None:
    """A body's inertia must be one that matter can have."""
    for name, body in draft.cell.body.items():
        check_inertia(f"body.{name}.inertia_kg_m2", body.inertia_kg_m2, problems)


def check_directions(draft: Draft, problems: Problems) -> None:
    """A direction needs a length."""
    directions = {
        f"joint.{name}.axis": joint.axis
        for name, joint in draft.cell.joint.items()
        if isinstance(joint, MovingJoint)
    }
    directions |= {
        f"mover.{name}.sine.direction": mover.sine.direction
        for name, mover in draft.cell.mover.items()
        if mover.sine
    }
    for key, direction in directions.items():
        if math.hypot(*direction) < SHORTEST_DIRECTION:
            problems.add(key, "has no length", hint="give a direction, such as [0, 0, 1]")


def shape_names(model: type[Table]) -> tuple[str, ...]:
    """The keys of a table that are shapes: those that may hold a table of their own."""
    return tuple(
        key
        for key, field in model.model_fields.items()
        if isinstance(field.annotation, UnionType)
        and any(isinstance(x, type) and issubclass(x, Table) for x in get_args(field.annotation))
    )


def check_shapes(draft: Draft, problems: Problems) -> None:
    """Collision objects, surfaces and visuals have one shape, and only control objects close."""
    for name, item in draft.cell.collision_object.items():
        _check_one_shape(f"collision_object.{name}", item, problems)
        if item.closed and item.mode == "passive":
            problems.add(
                f"collision_object.{name}.closed",
                "a passive object catches always, closed or not",
                hint='write mode = "control", or remove closed',
            )
    for name, surface in draft.cell.surface.items():
        _check_one_shape(f"surface.{name}", surface, problems)
    for name, visual in draft.cell.visual.items():
        _check_one_shape(f"visual.{name}", visual, problems)


def _check_one_shape(key: str, item: Table, problems: Problems) -> None:
    known = shape_names(type(item))
    given = [shape for shape in known if getattr(item, shape) is not None]
    given.sort(key=lambda shape: problems.source.line_of(f"{key}.{shape}") or 0)
    if not given:
        problems.add(key, "has no shape", hint=f"give one of {', '.join(known)}")
    elif len(given) > 1:
        text = f"has {len(given)} shapes: {', '.join(given)}"
        problems.add(f"{key}.{given[-1]}", text, hint="keep one")


def check_movers(draft: Draft, problems: Problems) -> None:
    """A mover stands, follows waypoints or swings: one of them, and with times that increase."""
    for name, mover in draft.cell.mover.items():
        key = f"mover.{name}"
        if mover.waypoints:
            _check_waypoints(key, mover, draft.cell.step_s, problems)
        if mover.sine and mover.waypoints:
            text = "has waypoints and a sine: it cannot follow both"
            problems.add(f"{key}.sine", text, hint="keep one")
        if mover.sine and mover.sine.amplitude_m == mover.sine.amplitude_deg == 0:
            text = "does not swing: both amplitudes are 0"
            problems.add(f"{key}.sine", text, hint="give amplitude_m or amplitude_deg")


def _check_waypoints(key: str, mover: Mover, step_s: float, problems: Problems) -> None:
    for pose in ("position_m", "orientation_deg"):
        if pose in mover.model_fields_set:
            text = "the waypoints say where the mover is"
            problems.add(f"{key}.{pose}", text, hint="remove it, or the waypoints")
    before = -math.inf
    for place, waypoint in enumerate(mover.waypoints or ()):
        if waypoint.at_s <= before:
            problems.add(
                f"{key}.waypoints[{place}].at_s",
                f"{number(waypoint.at_s)} s is not after the waypoint before, {number(before)} s",
                hint="times must increase from waypoint to waypoint",
            )
        elif waypoint.at_s - before < step_s * (1 - 1e-6):  # but for the rounding of a difference
            problems.add(
                f"{key}.waypoints[{place}].at_s",
                f"less than one step of {number(step_s * 1e3)} ms after the waypoint before",
                hint="leave the mover at least one step to get there",
            )
        before = waypoint.at_s
