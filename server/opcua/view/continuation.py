"""Continuation points of a session: Browse operations that have more to tell.

    OPC UA part 4, 7.9

A point is good for one BrowseNext, which gives another one if there is still more. When a new
request needs points and all are in use, those of earlier requests are freed, oldest first. The
points of the request itself are never freed: once it holds all, what needs another one fails.
"""

import secrets

from twincell.server.opcua.view.browse_selection import Selection

POINT_BYTES = 16  # random, so that nobody can guess one


class Continuations:
    """The continuation points of one session."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[bytes, Selection] = {}  # oldest first
        self._n_earlier = 0  # how many of them are of earlier requests

    def __len__(self) -> int:
        return len(self._held)

    def begin_request(self) -> None:
        """From here on all points held now may be freed."""
        self._n_earlier = len(self._held)

    def keep(self, selection: Selection) -> bytes | None:
        """A point at which to go on with a selection; None if this request has them all."""
        if len(self._held) >= self._most:
            if not self._n_earlier:
                return None
            self.take(next(iter(self._held)))
        point = secrets.token_bytes(POINT_BYTES)
        self._held[point] = selection
        return point

    def take(self, point: bytes | None) -> Selection | None:
        """What a point of an earlier request stands for, if it is one; it is used up now."""
        selection = self._held.pop(point, None) if point else None
        if selection is not None:
            self._n_earlier -= 1
        return selection
