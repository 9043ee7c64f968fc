"""Rules of devices: what they refer to is of the right kind, and nobody else has it."""

from sim.spec.draft import Draft
from sim.spec.problems import Problems


def check_devices(draft: Draft, problems: Problems) -> None:
    """Note every broken rule of a device."""
    _check_stands(draft, problems)


def _check_stands(draft: Draft, problems: Problems) -> None:
    """A stand's holder is passive, and no other stand has it."""
    taken: dict[str, str] = {}
    for name, stand in draft.cell.tool_stand.items():
        key = f"tool_stand.{name}.holder"
        holder = draft.cell.collision_object.get(stand.holder)
        if holder and holder.mode != "passive":
            text = f"{stand.holder} is a control object: a stand holds its tool by itself"
            problems.add(
                key, text, hint=f'write mode = "passive" in collision_object.{stand.holder}'
            )
        first = taken.setdefault(stand.holder, key)
        if first != key:
            text = f"{stand.holder} is the holder of another stand already"
            problems.add(
                key, text, hint=f"give it a holder of its own; see {problems.source.place(first)}"
            )
