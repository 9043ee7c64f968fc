"""Everything that bounds what clients may ask for, in one place.

The cell file may change a limit in its table [server.limits], within a range: less would lock
working clients out, more would not be safe. What OPC UA has a name for is told to clients in
ServerCapabilities. docs/server/limits.md lists all of it.
"""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, NamedTuple


class Range(NamedTuple):
    """What the cell file may set a limit to."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"{self.least} to {self.most}"


def _limit(default: float, least: float, most: float) -> Any:
    return field(default=default, metadata={"range": Range(least, most)})


@dataclass(frozen=True)
class Limits:
    """What clients may ask for; every default is chosen, unless its comment says otherwise."""

    # --- connections: those who have not said who they are leave room for those who have

    # all sessions, and clients that come and go
    connections: int = _limit(200, 4, 1_000)
    # a gateway may bring 100 sessions, and nobody may take all of the above
    connections_per_address: int = _limit(150, 2, 1_000)
    # without an activated session
    unauthenticated_connections: int = _limit(50, 2, 1_000)
    # from accept to a secure channel: a small PLC takes a second or two for its keys
    seconds_to_open: float = _limit(5.0, 1.0, 60.0)
    # from the secure channel to an activated session
    seconds_to_activate: float = _limit(10.0, 2.0, 120.0)
    # of a user from one machine in a minute: enough for typing errors, too few to guess
    failed_logins: int = _limit(10, 3, 1_000)

    # --- sessions

    # those without a name on one machine have 100: the others are for others, see shares.py
    sessions: int = _limit(160, 4, 1_000)
    # a shorter one would end between two requests of a slow client
    min_session_timeout_ms: float = _limit(5_000.0, 1_000.0, 60_000.0)
    # after that, nothing is left of a client that is lost
    max_session_timeout_ms: float = _limit(600_000.0, 30_000.0, 3_600_000.0)
    # each renewal costs a signature
    min_channel_lifetime_ms: float = _limit(10_000.0, 1_000.0, 600_000.0)
    # no key is used for longer
    max_channel_lifetime_ms: float = _limit(3_600_000.0, 60_000.0, 86_400_000.0)

    # --- subscriptions

    # of all sessions
    subscriptions: int = _limit(1_000, 10, 10_000)
    # more than any client is known to need
    subscriptions_per_session: int = _limit(100, 2, 1_000)
    # of all sessions: 100 MB, as an item takes 0.5 kB (measured) besides its queue; 600 MB if
    # all of them only sample: then an item takes 3 kB (measured)
    monitored_items: int = _limit(200_000, 10_000, 1_000_000)
    # four times what CODESYS asks for
    monitored_items_per_subscription: int = _limit(20_000, 500, 200_000)
    # that wait for an answer: one for each subscription
    publish_requests_per_session: int = _limit(100, 2, 1_000)
    # a tick; how often all of them together publish is shared, see shares.py
    min_publishing_interval_ms: float = _limit(1.0, 1.0, 1_000.0)

    # --- operations in one request: a node takes 33 to 114 µs to read (measured), so another long
    # request waits up to a tenth of a second. Clients look these numbers up and split what is
    # longer: it costs them little

    read_nodes: int = _limit(1_000, 100, 10_000)
    write_nodes: int = _limit(1_000, 100, 10_000)
    call_methods: int = _limit(1_000, 10, 10_000)
    browse_nodes: int = _limit(1_000, 100, 10_000)
    translate_nodes: int = _limit(1_000, 100, 10_000)
    register_nodes: int = _limit(1_000, 100, 10_000)
    monitored_item_calls: int = _limit(1_000, 100, 10_000)
    # in one answer to Browse; BrowseNext brings the others
    references_per_node: int = _limit(1_000, 10, 10_000)
    # of one session: each holds on to a list of references
    continuation_points: int = _limit(10, 1, 1_000)

    # --- messages

    # 1000 writes of arrays with 500 numbers
    message_bytes: int = _limit(4_194_304, 65_536, 67_108_864)
    # before a session is activated: nobody needs more than one chunk then
    message_bytes_before: int = _limit(65_535, 16_384, 1_048_576)
    # 8192 is the least that the standard allows
    chunk_bytes: int = _limit(65_535, 8_192, 1_048_576)
    # the longest message in chunks of 8192 bytes, with their headers
    chunks: int = _limit(600, 1, 10_000)
    # elements; no array that can be written is nearly as long
    array_length: int = _limit(65_536, 1_000, 1_000_000)
    # bytes; names have fewer than 1000
    string_length: int = _limit(65_536, 1_024, 4_194_304)
    # a chain of certificates has 10 kB
    byte_string_length: int = _limit(65_536, 16_384, 4_194_304)
    # objects out of one message: 1000 items with filters are 20 000, a forged length is millions
    decoded_parts: int = _limit(100_000, 20_000, 10_000_000)
    # sent and not read by the client, before it gets no more: two of our longest messages
    unread_bytes: int = _limit(8_000_000, 1_000_000, 100_000_000)

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> "Limits":
        """Limits of a cell file; a ValueError names all that is wrong, a line each."""
        known = {limit.name: limit for limit in fields(cls)}
        problems = [_problem(key, value, known) for key, value in table.items()]
        if any(problems):
            raise ValueError("\n".join(filter(None, problems)))
        limits = cls(**{key: _converted(value, known[key]) for key, value in table.items()})
        crossed = [
            f"{low}: {getattr(limits, low)} is more than {high}, which is {getattr(limits, high)}"
            for low, high in ORDERED
            if getattr(limits, low) > getattr(limits, high)
        ]
        if crossed:
            raise ValueError("\n".join(crossed))
        return limits


# the first of each pair would mean nothing if it were more than the second
ORDERED = (
    ("min_session_timeout_ms", "max_session_timeout_ms"),
    ("min_channel_lifetime_ms", "max_channel_lifetime_ms"),
    ("seconds_to_open", "seconds_to_activate"),
    ("message_bytes_before", "message_bytes"),
    ("chunk_bytes", "message_bytes"),
)


def range_of(limit: "Field[Any]") -> Range:
    """What the cell file may set a limit to."""
    allowed: Range = limit.metadata["range"]
    return allowed


def _problem(key: str, value: Any, known: "Mapping[str, Field[Any]]") -> str:
    """What is wrong with an entry of the table; nothing if it is right."""
    if key not in known:
        near = get_close_matches(key, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "docs/server/limits.md lists them"
        return f"{key}: there is no such limit ({value!r}); {hint}"
    limit, allowed = known[key], range_of(known[key])
    is_whole = limit.type is int
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float):
        kind = "a whole number" if is_whole else "a number"
        return f"{key}: {value!r} is not {kind}; it may be {allowed}"
    if not allowed.least <= value <= allowed.most:
        return f"{key}: {value} is out of range; it may be {allowed}"
    return ""


def _converted(value: Any, limit: "Field[Any]") -> Any:
    """TOML's 5 where 5.0 is meant."""
    return value if limit.type is int else float(value)
