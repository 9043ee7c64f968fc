"""How long to wait before the next try: twice as long each time, never in step with others."""

import random

FIRST_S = 0.1
LONGEST_S = 5.0  # chosen: nobody waits long for a controller that was started again


class Backoff:
    """The waits between tries."""

    def __init__(self, first_s: float = FIRST_S, longest_s: float = LONGEST_S) -> None:
        self._first_s, self._longest_s = first_s, longest_s
        self._next_s = first_s

    def next_s(self) -> float:
        """The next wait: by chance between half of what it may be and all of it."""
        wait_s = self._next_s
        self._next_s = min(2.0 * wait_s, self._longest_s)
        return wait_s * random.uniform(0.5, 1.0)

    def begin_anew(self) -> None:
        """It has worked."""
        self._next_s = self._first_s
