"""twincell trust: which applications may connect."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.security_option import SecurityOption
from twincell.server.errors import Refusal
from twincell.server.security.named_folder import security_folder

if TYPE_CHECKING:
    from twincell.server.security.trust import Entry

trust = typer.Typer(
    name="trust", help="Decide which applications may connect.", no_args_is_help=True
)

ThumbprintArgument = Annotated[
    str,
    typer.Argument(
        metavar="THUMBPRINT",
        help="The thumbprint of a certificate, or its first digits.",
        show_default=False,
    ),
]


@trust.command("list")
def list_all(security: SecurityOption = None) -> None:
    """List the certificates that are trusted, and those that were rejected."""
    from twincell.server.security.certificate import printable
    from twincell.server.security.trust import Trust
    from twincell.server.security.trust_entries import CannotDecide

    folder = security_folder(security)
    try:
        entries = Trust(folder).entries()
    except CannotDecide as problem:
        raise Refusal(str(problem), problem.hint) from problem
    if not entries:
        print(f"none yet in {folder.pki}", file=sys.stderr)
    listed = screen.table("state", "name", "application URI", "valid until", "thumbprint")
    for entry in entries:
        one = entry.certificate
        uri = printable(one.uris[0]) if one.uris else ""
        listed.add_row(entry.state, one.name, uri, f"{one.ends:%Y-%m-%d}", one.thumbprint)
    screen.print_table(listed)


@trust.command()
def accept(thumbprint: ThumbprintArgument, security: SecurityOption = None) -> None:
    """Let a rejected application in; a running server knows at once."""
    _report("trusted", _decide("accept", thumbprint, security))


@trust.command()
def reject(thumbprint: ThumbprintArgument, security: SecurityOption = None) -> None:
    """Trust an application no longer; it is refused when it connects the next time."""
    _report("rejected", _decide("reject_again", thumbprint, security))


def _decide(decision: str, thumbprint: str, security: Path | None) -> Entry:
    from twincell.server.security.trust import Trust
    from twincell.server.security.trust_entries import CannotDecide

    try:
        return getattr(Trust(security_folder(security)), decision)(thumbprint)
    except CannotDecide as problem:
        raise Refusal(str(problem), problem.hint) from problem


def _report(state: str, entry: Entry) -> None:
    print(f"{state}: {entry.certificate.name} {entry.certificate.thumbprint}")
