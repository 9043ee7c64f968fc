"""The option that says where users, keys and trusted certificates lie."""

from pathlib import Path
from typing import Annotated

import typer

SecurityOption = Annotated[
    Path | None,
    typer.Option(
        "--security",
        metavar="DIR",
        help="Folder with users, keys and trusted certificates; left out: the usual one.",
        show_default=False,
    ),
]
