"""Rules of tool changers: what they refer to is of the right kind, and nobody else has it."""

import math

from twincell.sim.devices.tool_changer.spec import Tool, ToolChanger
from twincell.sim.spec.cell import CellSpec, CollisionObject
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.problems import Problems, did_you_mean, number
from twincell.sim.spec.rules_names import check_references_of

SHORTEST_CONTACT_S = 0.1  # contacts part no earlier after UNLATCH: ATI 9620-20-C-DL10, 2.2.3
LONGEST_POWER_OFF_S = 0.05  # power is off earlier than this: the same


def check(draft: Draft, problems: Problems) -> None:
    """Note every broken rule of a tool changer or a tool."""
    check_references_of("tool_changer", "flange", ("collision_object",), draft, problems)
    _check_tools(draft, problems)
    _check_changers(draft, problems)


def _check_tools(draft: Draft, problems: Problems) -> None:
    """A tool is a constrained object, and no two tools have the same number."""
    numbers: dict[int, str] = {}
    objects = draft.names["constrained_object"]
    for name in draft.names["tool"]:
        if name not in objects:
            hint = did_you_mean(name, objects) or f"add [constrained_object.{name}]"
            problems.add(f"tool.{name}", f"there is no constrained_object called {name}", hint)
    for name, tool in draft.cell.section("tool", Tool).items():
        first = numbers.setdefault(tool.id, f"tool.{name}.id")
        if first != f"tool.{name}.id":
            text = f"{tool.id} is the number of another tool already"
            hint = f"choose another one; see {problems.source.place(first)}"
            problems.add(f"tool.{name}.id", text, hint)
    _check_outputs(draft, problems)


def _check_outputs(draft: Draft, problems: Problems) -> None:
    """What a tool's outputs close is a control object that nobody else closes."""
    flanges = {
        changer.flange: name
        for name, changer in draft.cell.section("tool_changer", ToolChanger).items()
    }
    taken: dict[str, str] = {}
    for name, tool in draft.cell.section("tool", Tool).items():
        for jaw in tool.outputs:
            key = f"tool.{name}.outputs.{jaw}"
            wired = draft.cell.collision_object.get(jaw)
            first = taken.setdefault(jaw, key)
            if not draft.has("collision_object", jaw):
                hint = did_you_mean(jaw, draft.names["collision_object"])
                problems.add(key, f"there is no collision_object called {jaw}", hint)
            elif wired and wired.mode != "control":
                hint = f'write mode = "control" in collision_object.{jaw}'
                problems.add(key, f"{jaw} is passive: nothing opens and closes it", hint)
            elif wired and wired.closed:
                text = f"{jaw} cannot start closed: its tool has no power yet"
                problems.add(key, text, hint=f"remove closed from collision_object.{jaw}")
            elif jaw in flanges:
                text = f"{jaw} is the flange of {flanges[jaw]}, which closes it"
                problems.add(key, text, hint="name a control object on the tool's body")
            elif first != key:
                hint = f"one wire is enough; see {problems.source.place(first)}"
                problems.add(key, f"{jaw} is wired to another tool already", hint)


def _check_changers(draft: Draft, problems: Problems) -> None:
    """A changer has a flange of its own that nobody else closes, and times that fit together."""
    taken: dict[str, str] = {}
    for name, changer in draft.cell.section("tool_changer", ToolChanger).items():
        place = f"tool_changer.{name}"
        key = f"{place}.flange"
        flange = draft.cell.collision_object.get(changer.flange)
        if flange and flange.mode != "control":
            text = f"{changer.flange} is passive: a tool changer opens and closes its flange"
            hint = f'write mode = "control" in collision_object.{changer.flange}'
            problems.add(key, text, hint)
        first = taken.setdefault(changer.flange, key)
        if first != key:
            text = f"{changer.flange} is the flange of another tool changer already"
            hint = f"give it a flange of its own; see {problems.source.place(first)}"
            problems.add(key, text, hint)
        if not draft.names["tool"]:
            text = "there is no tool that it could couple"
            problems.add(place, text, hint="add [tool.Name], named like a constrained object")
        _check_times(place, changer, draft.cell.step_s, problems)
        _check_reach(place, changer, draft.cell, problems)
        _check_air(place, changer, problems)


def _check_times(place: str, changer: ToolChanger, step_s: float, problems: Problems) -> None:
    """Power goes before contacts part, and nothing is called late before it can be there.

    In ticks, as the changer counts: rounding can make a time longer or shorter than the file says.
    """

    def ticks(key: str) -> int:
        return changer.ticks(key, step_s)

    def seconds(ticks: int) -> str:
        return number(ticks * step_s)

    contact = ticks("valve_delay_s") + ticks("fill_s")
    shortest_contact = _steps_to(SHORTEST_CONTACT_S, step_s)
    if contact < shortest_contact:
        problems.add(
            f"{place}.fill_s" if changer.fill_s is not None else f"{place}.valve_delay_s",
            f"contacts could part {seconds(contact)} s after an unlock order, under power",
            hint=f"valve_delay_s and fill_s are at least {seconds(shortest_contact)} s together, "
            f"each in steps of {number(step_s)} s",
        )
    power_off = ticks("power_off_s")
    longest_power_off = _steps_to(LONGEST_POWER_OFF_S, step_s) - 1
    if power_off > longest_power_off:
        text = f"{seconds(power_off)} s is too long for power to stay on"
        hint = f"less than {number(LONGEST_POWER_OFF_S)} in whole steps of {number(step_s)} s: "
        problems.add(f"{place}.power_off_s", text, hint + f"at most {seconds(longest_power_off)}")
    for key, earliest in (
        ("stroke_time_out_s", contact + ticks("stroke_s")),
        ("power_time_out_s", ticks("power_start_s")),
        ("bus_time_out_s", ticks("bus_start_s")),
    ):
        if ticks(key) <= earliest:
            text = f"it takes {seconds(earliest)} s when all is well"
            problems.add(f"{place}.{key}", text, hint="give it more time")


def _steps_to(seconds: float, step_s: float) -> int:
    """The first tick that is no earlier than a time; a quotient of 5.000000001 means 5."""
    return math.ceil(seconds / step_s * (1 - 1e-9))


def _check_reach(place: str, changer: ToolChanger, cell: CellSpec, problems: Problems) -> None:
    """The flange catches whatever its changer may lock: else the tool would slip at once."""
    flange = cell.collision_object.get(changer.flange)
    objects = cell.constrained_object
    radii = {name: objects[name].radius_m for name in cell.section("tool", Tool) if name in objects}
    if flange is None or not radii:
        return
    tool = min(radii, key=radii.__getitem__)
    reach_m = _reach(flange, radii[tool])
    if reach_m is None:
        return
    gap_m = changer.size("gap_tolerance_m")
    if gap_m >= reach_m:
        text = f"{number(gap_m)} m is too far: {changer.flange} catches {tool} "
        text += f"within {number(reach_m)} m only"
        hint = f"stay below {number(reach_m)}, or enlarge collision_object.{changer.flange} "
        problems.add(f"{place}.gap_tolerance_m", text, hint + f"or constrained_object.{tool}")


def _reach(flange: CollisionObject, radius_m: float) -> float | None:
    """How far off its centre, in any direction, a flange still catches a tool of that radius."""
    if flange.sphere:
        return flange.sphere.radius_m + radius_m
    if flange.rectangle:
        return min(radius_m, flange.rectangle.length_m / 2, flange.rectangle.width_m / 2)
    if flange.disc:
        return min(radius_m, flange.disc.radius_m)
    if flange.cylinder:
        return min(flange.cylinder.radius_m, flange.cylinder.length_m / 2) + radius_m
    if flange.capsule:
        return flange.capsule.radius_m + radius_m
    if flange.box:
        return min(flange.box.size_m) / 2 + radius_m
    return None


def _check_air(place: str, changer: ToolChanger, problems: Problems) -> None:
    """The piston moves at the supply pressure, which counts as enough."""
    if changer.stall_bar >= changer.supply_bar:
        text = f"the piston never moves: supply_bar is {number(changer.supply_bar)}"
        problems.add(f"{place}.stall_bar", text, hint="stay well below supply_bar")
    if changer.ok_bar > changer.supply_bar:
        text = f"never reached: supply_bar is {number(changer.supply_bar)}"
        problems.add(f"{place}.ok_bar", text, hint="stay below supply_bar")
