"""The options of a client command that say who you are."""

from typing import Annotated

import typer

from twincell.server.client.password import PASSWORD

UserOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help=f"Log in as this user; the password is in ${PASSWORD}, or is asked for.",
        show_default=False,
    ),
]
SecureOption = Annotated[
    bool,
    typer.Option("--secure", help="Encrypt the connection, and refuse a server not trusted."),
]
