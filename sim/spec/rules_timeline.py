"""The timeline may set what a controller may set, and fault levers, at times that are ticks."""

import math
import sys

from twincell.sim.devices import modules
from twincell.sim.devices.contract import DeviceSignal, Holder
from twincell.sim.signals import WHOLE, Kind, lever_range
from twincell.sim.spec.cell import CommandValue
from twincell.sim.spec.draft import SECTIONS, Draft
from twincell.sim.spec.problems import Problems, key_of, list_known, nearest, number
from twincell.sim.spec.robot_commands import AXIS, robot_commands
from twincell.sim.spec.rules_names import MOVES
from twincell.sim.spec.wording import shown

MOST_STEPS = 1e9  # chosen: eleven days at 1 ms
STEP_SLACK = 1e-6  # of a step: chosen, far above the rounding of at_s / step_s in an hour's run
MOST_AXES = 100  # chosen: of a robot whose model has a mistake, so that its axes are not known

KINDS: dict[Kind, str] = {  # what a value must be
    Kind.BOOLEAN: "true or false",
    Kind.INT32: "a whole number of 32 bits",
    Kind.UINT16: "a whole number from 0 to 65535",
    Kind.DOUBLE: "a number",
}
EXAMPLES = {Kind.BOOLEAN: "true", Kind.INT32: "1", Kind.UINT16: "1", Kind.DOUBLE: "0.5"}


def check_timeline(draft: Draft, problems: Problems) -> None:
    """Each entry sets commands of the cell or moves robots, at a whole number of steps."""
    commands = _commands(draft)
    levers = _levers(draft)
    taken: dict[tuple[float, str], str] = {}
    for place, entry in draft.timeline.items():
        if "step_s" not in draft.bad_keys:
            _check_time(f"timeline[{place}].at_s", entry.at_s, draft.cell.step_s, problems)
        if not any(getattr(entry, part) for part in ("set", *MOVES)):
            hint = f"give set, {', '.join(MOVES[:-1])} or {MOVES[-1]}"
            key = f"timeline[{place}]" + (".set" if "set" in entry.model_fields_set else "")
            problems.add(key, "nothing is set and nothing moves", hint)
        for signal, value in entry.set.items():
            key = key_of(["timeline", place, "set", signal])
            first = taken.setdefault((tick_of(entry.at_s, draft), signal), key)
            if first != key:
                text = f"{signal} is set at {number(entry.at_s)} s already"
                problems.add(key, text, hint=f"remove it here or in {problems.source.place(first)}")
            if signal not in commands:
                _check_unknown(key, signal, list(commands), draft, problems)
            elif not _is_of(commands[signal], value):
                kind = commands[signal]
                text = f"{signal} is {KINDS[kind]}, not {shown(value)}"
                problems.add(key, text, hint=f'write "{signal}" = {EXAMPLES[kind]}')
            elif lever := levers.get(signal):
                _check_lever(key, signal, lever, value, problems)


def _commands(draft: Draft) -> dict[str, Kind]:
    """Everything that may be set; an entry with a mistake is given what it may have meant."""
    cell = draft.cell
    driven = _driven(draft)
    commands = {
        f"{name}.Closed": Kind.BOOLEAN
        for name in draft.names["collision_object"]
        if name not in cell.collision_object
        or (cell.collision_object[name].mode == "control" and name not in driven)
    }
    for name in draft.names["robot"]:
        model = cell.robot_models.get(name)
        commands |= robot_commands(name, len(model.axes) if model else MOST_AXES)
    for device, module in modules("signals").items():
        for name in draft.names[device]:
            commands |= {f"{name}.{one.quantity}": one.kind for one in module.SIGNALS.settable}
    return commands


def _levers(draft: Draft) -> dict[str, DeviceSignal]:
    """What can be broken."""
    return {
        f"{name}.{lever.quantity}": lever
        for device, module in modules("signals").items()
        for name in draft.names[device]
        for lever in module.SIGNALS.levers
    }


def _driven(draft: Draft) -> dict[str, Holder]:
    """Collision objects without a command, and which device they obey."""
    devices = modules("spec").values()
    found = [d.holders(draft.cell) for d in devices if hasattr(d, "holders")]
    return {name: holder for of_device in found for name, holder in of_device.items()}


def _is_of(kind: Kind, value: CommandValue) -> bool:
    if kind is Kind.BOOLEAN or isinstance(value, bool):
        return kind is Kind.BOOLEAN and isinstance(value, bool)
    if kind in WHOLE:
        least, most = WHOLE[kind]
        return value % 1 == 0 and least <= value <= most
    return abs(value) <= sys.float_info.max  # which nan is not


def _check_lever(
    key: str, signal: str, lever: DeviceSignal, value: CommandValue, problems: Problems
) -> None:
    """A lever means nothing beyond its range: InjectFault would refuse it."""
    least, most = lever_range(lever.limits)
    if not least <= value <= most:
        within = f"{number(least)} to {number(most)}"
        text = f"{signal} goes from {within}, not to {shown(value)}"
        problems.add(key, text, hint=f"stay in {within}")


def tick_of(at_s: float, draft: Draft) -> float:
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
    # the object decides what was meant: any two commands look alike at their ends
    meant = nearest(name, [command.partition(".")[0] for command in commands])
    own = [command for command in commands if command.partition(".")[0] == meant]
    near = nearest(quantity, [command.partition(".")[2] for command in own])
    known = list_known(own or commands) or "the cell has no commands"
    if section is None or (meant == name and near):
        hint = f"did you mean {meant}.{near}?" if near else known
        if near and quantity.startswith(AXIS):  # the name is right, the number is not
            n_axes = sum(command.startswith(f"{meant}.{AXIS}") for command in own)
            hint = f"{meant} has {n_axes} axes: {meant}.{AXIS}1 to {meant}.{AXIS}{n_axes}"
        problems.add(key, f"there is no command {signal}", hint)
    elif (driven := _driven(draft).get(name)) and driven.driver and quantity == "Closed":
        text = f"{signal} is not a command: {driven.driver} drives it"
        problems.add(key, text, driven.hint)
    elif section == "collision_object" and quantity == "Closed":
        text = f"{signal} is not a command: {name} is passive and catches always"
        problems.add(key, text, hint=f'write mode = "control" in collision_object.{name}')
    else:
        problems.add(key, f"{signal} is not a command: a controller cannot set it", hint=known)
