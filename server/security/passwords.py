"""Hashes of passwords: Argon2id, slow enough to guess against, light enough to log in with.

A login costs some 40 ms and 19 MiB. Hashes are computed one after the other, so that a flood of
logins costs one core and that memory once.
"""

import threading

from argon2 import PasswordHasher, Type, extract_parameters
from argon2.exceptions import Argon2Error

LONGEST = 256  # bytes of UTF-8; chosen: longer than anybody types

# the least that OWASP's Password Storage Cheat Sheet recommends
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)
_ONE_AT_A_TIME = threading.Lock()

# Of random bytes that were thrown away: for names that nobody has, which must cost the same time.
NOBODYS = (
    "$argon2id$v=19$m=19456,t=2,p=1"
    "$sDU3t5d65sXMPvjdVeyTxQ$0GWBidLGZQx6vaVIUJoUNXd+QfxXHtsCKHHMlVzIVaQ"
)


def hashed(password: str) -> str:
    """What to keep instead of a password."""
    octets = octets_of(password)
    if octets is None:
        raise ValueError(f"a password has at most {LONGEST} bytes of UTF-8")
    with _ONE_AT_A_TIME:
        return _HASHER.hash(octets)


def matches(hash_: str, password: str) -> bool:
    """Whether a hash is that of a password."""
    octets = octets_of(password)
    if octets is None:
        return False
    try:
        with _ONE_AT_A_TIME:
            return _HASHER.verify(hash_, octets)
    except (Argon2Error, ValueError):  # not its hash, or no hash at all
        return False


def is_hash(text: str) -> bool:
    """Whether a text is a hash that passwords can be compared with."""
    try:
        return extract_parameters(text).type is Type.ID
    except ValueError:
        return False


def octets_of(password: str) -> bytes | None:
    """A password as UTF-8, None when it is too long or cannot be written so."""
    try:
        octets = password.encode("utf-8")
    except UnicodeEncodeError:
        return None
    return octets if len(octets) <= LONGEST else None
