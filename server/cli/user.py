"""twincell user: who may log in to the server."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.security_option import SecurityOption
from twincell.server.client.password import PASSWORD, asked
from twincell.server.errors import Refusal
from twincell.server.security.named_folder import security_folder

if TYPE_CHECKING:
    from twincell.server.security.users import Entry, Users

LONGEST_LINE = 4_096  # bytes of standard input; chosen: far more than a password has

user = typer.Typer(name="user", help="Say who may log in to the server.", no_args_is_help=True)


class RoleName(StrEnum):
    """What a user may do: each may do what those before it may."""

    observer = "observer"  # read and subscribe
    operator = "operator"  # write commands
    engineer = "engineer"  # call methods, inject faults, change parameters


NameArgument = Annotated[str, typer.Argument(metavar="NAME", show_default=False)]


@user.command()
def add(
    name: NameArgument,
    role: Annotated[
        RoleName,
        typer.Option(
            help="observer reads, operator writes commands too, engineer may do everything.",
            show_default=False,
        ),
    ],
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A certificate (DER or PEM) to log in with, instead of a password.",
            show_default=False,
        ),
    ] = None,
    password_stdin: Annotated[
        bool,
        typer.Option("--password-stdin", help="Read the password from standard input, one line."),
    ] = False,
    security: SecurityOption = None,
) -> None:
    """Let a user log in: with a password, which is asked for, or with a certificate."""
    from twincell.server.security.users_file import ROLES

    with _users(security) as users:
        users.check_new(name)  # before anything is asked
        der = _certificate(certificate) if certificate else None
        password = None
        if password_stdin:
            password = _password_from_stdin()
        elif der is None:
            password = _password_from_terminal(name)
        entry = users.add(name, ROLES[role], password, der)
    print(f"{entry.name} may log in as {role}, with {_means(entry)}")


@user.command()
def remove(name: NameArgument, security: SecurityOption = None) -> None:
    """Do not let a user log in any more; sessions that are open stay open."""
    with _users(security) as users:
        users.remove(name)
    print(f"{name} cannot log in any more")


@user.command(name="list")
def list_(security: SecurityOption = None) -> None:
    """List the users, their roles, and what they log in with."""
    with _users(security) as users:
        entries = users.entries()
    if not entries:
        print(f"none yet in {security_folder(security).users}", file=sys.stderr)
    listed = screen.table("name", "role", "logs in with")
    for entry in entries:
        listed.add_row(entry.name, entry.role.name.lower(), _means(entry))
    screen.print_table(listed)


@contextmanager
def _users(security: Path | None) -> Iterator[Users]:
    """The users of a folder; what is wrong with them is told as a refusal."""
    from twincell.server.security.users import UserProblem, Users

    try:
        yield Users(security_folder(security).users)
    except UserProblem as problem:
        raise Refusal(str(problem), problem.hint) from None


def _means(entry: Entry) -> str:
    means = ["a password"] if entry.password else []
    means += [f"the certificate {entry.certificate}"] if entry.certificate else []
    return " or ".join(means)


def _certificate(path: Path) -> bytes:
    """A certificate file in DER."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import Encoding

    try:
        content = path.read_bytes()
    except OSError as error:
        raise Refusal(f"{path}: cannot be read: {error.strerror}") from None
    is_pem = content.lstrip().startswith(b"-----BEGIN")
    load = x509.load_pem_x509_certificate if is_pem else x509.load_der_x509_certificate
    try:
        return load(content).public_bytes(Encoding.DER)
    except ValueError:
        raise Refusal(f"{path}: is no certificate", "one in DER or PEM is wanted") from None


def _password_from_stdin() -> str:
    line = sys.stdin.buffer.readline(LONGEST_LINE)
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise Refusal("the password is not UTF-8", "write it in UTF-8") from None


def _password_from_terminal(name: str) -> str:
    """Ask twice, without showing what is typed."""
    if not sys.stdin.isatty():
        hint = "with --password-stdin it is the first line of standard input"
        if PASSWORD in os.environ:
            hint += f"; ${PASSWORD} is for clients that log in"
        raise Refusal("there is no terminal to ask for the password", hint)
    password = asked(f"Password of {name}: ")
    if asked("Once more: ") != password:
        raise Refusal("the two passwords differ", "try again")
    return password
