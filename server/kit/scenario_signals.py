"""Does a cell have what a scenario talks about: signals, commands, faults, robots, methods?"""

from collections.abc import Mapping, Sequence
from typing import Any

from twincell.server.client.mistake import Mistake
from twincell.server.kit.catalogue import INJECT_FAULT, Catalogue, Kind, hint_at
from twincell.server.kit.connection import WANTED, argument_of, is_of
from twincell.server.kit.scenario import Bounds, Scenario, Step
from twincell.sim.spec.problems import Problems, did_you_mean, key_of, list_known
from twincell.sim.spec.wording import shown

BACK = "a scenario begins at the start: write a scenario of its own for what comes after"
WHOSE_TIME = "the scenario itself lets time pass: give for_s, at_s or when"
# time goes back or is somebody else's then: nobody could say what every tick of the scenario was
NOT_IN_A_SCENARIO = {
    "Simulation.Reset": BACK,
    "Simulation.Restore": BACK,
    "Simulation.SetTimeMode": WHOSE_TIME,
    "Simulation.Pause": WHOSE_TIME,
    "Simulation.Resume": WHOSE_TIME,
}


def check_signals(scenario: Scenario, catalogue: Catalogue, problems: Problems) -> None:
    """Note everything in a scenario that the cell does not have."""
    check = _Check(catalogue, problems)
    check.conditions(scenario.never, ["never"])
    for place, signal in enumerate(scenario.plot):
        check.signal(signal, key_of(["plot", place]))
    for place, step in enumerate(scenario.step):
        check.step(step, ["step", place])


class _Check:
    """Compares what a scenario names with what a cell has."""

    def __init__(self, catalogue: Catalogue, problems: Problems) -> None:
        self._catalogue = catalogue
        self._problems = problems

    def step(self, step: Step, parts: list[str | int]) -> None:
        """Everything in one step."""
        for name in ("when", "expect", "never"):
            self.conditions(getattr(step, name), [*parts, name])
        for command, value in step.set.items():
            self._command(command, value, key_of([*parts, "set", command]))
        if (step.fault or step.clear_faults) and INJECT_FAULT not in self._catalogue.methods:
            key = key_of([*parts, "fault" if step.fault else "clear_faults"])
            self._problems.add(key, "this cell has no faults to inject", "")
        for lever, value in step.fault.items():
            self._lever(lever, value, key_of([*parts, "fault", lever]))
        for place, call in enumerate(step.call):
            self._method(call.method, call.arguments, [*parts, "call", place])
        for move in ("move_joint", "move_linear", "move_via"):
            for robot in getattr(step, move):
                if robot not in self._catalogue.robots:
                    hint = did_you_mean(robot, self._catalogue.robots) or "the cell has no robots"
                    key = key_of([*parts, move, robot])
                    self._problems.add(key, f"there is no robot {robot}", hint)

    def conditions(self, conditions: Mapping[str, Any], parts: list[str | int]) -> None:
        """Signals exist, and can be what they are to be."""
        for signal, wanted in conditions.items():
            key = key_of([*parts, signal])
            if not self.signal(signal, key):
                continue
            kind = self._catalogue[signal].kind
            if isinstance(wanted, Bounds):
                self._bounds(signal, kind, wanted, key)
            elif kind is Kind.NUMBER:
                text = f"{signal} is a number, which is hardly ever equal to {shown(wanted)}"
                self._problems.add(key, text, "give bounds: { between = [9.7, 9.9] }")
            elif not is_of(kind, wanted):
                text = f"{signal} is a {kind.value}, and cannot be {shown(wanted)}"
                self._problems.add(key, text, WANTED[kind])

    def signal(self, signal: str, key: str) -> bool:
        """Whether there is such a signal."""
        if signal in self._catalogue:
            return True
        hint = hint_at(signal, list(self._catalogue))
        self._problems.add(key, f"there is no signal {signal}", hint)
        return False

    def _bounds(self, signal: str, kind: Kind, wanted: Bounds, key: str) -> None:
        has_bounds = wanted.model_fields_set - {"is_not"}
        if has_bounds and kind in (Kind.BOOLEAN, Kind.TEXT):
            text = f"{signal} is a {kind.value}: it has no bounds"
            self._problems.add(key, text, f"{WANTED[kind]}, or is_not")
        elif wanted.is_not is not None and (kind is Kind.NUMBER or not is_of(kind, wanted.is_not)):
            text = f"{signal} is a {kind.value}, and never {shown(wanted.is_not)}"
            self._problems.add(f"{key}.is_not", text, WANTED[kind])

    def _command(self, command: str, value: Any, key: str) -> None:
        commands = self._catalogue.commands
        if command not in self._catalogue:
            self._problems.add(key, f"there is no command {command}", hint_at(command, commands))
        elif command not in commands:
            text = f"{command} is not a command: the cell decides it itself"
            self._problems.add(key, text, list_known(commands))
        elif not is_of(self._catalogue[command].kind, value):
            kind = self._catalogue[command].kind
            text = f"{command} is a {kind.value}, not {shown(value)}"
            self._problems.add(key, text, WANTED[kind])
        elif self._catalogue[command].kind is Kind.WHOLE and not -(2**31) <= value < 2**31:
            text = f"{command} is a whole number of 32 bits, not {shown(value)}"
            self._problems.add(key, text, f"from {-(2**31)} to {2**31 - 1}")

    def _method(self, method: str, arguments: Sequence[Any], parts: list[str | int]) -> None:
        key = key_of([*parts, "method"])
        if method not in self._catalogue.methods:
            hint = did_you_mean(method, sorted(self._catalogue.methods))
            self._problems.add(key, f"there is no method {method}", hint)
        elif method in NOT_IN_A_SCENARIO:
            text = f"{method} cannot be called in a scenario"
            self._problems.add(key, text, NOT_IN_A_SCENARIO[method])
        else:
            self._arguments(method, arguments, key_of([*parts, "arguments"]))

    def _arguments(self, method: str, given: Sequence[Any], key: str) -> None:
        takes = self._catalogue.methods[method]
        wanted = ", ".join(one.Name for one in takes) or "nothing"
        if len(given) != len(takes):
            text = f"{method} takes {len(takes)} arguments, not {len(given)}"
            self._problems.add(key, text, f"it takes {wanted}")
            return
        for takes_one, value in zip(takes, given, strict=True):
            try:
                argument_of(takes_one, value)
            except Mistake as mistake:
                self._problems.add(key, f"{method}: {mistake}", mistake.hint)

    def _lever(self, lever: str, value: float, key: str) -> None:
        levers = self._catalogue.levers
        if lever not in levers:
            hint = hint_at(lever, levers) if levers else "the cell has none"
            self._problems.add(key, f"there is no fault {lever}", hint)
            return
        least, greatest = self._catalogue[lever].range
        if not least <= value <= greatest:
            text = f"{lever} cannot be {shown(value)}"
            self._problems.add(key, text, f"from {least:g} to {greatest:g}")
