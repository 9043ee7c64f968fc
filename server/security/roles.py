"""The roles of users: each may do what those before it may, and more."""

from dataclasses import dataclass
from enum import IntEnum


class Role(IntEnum):
    """What a user may do."""

    NOBODY = 0  # nothing
    OBSERVER = 1  # read and subscribe
    OPERATOR = 2  # write commands
    ENGINEER = 3  # call methods, see other sessions


@dataclass(frozen=True)
class Identity:
    """Who a session acts for."""

    name: str  # "" for a client that gave none
    role: Role
