"""twincell fault: break something in a running cell or on its network, and repair it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from twincell.server.cli import screen
from twincell.server.cli.amounts import milliseconds, share
from twincell.server.cli.client_login import SecureOption, UserOption
from twincell.server.cli.client_talk import UrlArgument, talk
from twincell.server.cli.security_option import SecurityOption
from twincell.server.client.login_options import LoginOptions
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.client.session import Session

Result = TypeVar("Result")
NEGATIVE = {"ignore_unknown_options": True}  # -0.01 is a number, not an option

fault = typer.Typer(
    name="fault",
    help="Break something in a running cell or on its network, and repair it.",
    no_args_is_help=True,
)

SignalsArgument = Annotated[
    str,
    typer.Argument(
        metavar="SIGNALS", help="Signals, such as Tool1.Pose.X or 'Tool1.*'.", show_default=False
    ),
]
ClientOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="A client instead, by its session's name; 'PLC*' is every one that begins so.",
        show_default=False,
    ),
]
ForOption = Annotated[
    str,
    typer.Option(
        "--for", metavar="TIME", help="End it after that, such as 2s.", show_default=False
    ),
]
TimeArgument = Annotated[
    str, typer.Argument(metavar="TIME", help="Such as 250ms.", show_default=False)
]


@fault.callback()
def at(context: typer.Context, url: UrlArgument) -> None:
    """Break something in a running cell or on its network, and repair it."""
    context.obj = url


@fault.command(name="list")
def list_(
    context: typer.Context,
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """List all fault levers, and everything that is broken now."""
    from twincell.server.client.faults import active_faults, levers_of

    async def both(session: Session) -> tuple[dict[str, str], dict[str, str]]:
        return await levers_of(session), await active_faults(session)

    levers, active = _talk(context, both, LoginOptions(user, secure, security))
    listed = screen.table("fault", "now", "what it does")
    for name in [*levers, *(one for one in active if one not in levers)]:
        listed.add_row(name, active.get(name, ""), levers.get(name, "on the network"))
    screen.print_table(listed)


@fault.command(context_settings=NEGATIVE)
def inject(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A fault lever, as listed.", show_default=False)],
    value: Annotated[str, typer.Argument(help="Where to move it; 0 clears it.")] = "1",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Move a fault lever of the cell."""
    from twincell.server.client.faults import move_lever

    work = partial(move_lever, name=name, text=value)
    _note(_talk(context, work, LoginOptions(user, secure, security)))


@fault.command()
def clear(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(help="One fault, as listed; left out: all.", show_default=False)
    ] = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Repair one thing, or everything."""
    from twincell.server.client import faults

    work = partial(faults.clear, name=name) if name else faults.clear_all
    _note(_talk(context, work, LoginOptions(user, secure, security)))


@fault.command(context_settings=NEGATIVE)
def delay(
    context: typer.Context,
    time: TimeArgument,
    signals: SignalsArgument = "",
    client: ClientOption = "",
    for_: ForOption = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Let values, or the answers to a client, come later."""
    amount, options = milliseconds(time, "delay"), LoginOptions(user, secure, security)
    _inject(context, "delay", _target(signals, client), amount, for_, options)


@fault.command(context_settings=NEGATIVE)
def jitter(
    context: typer.Context,
    time: TimeArgument,
    signals: SignalsArgument = "",
    client: ClientOption = "",
    for_: ForOption = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Let values, or the answers to a client, come irregularly, up to a time later."""
    amount, options = milliseconds(time, "jitter"), LoginOptions(user, secure, security)
    _inject(context, "jitter", _target(signals, client), amount, for_, options)


@fault.command(context_settings=NEGATIVE)
def drop(
    context: typer.Context,
    share_: Annotated[
        str, typer.Argument(metavar="SHARE", help="Such as 10% or 0.1.", show_default=False)
    ],
    signals: SignalsArgument = "",
    client: ClientOption = "",
    for_: ForOption = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Lose a share of the samples, or cut a client off in a share of its answers."""
    amount, options = share(share_, "drop"), LoginOptions(user, secure, security)
    _inject(context, "drop", _target(signals, client), amount, for_, options)


@fault.command()
def bad(
    context: typer.Context,
    signals: Annotated[str, typer.Argument(help="Signals, such as 'Tool1.*'.", show_default=False)],
    for_: ForOption = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Let values have a Bad status."""
    _inject(context, "bad", signals, 1.0, for_, LoginOptions(user, secure, security))


@fault.command(context_settings=NEGATIVE)
def force(
    context: typer.Context,
    signal: Annotated[
        str, typer.Argument(help="One signal, such as Tool1.Force.Z.", show_default=False)
    ],
    value: Annotated[str, typer.Argument(help="Such as 12.5 or true.", show_default=False)],
    for_: ForOption = "",
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Hold a signal at a value for all clients, or a command for the cell."""
    seconds = milliseconds(for_, "--for") / 1e3 if for_ else 0.0

    from twincell.server.client.faults import force as force_signal

    work = partial(force_signal, name=signal, text=value, seconds=seconds)
    _talk(context, work, LoginOptions(user, secure, security))


def _target(signals: str, client: str) -> str:
    if bool(signals) == bool(client):
        hint = "name signals, such as 'Tool1.*', or a client, such as --client 'PLC*'"
        problem = "signals or a client, not both" if signals else "whose fault is it to be?"
        raise Refusal(problem, hint)
    return signals or f"session {client}"


def _inject(
    context: typer.Context, kind: str, target: str, amount: float, for_: str, options: LoginOptions
) -> None:
    seconds = milliseconds(for_, "--for") / 1e3 if for_ else 0.0

    from twincell.server.client.faults import ProtocolFault
    from twincell.server.client.faults import inject as inject_fault

    wanted = ProtocolFault(kind, target, amount, seconds)
    _talk(context, partial(inject_fault, fault=wanted), options)


def _talk(
    context: typer.Context, work: Callable[[Session], Awaitable[Result]], options: LoginOptions
) -> Result:
    return talk(context.obj, "twincell fault", work, options)


def _note(is_done: bool) -> None:
    if not is_done:
        print("note: not in effect yet; is the cell paused?", file=sys.stderr)
