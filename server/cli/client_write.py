"""What twincell write does: check all values, write them in one request, look at the echo."""

import asyncio
import sys
import time

from asyncua import ua

from twincell.server.client.mistake import Mistake
from twincell.server.client.nodes import Facts, facts_of
from twincell.server.client.session import Session, value_of
from twincell.server.client.values import NotAValue, shown, variant_of
from twincell.server.client.who_may import who_may

ECHO_S = 0.5  # how long to wait for the tick that latches the values
AGAIN_S = 0.005


async def write_values(
    session: Session, pairs: list[tuple[str, str]]
) -> tuple[list[Facts], list[ua.DataValue]]:
    """Write values given as text; what the nodes are, and their values afterwards."""
    facts = await facts_of(session, [name for name, _ in pairs])
    await _check_rights(session, facts)
    values = [_value(one, text) for one, (_, text) in zip(facts, pairs, strict=True)]
    nodes = [one.node for one in facts]
    statuses = await session.client.uaclient.write_attributes(nodes, values)
    refused = [
        f"{one.name}: the server refused {shown(value)}: {status.name}"
        for one, value, status in zip(facts, values, statuses, strict=True)
        if not status.is_good()
    ]
    if refused:
        others = "; the other values are written" if len(refused) < len(values) else ""
        is_right = any(status.value == ua.StatusCodes.BadUserAccessDenied for status in statuses)
        raise Mistake(
            "; ".join(refused) + others, who_may(session.user, "operator") if is_right else ""
        )
    return facts, await _echo(session, nodes, values)


async def _check_rights(session: Session, facts: list[Facts]) -> None:
    """Refuse commands that others may write, but not this user."""
    closed = [one for one in facts if not one.is_writable]
    writable = 1 << ua.AccessLevel.CurrentWrite.value
    levels = await session.read([one.node for one in closed], ua.AttributeIds.AccessLevel)
    for one, level in zip(closed, levels, strict=True):
        if (value_of(level) or 0) & writable:
            who = session.user or "a client without a name"
            raise Mistake(f"{one.name}: {who} may not write it", who_may(session.user, "operator"))


def _value(facts: Facts, text: str) -> ua.DataValue:
    if not facts.is_writable:
        hint = "commands are written, feedback is read: 'twincell signals CELL' says which is which"
        raise Mistake(f"{facts.name}: cannot be written", hint)
    try:
        return ua.DataValue(variant_of(text, facts.data_type, facts.value_rank))
    except NotAValue as reason:
        raise Mistake(f"{facts.name}: {text!r} is no {facts.type}", str(reason)) from None


async def _echo(
    session: Session, nodes: list[ua.NodeId], written: list[ua.DataValue]
) -> list[ua.DataValue]:
    """The values once they have taken effect, or as they are when that does not happen."""
    wanted = [shown(value) for value in written]
    until_s = time.monotonic() + ECHO_S
    while True:
        answers = await session.read(nodes)
        if [shown(answer) for answer in answers] == wanted:
            return answers
        if time.monotonic() > until_s:
            print("note: not in effect yet; is the cell paused?", file=sys.stderr)
            return answers
        await asyncio.sleep(AGAIN_S)
