"""twincell record: let a running cell record, or not."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from twincell.server.cli import screen
from twincell.server.cli.client_login import SecureOption, UserOption
from twincell.server.cli.client_talk import UrlArgument, talk
from twincell.server.cli.recording_file import SignalsOption
from twincell.server.cli.security_option import SecurityOption
from twincell.server.client.login_options import LoginOptions
from twincell.server.errors import Refusal
from twincell.server.realtime.limits import MOST_EVERY

if TYPE_CHECKING:
    from twincell.server.client.session import Session

SIMULATION = "Simulation"
SHOWN = ("Recording", "RecordedRows", "LostRows", "RecordingError")


class Action(StrEnum):
    """What to do."""

    START = "start"
    STOP = "stop"
    STATUS = "status"


def record(
    url: UrlArgument,
    action: Annotated[Action, typer.Argument(help="What to do.", show_default=False)],
    name: Annotated[
        str, typer.Argument(help="For start: name of the file, in the server's folder.")
    ] = "",
    every: Annotated[
        int, typer.Option(min=1, max=MOST_EVERY, help="Keep the feedback of one of so many rows.")
    ] = 1,
    signals: SignalsOption = None,
    user: UserOption = "",
    secure: SecureOption = False,
    security: SecurityOption = None,
) -> None:
    """Start or stop a recording of a running cell, or show how it is."""
    if action is Action.START and not name:
        raise Refusal("a recording needs a name", "twincell record URL start NAME")
    work = partial(_record, action=action, name=name, every=every, signals=signals or [])
    status = talk(url, "twincell record", work, LoginOptions(user, secure, security))
    listed = screen.table("name", "value")
    for key, value in status.items():
        listed.add_row(key, str(value))
    screen.print_table(listed)


async def _record(
    session: Session, action: Action, name: str, every: int, signals: list[str]
) -> dict[str, Any]:
    """Do it, and how the recorder is then."""
    from asyncua import ua

    arguments = [
        ua.Variant(name, ua.VariantType.String),
        ua.Variant(every, ua.VariantType.UInt32),
        ua.Variant(signals, ua.VariantType.String, is_array=True),
    ]
    if action is Action.START:
        await _call(session, "StartRecording", arguments)
    elif action is Action.STOP:
        await _call(session, "StopRecording", [])
    return {name: await session.value(f"{SIMULATION}.{name}") for name in SHOWN}


async def _call(session: Session, method: str, arguments: list[Any]) -> None:
    """Call a method; when it is refused, the server's reason is told if it has one."""
    from asyncua import ua

    request = ua.CallMethodRequest(
        session.node_id(SIMULATION), session.node_id(f"{SIMULATION}.{method}"), arguments
    )
    (result,) = await session.client.uaclient.call([request])
    if result.StatusCode.is_good():
        return
    reason = await session.value(f"{SIMULATION}.RecordingError")
    file = await session.value(f"{SIMULATION}.Recording")
    if result.StatusCode.value == ua.StatusCodes.BadInvalidState:
        reason = f"it records into {file} already" if file else "nothing is recorded"
    elif result.StatusCode.value == ua.StatusCodes.BadUserAccessDenied:
        reason = "only an engineer may record: give --user NAME"
    raise Refusal(f"{method}: {reason or result.StatusCode.name}")
