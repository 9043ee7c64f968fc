"""twincell certificate: our own certificate, by which clients know us."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.security_option import SecurityOption
from twincell.server.errors import Refusal
from twincell.server.security.named_folder import security_folder

if TYPE_CHECKING:
    from twincell.server.security.own_certificate import OwnCertificate

certificate = typer.Typer(
    name="certificate", help="Show or renew the certificate of this server.", no_args_is_help=True
)

HostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--host",
        metavar="NAME",
        help="A name or address that clients reach us by, besides those it names; repeatable.",
        show_default=False,
    ),
]


@certificate.command()
def show(security: SecurityOption = None) -> None:
    """Show who we say we are, until when, and the thumbprints to compare."""
    from twincell.server.security.own_certificate import UnusableCertificate, is_made, load
    from twincell.server.security.own_files import certificate_file

    folder = security_folder(security)
    try:
        if not is_made(folder):
            problem = f"{certificate_file(folder)}: there is no certificate yet"
            making = folder.command("certificate", "renew")
            raise Refusal(problem, f"start a server, which makes it, or run: {making}")
        _print(load(folder))
    except UnusableCertificate as problem:
        raise Refusal(str(problem)) from problem


@certificate.command()
def renew(host: HostOption = None, security: SecurityOption = None) -> None:
    """Make a new key and certificate; the old ones are kept under another name."""
    from twincell.server.security import own_names
    from twincell.server.security.own_certificate import UnusableCertificate, known
    from twincell.server.security.own_certificate import renew as renew_pair

    added = host or []
    for name in added:
        if not re.fullmatch(r"[A-Za-z0-9._:-]+", name):
            hint = "such as plc-server.plant.local or 192.168.0.7"
            raise Refusal(f"--host {name}: is neither a host name nor an address", hint)
    folder = security_folder(security)
    old = known(folder)
    uri = old.uris[0] if old else own_names.default_application_uri()
    names = [*own_names.host_names(), *(old.hosts if old else ()), *added]
    try:
        _print(renew_pair(folder, uri, dict.fromkeys(names)))
    except UnusableCertificate as problem:
        raise Refusal(str(problem)) from problem
    print("restart the server, then let every client trust this new certificate")


def _print(own: OwnCertificate) -> None:
    from cryptography.hazmat.primitives import hashes

    facts = own.facts
    listed = screen.table("our certificate", "")
    listed.add_row("subject", own.certificate.subject.rfc4514_string())
    listed.add_row("application URI", own.application_uri)
    listed.add_row("host names", ", ".join(facts.hosts))
    listed.add_row("valid until", f"{facts.ends:%Y-%m-%d}")
    listed.add_row("thumbprint (SHA-1)", facts.thumbprint)
    listed.add_row("SHA-256", own.certificate.fingerprint(hashes.SHA256()).hex().upper())
    screen.print_table(listed)
