"""Names and references: every name means one thing, and every reference something that exists."""

import re

from twincell.sim.devices import modules
from twincell.sim.spec.cell import WORLD
from twincell.sim.spec.draft import SECTIONS, Draft
from twincell.sim.spec.problems import Problems, did_you_mean, key_of
from twincell.sim.spec.table import NAME, PLACE

MOVES = ("move_joint", "move_linear", "move_via")
RESERVED = {  # what a name means already
    WORLD: "the world itself",
    "Cell": "the cell itself",
    "Simulation": "what a running cell tells about itself",
    "Bulk": "what a running cell tells in few arrays",
}
CARRIERS = ("frame", "body", "mover", "robot")  # what other things can be mounted on


def check_names(draft: Draft, problems: Problems) -> None:
    """No two entries share a name, as signals are named after them."""
    keys: dict[str, list[str]] = {}
    says_more = [s for d in modules("spec").values() for s in getattr(d, "SAYS_MORE", ())]
    for section in SECTIONS:
        if section in says_more:
            continue
        for name in draft.names[section]:
            keys.setdefault(name, []).append(key_of([section, name]))
    for place, bridge in draft.bridge.items():
        keys.setdefault(bridge.name, []).append(key_of(["bridge", place, "name"]))
    for name, places in keys.items():
        if name in RESERVED:
            for key in places:
                text = f"{name} is the name of {RESERVED[name]}"
                problems.add(key, text, hint="choose another name")
        first, *others = sorted(places, key=lambda key: problems.source.line_of(key) or 0)
        for key in others:
            problems.add(
                key,
                f"the name {name} is taken by {problems.source.place(first)}",
                hint="signals are named after it: choose another name",
            )


def check_references(draft: Draft, problems: Problems) -> None:
    """What an entry is mounted on, or joins, exists and is of the right kind.

    Read from the data as written, so that an entry with another mistake is looked at too.
    """
    mounted = ("frame", "robot", "collision_object", "constrained_object", "surface", "visual")
    for section in mounted:
        check_references_of(section, "on", CARRIERS, draft, problems)
    check_references_of("joint", "parent", CARRIERS, draft, problems)
    check_references_of("joint", "child", ("body",), draft, problems)
    for place, entry in draft.timeline.items():
        for kind in MOVES:
            for robot in getattr(entry, kind):
                key = key_of(["timeline", place, kind, robot])
                _check_reference(key, robot, ("robot",), draft, problems)


def check_references_of(
    section: str, key: str, allowed: tuple[str, ...], draft: Draft, problems: Problems
) -> None:
    """What this key of each entry names exists, and stands in one of the allowed sections."""
    for name, entry in draft.names[section].items():
        wanted = entry.get(key) if isinstance(entry, dict) else None
        full_key = key_of([section, name, key])
        # what cannot be a name is a mistake noted already
        if not isinstance(wanted, str):
            continue
        if re.fullmatch(NAME, wanted):
            _check_reference(full_key, wanted, allowed, draft, problems)
        elif re.fullmatch(PLACE, wanted) and allowed == CARRIERS:
            _check_link(full_key, wanted, draft, problems)


def _check_link(key: str, place: str, draft: Draft, problems: Problems) -> None:
    """A name with a dot is a link of a robot."""
    robot, _, link = place.partition(".")
    if any(draft.has(section, robot) for section in SECTIONS) and not draft.has("robot", robot):
        is_a = next(section for section in SECTIONS if draft.has(section, robot))
        hint = f"only robots have links: write {robot}"
        problems.add(key, f"{robot} is a {is_a}, not a robot", hint)
        return
    _check_reference(key, robot, ("robot",), draft, problems)
    model = draft.cell.robot_models.get(robot)
    if model and link not in model.links:
        text = f"{robot} has no link called {link}"
        problems.add(key, text, hint=did_you_mean(link, model.links))


def _check_reference(
    key: str, name: str, allowed: tuple[str, ...], draft: Draft, problems: Problems
) -> None:
    if any(draft.has(section, name) for section in allowed):
        return
    wanted = " or ".join([", ".join(allowed[:-1]), allowed[-1]] if allowed[1:] else allowed)
    known = [known for section in allowed for known in draft.names[section]]
    hint = did_you_mean(name, known) or f"add [{allowed[0]}.{name}]"
    if name == WORLD and "frame" in allowed:
        hint = "add a frame, which stands in the world when its `on` is left out"
        if key.startswith(("frame.", "robot.")):
            hint = f"leave `on` out: the {key.partition('.')[0]} then stands in the world"
    is_a = next((section for section in SECTIONS if draft.has(section, name)), None)
    if is_a is None:
        problems.add(key, f"there is no {wanted} called {name}", hint)
    else:
        problems.add(key, f"{name} is a {is_a}, not a {wanted}", hint)
