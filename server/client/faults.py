"""Faults from a client's side: which there are, to inject and clear them, and why that was refused.

Nothing here reads a signal: a fault that holds up what clients read must not hold up whoever wants
to clear it.
"""

import asyncio
import difflib
import re
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from asyncua import ua

from twincell.server.client.mistake import Mistake
from twincell.server.client.nodes import ALIKE, CELL, Facts, facts_of
from twincell.server.client.session import Session, status_of, value_of
from twincell.server.client.tree import tree_below
from twincell.server.client.values import NotAValue, text_of, variant_of
from twincell.server.client.who_may import who_may

LEVER = re.compile(r"[^.]+\.Fault\.[^.]+")  # <object>.Fault.<what>
KINDS = ("delay", "jitter", "drop", "bad")
FORCE = "force "  # what the names of forced signals begin with
SIMULATION, ACTIVE = "Simulation", "Simulation.ActiveFaults"
ECHO_S = 0.5  # how long to wait for the tick that latches a lever
AGAIN_S = 0.005
PROTOCOL_ARGUMENTS = ("kind", "target", "amount", "duration")
Code = ua.StatusCodes


class ProtocolFault(NamedTuple):
    """What InjectProtocolFault wants."""

    kind: str
    target: str  # signals, or session and a client's name
    amount: float  # milliseconds or a share; 0 clears it
    seconds: float  # 0: until it is cleared


async def levers_of(session: Session) -> dict[str, str]:
    """All fault levers of the cell, with their descriptions."""
    _check_cell(session)
    branches = (await tree_below(session, session.node_id(CELL))).walk()
    names = [session.name_of(branch.node) for _, branch in branches]
    levers = [name for name in names if LEVER.fullmatch(name)]
    nodes = [session.node_id(name) for name in levers]
    described = await session.read(nodes, ua.AttributeIds.Description)
    return {name: text_of(value_of(one)) for name, one in zip(levers, described, strict=True)}


async def active_faults(session: Session) -> dict[str, str]:
    """All faults that act, and their values: {"delay Tool1.*": "50 ms"}."""
    _check_cell(session)
    return named(await session.value(ACTIVE))


def named(texts: Iterable[str]) -> dict[str, str]:
    """Faults and their values, of texts as the server lists them."""
    return dict(map(_split, texts))


def _split(text: str) -> tuple[str, str]:
    """Name and value of a fault; the name of a client may have an equals sign too."""
    name, _, value = text.rpartition(" = ")
    if not name or text.startswith("bad "):  # these have no value
        return text, "on"
    return name, value


async def move_lever(session: Session, name: str, text: str) -> bool:
    """Move a lever to a value given as text; whether a tick has latched it yet."""
    _check_cell(session)
    (found,) = await session.read([session.node_id(name)], ua.AttributeIds.NodeClass)
    if not LEVER.fullmatch(name) or not status_of(found).is_good():
        raise _no_lever(name, await levers_of(session))
    (facts,) = await facts_of(session, [name])
    value = _number(facts, text)
    result = await _call(session, "InjectFault", name, value)
    if result.StatusCode.value == Code.BadInvalidArgument:
        raise Mistake(
            f"{name}: cannot be {text}", f"{facts.description}; docs/use/faults.md says more"
        )
    if not result.StatusCode.is_good():
        raise _refused(session, name, result)
    return await _echo(session, name, value != 0.0)


async def inject(session: Session, fault: ProtocolFault) -> None:
    """Let a protocol fault begin."""
    _check_cell(session)
    result = await _call(session, "InjectProtocolFault", *fault)
    if result.StatusCode.value == Code.BadNotFound:
        hint = f"see the signals: twincell browse URL {fault.target.partition('.')[0]}"
        if "." not in fault.target:
            hint = f"signals of an object are {fault.target}.*; a client is named by --client"
        raise Mistake(f"{fault.target}: no signal is called so", hint)
    if not result.StatusCode.is_good():
        raise _refused(session, f"{fault.kind} {fault.target}", result)


async def force(session: Session, name: str, text: str, seconds: float) -> None:
    """Hold a signal at a value given as text; 0 s: until it is released."""
    _check_cell(session)
    (found,) = await session.read([session.node_id(name)], ua.AttributeIds.NodeClass)
    if not status_of(found).is_good():
        hint = f"see the signals: twincell browse URL {name.partition('.')[0]}"
        raise Mistake(f"{name}: no signal is called so", hint)
    (facts,) = await facts_of(session, [name])
    result = await _call(session, "ForceSignal", name, _number(facts, text), seconds)
    if result.StatusCode.value in (Code.BadNotFound, Code.BadInvalidArgument):
        hint = "single numbers and switches can be forced, but no texts, vectors or fault levers"
        raise Mistake(f"{name}: cannot be forced to {text}", hint)
    if not result.StatusCode.is_good():
        raise _refused(session, f"{FORCE}{name}", result)


async def clear(session: Session, name: str) -> bool:
    """End one fault; whether that is done, or a tick has yet to latch it."""
    active = await active_faults(session)
    name = name if name in active else _split(name)[0]  # as it is listed
    kind, _, target = name.partition(" ")
    if not target or (kind not in KINDS and not name.startswith(FORCE)):
        return await move_lever(session, name, "0")
    if name.startswith(FORCE):
        result = await _call(session, "ReleaseSignal", target)
    else:
        result = await _call(session, "InjectProtocolFault", kind, target, 0.0, 0.0)
    if result.StatusCode.value == Code.BadNotFound:
        others = ", ".join(active) or "none at all"
        raise Mistake(f"{name}: there is no such fault now", f"there are: {others}")
    if not result.StatusCode.is_good():
        raise _refused(session, name, result)
    return True


async def clear_all(session: Session) -> bool:
    """End all faults; whether that is done, or a tick has yet to latch it."""
    _check_cell(session)
    result = await _call(session, "ClearFaults")
    if not result.StatusCode.is_good():
        raise _refused(session, "the faults", result)
    return await _echo(session, "", False)


# ---------------------------------------------------------------- calling


async def _call(session: Session, method: str, *arguments: str | float) -> ua.CallMethodResult:
    request = ua.CallMethodRequest(
        session.node_id(SIMULATION),
        session.node_id(f"{SIMULATION}.{method}"),
        [ua.Variant(one) for one in arguments],
    )
    (result,) = await session.client.uaclient.call([request])
    return result


async def _echo(session: Session, name: str, is_there: bool) -> bool:
    """Whether a fault, or any if it has no name, comes to be there or not within some ticks."""
    until_s = time.monotonic() + ECHO_S
    while True:
        active = await active_faults(session)
        if (name in active if name else bool(active)) == is_there:
            return True
        if time.monotonic() > until_s:
            return False
        await asyncio.sleep(AGAIN_S)


def _number(facts: Facts, text: str) -> float:
    """A value as a number."""
    try:
        value: Any = variant_of(text, facts.data_type, facts.value_rank).Value
        return float(value)
    except TypeError:
        hint = "name one of its numbers"
        raise Mistake(f"{facts.name}: is a whole {facts.type}", hint) from None
    except ValueError:
        raise Mistake(f"{facts.name}: is a text", "only numbers and switches will do") from None
    except NotAValue as reason:
        raise Mistake(f"{facts.name}: {text!r} is no {facts.type}", str(reason)) from None


# ---------------------------------------------------------------- refusals


def _check_cell(session: Session) -> None:
    if not session.has_cell:
        raise Mistake("that server has no twincell cell", "faults are injected into these only")


def _no_lever(name: str, levers: Iterable[str]) -> Mistake:
    near = difflib.get_close_matches(name, levers, n=3, cutoff=ALIKE)
    hint = f"did you mean {' or '.join(near)}?" if near else "twincell fault URL list names them"
    return Mistake(f"{name}: there is no such fault lever", hint)


def _refused(session: Session, what: str, result: ua.CallMethodResult) -> Mistake:
    """Why a call was refused: OPC UA tells a number, a person wants words."""
    status = result.StatusCode
    if status.value == Code.BadUserAccessDenied:
        user = session.user
        who = user or "a client without a name"
        return Mistake(f"{what}: {who} may not inject or clear faults", who_may(user, "engineer"))
    if status.value == Code.BadInvalidArgument:
        wrong = [
            f"the {name} is {code.name}"
            for name, code in zip(
                PROTOCOL_ARGUMENTS, result.InputArgumentResults or [], strict=False
            )
            if not code.is_good()
        ]
        hint = "docs/use/faults.md has the ranges; the server's log says more"
        return Mistake(f"{what}: cannot be: {', '.join(wrong)}", hint)
    words, hint = {
        Code.BadInvalidState: (
            "the cell has stopped itself, or has not begun",
            "twincell read URL Simulation.Fault says why; Simulation.Reset goes on",
        ),
        Code.BadNoCommunication: (
            "the real-time process is down, so no lever moves",
            "it is started again by itself: try again",
        ),
        Code.BadResourceUnavailable: (
            "there are too many faults already, or too many commands wait",
            "twincell fault URL clear ends all faults",
        ),
        Code.BadMethodInvalid: ("the server is too old for it", "update it"),
    }.get(status.value, (f"the server refused it: {status.name}", "its log says why"))
    return Mistake(f"{what}: {words}", hint)
