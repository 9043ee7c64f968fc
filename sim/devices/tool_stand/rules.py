"""Rules of tool stands: what they refer to is of the right kind, and nobody else has it."""

from twincell.sim.devices.tool_stand.spec import ToolStand
from twincell.sim.spec.cell import CellSpec
from twincell.sim.spec.draft import Draft
from twincell.sim.spec.problems import Problems
from twincell.sim.spec.rules_names import check_references_of

MOVING = ("body", "mover", "robot")  # what shows its own pose, which a fault must not shift


def check(draft: Draft, problems: Problems) -> None:
    """A stand's holder is passive, stands on a frame of its own, and in no other stand."""
    check_references_of("tool_stand", "holder", ("collision_object",), draft, problems)
    taken: dict[str, str] = {}
    for name, stand in draft.cell.section("tool_stand", ToolStand).items():
        key = f"tool_stand.{name}.holder"
        holder = draft.cell.collision_object.get(stand.holder)
        if holder and holder.mode != "passive":
            text = f"{stand.holder} is a control object: a stand holds its tool by itself"
            hint = f'write mode = "passive" in collision_object.{stand.holder}'
            problems.add(key, text, hint)
        elif holder and (others := _also_on(draft.cell, stand.holder)):
            text = f"{stand.holder} shares {holder.on} with {others[0]}"
            hint = f"give {stand.holder} a frame of its own: a stand can be moved by a fault"
            problems.add(key, text, hint)
        elif holder and ("." in holder.on or any(draft.has(s, holder.on) for s in MOVING)):
            text = f"{stand.holder} is on {holder.on}, which is not a frame"
            problems.add(key, text, hint=f"give it a frame of its own on {holder.on}")
        first = taken.setdefault(stand.holder, key)
        if first != key:
            text = f"{stand.holder} is the holder of another stand already"
            hint = f"give it a holder of its own; see {problems.source.place(first)}"
            problems.add(key, text, hint)


def _also_on(cell: CellSpec, holder: str) -> list[str]:
    """Other objects on the frame of a holder."""
    carriers = {name: item.on for name, item in cell.collision_object.items()}
    carriers |= {name: item.on for name, item in cell.constrained_object.items()}
    return [name for name, on in carriers.items() if on == carriers[holder] and name != holder]
