"""When subscriptions publish: one timer for all of them.

A subscription is on the clock at most once, for its next cycle or for the end of its lifetime. So
one that nobody listens to costs nothing until it ends.
"""

import asyncio
import heapq
import itertools
from dataclasses import dataclass, field
from typing import Protocol

MOST_AT_ONCE_S = 0.002  # of cycles in one go, before what has arrived is looked at; chosen


class Member(Protocol):
    """A subscription, as far as the clock knows it."""

    def wake(self) -> None:
        """Its time has come."""


@dataclass(order=True, slots=True)
class _Wakeup:
    """When somebody is woken."""

    at_s: float
    order: int  # of those at the same time
    member: Member | None = field(compare=False)  # None: it has another one by now


class PublishingClock:
    """Wakes everybody at his time."""

    def __init__(self) -> None:
        self._wakeups: list[_Wakeup] = []  # a heap
        self._of_member: dict[Member, _Wakeup] = {}
        self._order = itertools.count()
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._of_member)

    def __contains__(self, member: Member) -> bool:
        return member in self._of_member

    def set(self, member: Member, at_s: float) -> None:
        """Wake somebody then, in the loop's time, and not before."""
        self.remove(member)
        wakeup = self._of_member[member] = _Wakeup(at_s, next(self._order), member)
        heapq.heappush(self._wakeups, wakeup)
        if len(self._wakeups) > 2 * len(self._of_member) + 64:
            self._wakeups = list(self._of_member.values())
            heapq.heapify(self._wakeups)
        self._schedule()

    def remove(self, member: Member) -> None:
        """Do not wake somebody any more."""
        wakeup = self._of_member.pop(member, None)
        if wakeup is not None:
            wakeup.member = None

    def stop(self) -> None:
        """Wake nobody any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._wakeups.clear()
        self._of_member.clear()

    def _schedule(self) -> None:
        """Let the timer run until the next time."""
        at_s = self._wakeups[0].at_s
        if self._timer is not None:
            if self._timer.when() <= at_s:
                return
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_at(at_s, self._wake_due)

    def _wake_due(self) -> None:
        """Wake those whose time has come, for a moment; then the timer runs on."""
        self._timer = None
        loop = asyncio.get_running_loop()
        began_s = now_s = loop.time()
        try:
            while self._wakeups and self._wakeups[0].at_s <= now_s < began_s + MOST_AT_ONCE_S:
                member = heapq.heappop(self._wakeups).member
                if member is not None:
                    del self._of_member[member]
                    member.wake()
                    now_s = loop.time()
        finally:
            if self._wakeups:
                self._schedule()
