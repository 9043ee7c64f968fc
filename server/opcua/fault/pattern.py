"""Whom a protocol fault is for: signals or clients, by their names.

    Tool1.Force.Z      a signal                     session PLC1     a client, by the name that
    Tool1.*            all signals of an object                      Cell.Control shows
    *                  all signals                  session *        all clients

As in file names * stands for any text and ? for any character. A name that has these itself means
itself too.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from twincell.server.opcua.command.arbitration import SESSION
from twincell.server.opcua.space.variable import Variable
from twincell.sim.signals import SignalTable

BULK = "Bulk."


def is_meant(pattern: str, name: str) -> bool:
    """Whether a pattern means a name."""
    return pattern == name or fnmatchcase(name, pattern)


def is_of_clients(pattern: str) -> bool:
    """Whether a pattern is one of clients."""
    return pattern.startswith(SESSION)


def variables_meant(
    pattern: str, variables: Iterable[Variable], signals: SignalTable
) -> frozenset[str]:
    """Names of all variables that a pattern means.

    A pose is meant with any of its numbers. The arrays of Bulk, which have a bit of everything,
    are meant by their own names only. Fault levers never: they tell what is really there.
    """
    levers = {lever.column for lever in signals.faults}
    columns = {signal.column for signal in signals if is_meant(pattern, signal.name)}
    return frozenset(
        one.name
        for one in variables
        if (is_meant(pattern, one.name) and levers.isdisjoint(one.columns))
        or (not one.name.startswith(BULK) and not (columns - levers).isdisjoint(one.columns))
    )
