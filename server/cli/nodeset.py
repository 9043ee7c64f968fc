"""twincell nodeset: the nodes of a cell as a file that a PLC's tool imports."""

from pathlib import Path
from typing import Annotated

import typer

from twincell.server.cli.cell_file import CellArgument, compile_cell
from twincell.server.errors import Refusal
from twincell.server.files.atomic import blamed, whole_file
from twincell.server.files.cells import find_cell


def nodeset(
    cell: CellArgument,
    out: Annotated[
        Path, typer.Option(metavar="FILE.xml", help="Where to write it.", show_default=False)
    ],
) -> None:
    """Write the OPC UA nodes of a cell as NodeSet2 XML."""
    if out.resolve() == find_cell(cell).resolve():
        raise Refusal(f"--out {out}: is the cell file itself", "give another name")
    spec, compiled = compile_cell(cell)
    for name, model in spec.robot_models.items():
        if out.resolve() == Path(model.file).resolve():
            raise Refusal(f"--out {out}: is the model file of {name}", "give another name")

    from twincell.server.opcua.space.nodeset import cell_nodeset

    with whole_file(out) as hidden:
        made = cell_nodeset(spec, compiled.signals)
        with blamed(out):
            hidden.write_bytes(made)
    print(f"written: {out}")
