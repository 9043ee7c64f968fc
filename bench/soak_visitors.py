"""Clients that come and go: each subscribes, reads, writes a command, and leaves in its own way.

polite    closes its session
vanished  closes its socket without a word
broken    closes its socket in the middle of a message
deaf      stops reading for a while, then is gone
"""

import random
import select
import threading
import time
from collections import Counter
from types import TracebackType
from typing import Self

from asyncua import ua

from bench.shipped_cells import cell_file
from bench.ua_cells import nodes
from bench.ua_client import EVERY_SAMPLE, UaClient
from twincell.server.opcua.space.namespaces import CELL
from twincell.sim.cell import Cell
from twincell.sim.signals import Direction, Kind

AT_ONCE = 4
VARIABLES = 200
PUBLISHING_MS = (10.0, 20.0, 50.0, 200.0)
STAY_S = (0.2, 4.0)
DEAF_S = 3.0
BOOLEAN = ua.VariantType.Boolean
MOST_FAILED = 0.01  # of the visits: a busy machine lets a few time out; chosen
WAYS = ("polite", "vanished", "broken", "deaf")


class Visitors:
    """Some clients at a time, for as long as the `with` block lasts."""

    def __init__(self, endpoint: str, cell_name: str) -> None:
        cell = Cell.load(cell_file(cell_name))
        self._endpoint = endpoint
        self._variables = nodes(cell)[1]
        self._commands = [
            ua.NodeId(signal.name, CELL)
            for signal in cell.signals
            if signal.direction is Direction.COMMAND and signal.kind is Kind.BOOLEAN
        ]
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()  # of the counts
        self._is_over = threading.Event()
        self._threads = [
            threading.Thread(target=self._come_and_go, args=(number,)) for number in range(AT_ONCE)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join()

    @property
    def account(self) -> str:
        """How many there were, and what they got."""
        visits = sum(self._counts[way] for way in WAYS)
        return f"{visits} visits, {self._counts['messages']} messages, {self._failures} failed"

    @property
    def were_served(self) -> bool:
        """Whether nearly all of them got what they came for: else their memory proves nothing."""
        failed = sum(n for name, n in self._counts.items() if name.startswith("failed"))
        visits = sum(self._counts[way] for way in WAYS)
        return self._counts["messages"] > 0 and failed <= MOST_FAILED * visits

    @property
    def _failures(self) -> str:
        failed = {name: n for name, n in self._counts.items() if name.startswith("failed")}
        return str(failed) if failed else "none"

    def _come_and_go(self, number: int) -> None:
        chance = random.Random(number)
        while not self._is_over.is_set():
            way = chance.choice(WAYS)
            try:
                self._visit(chance, way)
            except Exception as error:  # counted: the soak goes on
                self._count(f"failed: {type(error).__name__}")
                self._is_over.wait(1.0)
            self._count(way)

    def _visit(self, chance: random.Random, way: str) -> None:
        client = UaClient(self._endpoint, f"a {way} visitor")
        try:
            some = chance.sample(self._variables, min(VARIABLES, len(self._variables)))
            client.subscribe(some, chance.choice(PUBLISHING_MS), EVERY_SAMPLE)
            client.read(some)
            client.write(chance.choice(self._commands), chance.random() < 0.5, BOOLEAN)
            self._listen(client, chance.uniform(*STAY_S))
            if way == "polite":
                client.close()
            elif way == "broken":
                client.send_half()
            elif way == "deaf":
                self._is_over.wait(DEAF_S)
        finally:
            client.vanish()

    def _listen(self, client: UaClient, seconds: float) -> None:
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0 and not self._is_over.is_set():
            if select.select([client], [], [], left)[0]:
                self._count("messages", sum(1 for _ in client.notifications()))

    def _count(self, what: str, how_many: int = 1) -> None:
        with self._lock:
            self._counts[what] += how_many
