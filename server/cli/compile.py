"""twincell compile: make machine code before it is needed, as images and tests want it."""

from typing import Annotated

import typer

from twincell.server.cli.cell_file import compile_cell
from twincell.server.cli.warm_up import compile_apart
from twincell.server.errors import Refusal

ANY_CELL = "static_object"  # machine code does not depend on it


def compile_kernels(
    cell: Annotated[
        str | None,
        typer.Argument(metavar="[CELL]", help="Compile what this cell needs.", show_default=False),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Compile what any cell may need.")
    ] = False,
) -> None:
    """Compile the kernels, so that the first start of a cell is as fast as all later ones."""
    if (cell is None) != everything:
        raise Refusal("name a cell, or say --all\n  hint: twincell cells lists the shipped ones")
    _, compiled = compile_cell(cell or ANY_CELL)

    from twincell.sim.jit.cache import cache_folder

    left = compiled.to_compile(everything)
    if cache_folder() is not None:
        compile_apart(left)
        left = compiled.to_compile(everything)
    if left:
        names = ", ".join(file.name for file in left)
        raise Refusal(
            f"the machine code of {names} could not be kept\n"
            "  hint: TWINCELL_CACHE_DIR names a folder that can be written"
        )
    print(f"ok: {'everything' if everything else cell} is compiled")
