"""twincell check: is a cell file without mistakes, and what is in the cell?"""

from twincell.server.cli.cell_file import CellArgument, compile_cell
from twincell.server.cli.memory import tell_memory
from twincell.server.cli.start_overlaps import tell_overlaps
from twincell.sim.devices import modules
from twincell.sim.devices.contract import plain_name


def check(cell: CellArgument) -> None:
    """Check a cell file; say what is in the cell, or everything that is wrong with the file."""
    spec, compiled = compile_cell(cell)
    counts = [
        _count(len(spec.body), "body", "bodies"),
        _count(len(spec.frame), "frame"),
        _count(len(spec.mover), "mover"),
        _count(len(spec.robot), "robot"),
        _count(len(spec.joint), "joint"),
        _count(len(spec.collision_object), "collision object"),
        _count(len(spec.constrained_object), "constrained object"),
        *(
            _count(len(getattr(spec, section)), plain_name(section))
            for device in modules("spec").values()
            for section in device.TABLES
        ),
        _count(len(spec.surface), "surface"),
        _count(len(spec.bridge), "bridge"),
        _count(len(compiled.signals), "signal"),
        f"step {compiled.step_s * 1e3:g} ms",
        spec.integrator,
    ]
    tell_overlaps(compiled)
    print(f"ok: {spec.name}: {', '.join(count for count in counts if count)}")
    tell_memory(len(compiled.signals), compiled.step_s)


def _count(number: int, one: str, many: str = "") -> str:
    """How many, in words; nothing for none."""
    if number == 0:
        return ""
    return f"{number} {one if number == 1 else many or one + 's'}"
