"""Say the same thing only so often: a flood of bad clients fills no disk."""

import logging
import time

MOST_LINES = 10  # from one place in the code within WITHIN_S; chosen
WITHIN_S = 10.0
SPARED = {"is_spared": True}  # `extra` of a record whose place has seen to that itself


class Sparing(logging.Filter):
    """Lets a few records of each place through, and says later how many it held back."""

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, int], list[float]] = {}
        self._unsaid: dict[tuple[str, int], int] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to say it."""
        if getattr(record, "is_spared", False):
            return True
        place, now_s = (record.pathname, record.lineno), time.monotonic()
        lately = [at for at in self._said.get(place, []) if now_s - at < WITHIN_S]
        self._said[place] = lately
        if len(lately) >= MOST_LINES:
            self._unsaid[place] = self._unsaid.get(place, 0) + 1
            return False
        lately.append(now_s)
        record.held_back = self._unsaid.pop(place, 0)
        return True


def message_of(record: logging.LogRecord) -> str:
    """What a record that `Sparing` let through says, and how many it held back before.

    The record itself keeps its words: other handlers write it as well.
    """
    held_back = getattr(record, "held_back", 0)
    unsaid = f" (and {held_back} before that were not logged)" if held_back else ""
    return record.getMessage() + unsaid
