"""twincell browse, read, write and watch: a small OPC UA client to try things with."""

from __future__ import annotations

import math
import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from twincell.server.cli import screen
from twincell.server.cli.client_login import SecureOption, UserOption
from twincell.server.cli.client_talk import UrlArgument, talk
from twincell.server.cli.security_option import SecurityOption
from twincell.server.client.login_options import LoginOptions
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from asyncua import ua

    from twincell.server.client.nodes import Facts
    from twincell.server.client.session import Session

LONGEST_INTERVAL_MS = 3_600_000.0  # an hour; chosen: more is a slip of the keyboard
BAD_VALUE = 1  # exit code: there is an answer, but it is no value

SignalsArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SIGNAL...",
        help="Names of signals, such as Tool1.Pose.X, or whole ids: 'ns=3;s=Tool1.Pose.X'.",
        show_default=False,
    ),
]


def browse(
    url: UrlArgument,
    node: Annotated[
        str, typer.Argument(help="Where to begin; left out: the cell.", show_default=False)
    ] = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """List what a server has: objects, signals with type, unit and value, methods."""
    from twincell.server.cli.client_browse import tree_rows

    listed = screen.table("node", "type", "unit", "value")
    options = LoginOptions(user, secure, security)
    for row in talk(url, "twincell browse", partial(tree_rows, top=node), options):
        listed.add_row(*row)
    screen.print_table(listed)


def read(
    url: UrlArgument,
    signals: SignalsArgument,
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Read values, all of them at the same instant."""
    options = LoginOptions(user, secure, security)
    facts, answers = talk(url, "twincell read", partial(_read, names=signals), options)
    _print_values(facts, answers)


def write(
    url: UrlArgument,
    assignments: Annotated[
        list[str],
        typer.Argument(
            metavar="SIGNAL=VALUE...",
            help="Commands and their values: true, 1.5, or a list such as [1,2,3].",
            show_default=False,
        ),
    ],
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Write commands, all of them in one request, and show what they are then."""
    from twincell.server.cli.client_write import write_values

    pairs = [_split(assignment) for assignment in assignments]
    options = LoginOptions(user, secure, security)
    facts, answers = talk(url, "twincell write", partial(write_values, pairs=pairs), options)
    _print_values(facts, answers)


def watch(
    url: UrlArgument,
    signals: SignalsArgument,
    interval_ms: Annotated[
        float, typer.Option("--interval-ms", help="How often the server looks for changes.")
    ] = 100.0,
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Print a line whenever a value changes, until Ctrl-C."""
    if not math.isfinite(interval_ms) or not 0 < interval_ms <= LONGEST_INTERVAL_MS:
        problem = f"--interval-ms {interval_ms:g}: must be greater than 0"
        raise Refusal(problem, f"at most {LONGEST_INTERVAL_MS:g}")

    from twincell.server.cli.client_watch import print_changes

    work = partial(print_changes, names=signals, interval_ms=interval_ms)
    talk(url, "twincell watch", work, LoginOptions(user, secure, security))


def _split(assignment: str) -> tuple[str, str]:
    """Name and value; the name may be an id, with = in it."""
    name, sign, value = assignment.rpartition("=")
    if not (name and sign and value):
        raise Refusal(f"{assignment}: is no assignment", "write SIGNAL=VALUE, without spaces")
    return name, value


async def _read(session: Session, names: list[str]) -> tuple[list[Facts], list[ua.DataValue]]:
    from twincell.server.client.nodes import facts_of

    facts = await facts_of(session, names)
    return facts, await session.read([one.node for one in facts])


def _print_values(facts: list[Facts], answers: list[ua.DataValue]) -> None:
    from twincell.server.client.session import status_of
    from twincell.server.client.values import shown, time_of

    listed = screen.table("name", "value", "unit", "type", "source time", "description")
    for one, answer in zip(facts, answers, strict=True):
        value, time = shown(answer), time_of(answer.SourceTimestamp)
        listed.add_row(one.name, value, one.unit, one.type, time, one.description)
    screen.print_table(listed)
    if any(status_of(answer).is_bad() for answer in answers):
        sys.stdout.flush()
        raise typer.Exit(BAD_VALUE)
