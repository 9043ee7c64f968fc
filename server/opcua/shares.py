"""What all clients share, and how much of it each may have.

Half of everything is divided equally among all sessions that there may be: each is sure of its
part. The other half is common: whoever needs more takes it from there, but never all of it.

    a client     has at most 5 times as much of it as it leaves free for others of its rank
    a session    at most as much as it leaves to the other sessions of its client
    a rank       engineers may have all that is common, others with a name 7/8, who has none 3/4

A client is a user with a name, wherever he is, or a machine from which clients give none.

    x ≤ a (free - x)   dynamic thresholds; after Choudhury and Hahne, 1998, who share the memory
                       of a packet switch among its ports
"""

from collections import Counter
from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple, Protocol

from asyncua.common.utils import ServiceError

from twincell.server.opcua.limits import Limits

LEFT_FREE = 5.0  # times of what it leaves free, a client may have; chosen: 100 of 160 sessions


class Rank(IntEnum):
    """Who leaves something to whom: each to those after it."""

    NAMELESS = 0
    NAMED = 1
    ENGINEER = 2


PART = {Rank.NAMELESS: 0.75, Rank.NAMED: 0.875, Rank.ENGINEER: 1.0}  # of what is common; chosen


class Shared(IntEnum):
    """What is shared."""

    SESSIONS = 0
    SUBSCRIPTIONS = 1
    ITEMS = 2  # that are monitored
    LINKS = 3  # between items, of which one triggers the other
    CLAUSES = 4  # of event filters
    CYCLES = 5  # of publishing, in a second
    WAITING = 6  # bytes of messages that are made and not sent


IN_LIMITS = {
    Shared.SESSIONS: "sessions",
    Shared.SUBSCRIPTIONS: "subscriptions",
    Shared.ITEMS: "monitored_items",
}
FIXED = {
    Shared.LINKS: 200_000,  # 100 MB at most; chosen
    Shared.CLAUSES: 20_000,  # some 20 ms for each event; chosen
    Shared.CYCLES: 20_000,  # 22 µs each if nothing is sent: less than half a core; measured
    Shared.WAITING: 512_000_000,  # chosen
}
# what stays with a subscription that nobody listens to: it neither publishes nor sends
LEFT_BEHIND = (Shared.SUBSCRIPTIONS, Shared.ITEMS, Shared.LINKS, Shared.CLAUSES)


NAMES = {
    Shared.SESSIONS: "sessions",
    Shared.SUBSCRIPTIONS: "subscriptions",
    Shared.ITEMS: "monitored items",
    Shared.LINKS: "links between items",
    Shared.CLAUSES: "clauses of event filters",
    Shared.CYCLES: "publishing cycles a second",
    Shared.WAITING: "bytes that wait to be sent",
}


# what helps, for whom: an engineer has nobody above him
REMEDIES = {
    Rank.NAMELESS: "ask for less, give some back, or log in with a name, as an engineer above all",
    Rank.NAMED: "ask for less, give some back, or log in as an engineer",
    Rank.ENGINEER: "ask for less, or give some back",
}


class ShareUsedUp(ServiceError):
    """A client wants more than its share; whoever asks for diagnostics is told why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(status)
        self.why = why


class Holder(Protocol):
    """A session, as far as its share goes."""

    @property
    def rank(self) -> Rank:
        """Before whom it goes, and after whom."""

    @property
    def client(self) -> str:
        """Whose it is: sessions of one client have one share."""

    @property
    def is_closed(self) -> bool:
        """Whether it has ended, and left something behind."""

    @property
    def is_lost(self) -> bool:
        """Whether it waits for its client, whose connection is lost."""


class Counted(NamedTuple):
    """What a session has of what is common, as it stands in the sums."""

    rank: Rank
    client: str
    parts: int


class Account:
    """What one session has."""

    def __init__(self, shares: "Shares", holder: Holder) -> None:
        self._shares = shares
        self.holder = holder
        self.has: Counter[Shared] = Counter()
        self.counted: dict[Shared, Counted] = {}
        self.short_of: Shared | None = None  # what it wanted last and could not have

    def add(self, what: Shared, amount: int) -> None:
        """It has so much more, or less, whether there is room or not."""
        self.has[what] += amount
        self._shares.count(self, (what,))

    def holder_changed(self) -> None:
        """Its holder has ended, or acts for another client or with another rank."""
        self._shares.count(self, tuple(self.has))

    def room(self, what: Shared, without_silent: bool = False) -> float:
        """How much more it may have; or could have without what nobody listens to."""
        return self._shares.room(self, what, without_silent)

    def why_no_more(self, what: Shared) -> str:
        """Why it cannot have more, and what helps."""
        return self._shares.why_no_more(what, self.holder.rank, self.holder.client)

    @property
    def why_short(self) -> str:
        """Why it could not have what it wanted; nothing if it could."""
        return "" if self.short_of is None else self.why_no_more(self.short_of)

    def parts(self, what: Shared) -> int:
        """How much of what is common it has, in parts."""
        counted = self.counted.get(what)
        return 0 if counted is None else counted.parts


class Holding:
    """What one subscription has of what its session has."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._has: Counter[Shared] = Counter()

    def has(self, what: Shared) -> int:
        """How much it has."""
        return self._has[what]

    def take(self, what: Shared, amount: int) -> bool:
        """Have so much more of it, if there is room; whether there was."""
        if amount > self._account.room(what):
            self._account.short_of = what
            return False
        self.add(what, amount)
        return True

    def add(self, what: Shared, amount: int) -> None:
        """Have so much more, or less, whether there is room or not."""
        self._has[what] += amount
        self._account.add(what, amount)

    def set(self, what: Shared, amount: int) -> None:
        """Have so much of it."""
        if amount != self._has[what]:
            self.add(what, amount - self._has[what])

    def room(self, what: Shared) -> float:
        """How much more of it there may be."""
        return self._account.room(what)

    def move_to(self, account: Account) -> bool:
        """Become part of another session, if that has room; whether it had."""
        old, has = self._account, dict(self._has)
        for what, amount in has.items():
            old.add(what, -amount)
        short = [what for what, amount in has.items() if 0 < amount > account.room(what)]
        fits = not short
        if short:
            account.short_of = short[0]
        self._account = account if fits else old
        for what, amount in has.items():
            self._account.add(what, amount)
        return fits

    def close(self) -> None:
        """Give everything back."""
        for what, amount in self._has.items():
            self._account.add(what, -amount)
        self._has.clear()


class Shares:
    """What there is, and who has it.

    What is common is summed up by rank and by client whenever somebody's part of it changes: it is
    asked for in every publishing cycle, and changes seldom. One of anything is as many parts as
    make the share of a session a whole number: so the sums are exact, however long they run.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._accounts: set[Account] = set()  # those that have something
        self._of_ranks = {what: [0] * len(Rank) for what in Shared}  # parts of what is common
        self._of_clients: dict[Shared, Counter[str]] = {what: Counter() for what in Shared}

    def account(self, holder: Holder) -> Account:
        """Of a session that has nothing yet."""
        return Account(self, holder)

    @property
    def limits(self) -> Limits:
        """Of what there is."""
        return self._limits

    @limits.setter
    def limits(self, limits: Limits) -> None:
        self._limits = limits
        for account in self._accounts:
            account.holder_changed()

    def count(self, account: Account, of: Iterable[Shared]) -> None:
        """An account has changed: so do the sums."""
        for what in of:
            old = account.counted.pop(what, None)
            if old is not None:
                self._sum_up(what, old.rank, old.client, -old.parts)
            parts = self._parts_beyond(account, what)
            if parts:
                holder = account.holder
                new = account.counted[what] = Counted(holder.rank, holder.client, parts)
                self._sum_up(what, new.rank, new.client, parts)
        has_any = any(account.has.values())
        (self._accounts.add if has_any else self._accounts.discard)(account)

    def _sum_up(self, what: Shared, rank: Rank, client: str, parts: int) -> None:
        self._of_ranks[what][rank] += parts
        of_clients = self._of_clients[what]
        of_clients[client] += parts
        if not of_clients[client]:
            del of_clients[client]  # there are more clients in the world than here at a time

    def _parts_beyond(self, account: Account, what: Shared) -> int:
        """Of what is common: a session that has ended has no part of its own."""
        is_sure = what is not Shared.SESSIONS and not account.holder.is_closed
        own = self.there_is(what) if is_sure else 0
        return max(account.has[what] * self._parts - own, 0)

    @property
    def _parts(self) -> int:
        """That one of anything is."""
        return 2 * self._limits.sessions

    def there_is(self, what: Shared) -> int:
        """For everybody together."""
        fixed = FIXED.get(what)
        return getattr(self._limits, IN_LIMITS[what]) if fixed is None else fixed

    def used(self, what: Shared) -> int:
        """What all have together."""
        return sum(one.has[what] for one in self._accounts)

    def own(self, what: Shared) -> float:
        """What every session is sure of; but of sessions, nobody is sure before he has one."""
        return 0.0 if what is Shared.SESSIONS else self.there_is(what) / self._parts

    def common(self, what: Shared) -> float:
        """What is for whoever needs more."""
        return self.there_is(what) / (1 if what is Shared.SESSIONS else 2)

    def room(self, account: Account, what: Shared, without_silent: bool = False) -> float:
        """How much more a session may have."""
        holder = account.holder
        left = 0.0 if holder.is_closed else max(self.own(what) - account.has[what], 0.0)
        free = self.room_of_client(what, holder.rank, holder.client, without_silent)
        beyond = account.parts(what) / self._parts
        return left + max(_whole((free - beyond) / 2, free), 0.0)

    def room_of_client(
        self, what: Shared, rank: Rank, client: str, without_silent: bool = False
    ) -> float:
        """How much more of what is common a client may have; below 0 if it has too much."""
        of_ranks, of_client = self._of_ranks[what], self._of_clients[what][client]
        if without_silent:
            of_ranks = of_ranks.copy()
            for one in self._accounts:
                if one.parts(what) and makes_room(one.holder, rank, client):
                    silent = one.counted[what]
                    of_ranks[silent.rank] -= silent.parts
                    of_client -= silent.parts if silent.client == client else 0
        common, parts = self.common(what), self._parts
        free = min(
            common * PART[Rank(r)] - sum(of_ranks[: r + 1]) / parts for r in range(rank, len(Rank))
        )
        return _whole((LEFT_FREE * free - of_client / parts) / (1.0 + LEFT_FREE), free)

    def why_no_more(self, what: Shared, rank: Rank, client: str) -> str:
        """Why a client cannot have more, and what helps."""
        used = sum(one.has[what] for one in self._accounts if one.holder.client == client)
        return (
            f"{client} may have no more: it has {used} of {self.there_is(what)} {NAMES[what]}, all "
            f"have {self.used(what)}; {REMEDIES[rank]} (docs/server/limits.md, Shares)"
        )


def makes_room(holder: Holder, rank: Rank, client: str) -> bool:
    """Whether nobody listens to a session's subscriptions, and a client may have their room.

    What an ended session has left makes room for those of its rank and above. One whose connection
    is lost may come back: it makes room for its own client only.
    """
    return (holder.is_closed and holder.rank <= rank) or (
        holder.is_lost and holder.client == client
    )


def _whole(room: float, free: float) -> float:
    """Of what is counted there is one, where there is a part of one, as long as one is free."""
    return max(room, 1.0) if room > 0.0 and free >= 1.0 else room
