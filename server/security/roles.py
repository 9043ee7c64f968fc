"""The roles of users: each may do what those before it may, and more."""

from dataclasses import dataclass, field
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
    # what the file of users has of the password or certificate that was shown; "" for no such user
    proof: str = field(default="", repr=False)
