"""How a subscription publishes: what the server makes of what a client asks for.

OPC UA part 4, 5.14.2
"""

from dataclasses import dataclass

DEFAULT_KEEP_ALIVE_MS = 5_000.0
LONGEST_KEEP_ALIVE_MS = 60_000.0
LONGEST_LIFETIME_MS = 600_000.0  # an orphan goes an interval later at most; chosen
# for a client that leaves it to the server, whose lifetime counts intervals: shorter ones are for
# those who ask for them; chosen
UNASKED_INTERVAL_MS = 5.0
LONGEST_INTERVAL_MS = LONGEST_LIFETIME_MS / 3  # a lifetime has three intervals at least
MOST_NOTIFICATIONS = 100_000  # in one message; chosen


@dataclass(frozen=True)
class Terms:
    """How a subscription publishes, after revision."""

    interval_ms: float
    keep_alive: int  # intervals
    lifetime: int  # intervals
    most_notifications: int
    priority: int


def revised_terms(
    interval_ms: float,
    keep_alive: int,
    lifetime: int,
    most_notifications: int,
    priority: int,
    shortest_ms: float,
) -> Terms:
    """What the server makes of a request."""
    if not interval_ms > 0.0:  # or not a number
        interval_ms = UNASKED_INTERVAL_MS
    interval = min(max(interval_ms, shortest_ms), LONGEST_INTERVAL_MS)
    most_alive = max(1, int(LONGEST_KEEP_ALIVE_MS / interval))
    alive = min(keep_alive or max(1, int(DEFAULT_KEEP_ALIVE_MS / interval)), most_alive)
    most_life = max(3 * alive, int(LONGEST_LIFETIME_MS / interval))
    life = min(max(lifetime, 3 * alive), most_life)
    most = min(most_notifications or MOST_NOTIFICATIONS, MOST_NOTIFICATIONS)
    return Terms(interval, alive, life, most, priority)
