"""Every wire of a bridge has an end of its own, and a password is never in the cell file."""

from collections.abc import Iterator

from twincell.sim.spec.bridge import Bridge, BridgeWire
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.problems import Problems

DIRECTIONS = ("command", "feedback")


def check_bridges(draft: Draft, problems: Problems) -> None:
    """Note bridges that carry nothing, that cannot log in, and wires that meet."""
    commanded: dict[str, str] = {}  # who writes each command, over all bridges
    for place, bridge in draft.bridge.items():
        key = f"bridge[{place}]"
        if not bridge.command and not bridge.feedback:
            hint = 'give command or feedback, such as [{ node = "ns=3;s=Close", signal = "..." }]'
            problems.add(key, "the bridge carries nothing", hint)
        _check_login(key, bridge, problems)
        _check_commands(key, bridge, commanded, problems)
        _check_nodes(key, bridge, problems)


def _check_login(key: str, bridge: Bridge, problems: Problems) -> None:
    given = [name for name in ("password_env", "password_file") if getattr(bridge, name)]
    if bridge.user and len(given) != 1:
        text = "both are given" if given else f"missing: the user {bridge.user} needs a password"
        hint = "name the variable with password_env, or the file with password_file"
        problems.add(f"{key}.{given[-1] if given else 'password_env'}", text, hint)
    for name in given if not bridge.user else ():
        problems.add(f"{key}.{name}", "there is no user to log in", hint="give user")
    if bridge.security == "None" and "mode" in bridge.model_fields_set:
        text = 'security = "None" neither signs nor encrypts'
        problems.add(f"{key}.mode", text, hint="leave mode out, or choose a security policy")


def _check_commands(
    key: str, bridge: Bridge, commanded: dict[str, str], problems: Problems
) -> None:
    for number, wire in enumerate(bridge.command):
        wire_key = f"{key}.command[{number}].signal"
        first = commanded.setdefault(wire.signal, wire_key)
        if first != wire_key:
            text = f"{wire.signal} is written by {problems.source.place(first)} already"
            problems.add(wire_key, text, hint="a command has one source: remove one of them")


def _check_nodes(key: str, bridge: Bridge, problems: Problems) -> None:
    """A node that we write is ours alone; a bit of a word carries one signal."""
    read = {wire.node for wire in bridge.command}
    ends: dict[str, dict[int | None, str]] = {}
    for wire_key, wire in _wires(key, bridge):
        if wire_key.startswith(f"{key}.feedback"):
            if wire.node in read:
                text = f"{wire.node} is read by this bridge, and would be written by it too"
                problems.add(wire_key, text, hint="give each direction a node of its own")
                continue
            taken = ends.setdefault(wire.node, {})
            if wire.bit in taken:
                what = f"bit {wire.bit} of {wire.node}" if wire.bit is not None else wire.node
                text = f"{what} is written by {problems.source.place(taken[wire.bit])} already"
                problems.add(wire_key, text, hint="choose another node or bit")
            elif taken and (wire.bit is None or None in taken):
                text = f"{wire.node} is written once as a whole and once bit by bit"
                problems.add(wire_key, text, hint="give every signal of a word its bit")
            taken.setdefault(wire.bit, wire_key)


def _wires(key: str, bridge: Bridge) -> Iterator[tuple[str, BridgeWire]]:
    for direction in DIRECTIONS:
        for number, wire in enumerate(getattr(bridge, direction)):
            yield f"{key}.{direction}[{number}].node", wire
