"""twincell demo: play the PLC of a cell that runs somewhere."""

from __future__ import annotations

import typer

from twincell.server.cli.cell_file import CellArgument, compile_cell
from twincell.server.cli.client_login import SecureOption, UserOption
from twincell.server.cli.client_talk import UrlArgument
from twincell.server.cli.security_option import SecurityOption
from twincell.server.client.endpoint import endpoint_of
from twincell.server.client.login_options import LoginOptions, login_of


def demo(
    url: UrlArgument,
    cell: CellArgument,
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Play the timeline of a cell file at a server that runs this cell, as a PLC would.

    It plays again and again, and ends as soon as somebody else commands. It needs the rights of an
    engineer.
    """
    endpoint = endpoint_of(url)
    login = login_of(LoginOptions(user, secure, security))
    spec, compiled = compile_cell(cell)

    import asyncio

    from twincell.server.demo.play import play_from_outside

    raise typer.Exit(asyncio.run(play_from_outside(spec, compiled.compiled, endpoint, login)))
