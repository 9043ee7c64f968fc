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
        wrong = "name a cell, or say --all" if cell is None else "a cell or --all: one is enough"
        raise Refusal(f"{wrong}\n  hint: twincell cells lists the shipped ones")
    _, compiled = compile_cell(cell or ANY_CELL)
    compile_apart(compiled.to_compile(everything))
    left = [file.name for file in compiled.to_compile(everything)]
    if left:
        raise Refusal(
            f"the machine code of {', '.join(left)} could not be kept\n"
            "  hint: TWINCELL_CACHE_DIR names a folder of your own, with room"
        )
    compiled.warm_up()  # where plain numba compiles, it does so now
    print(f"ok: {'everything' if everything else cell} is compiled")
