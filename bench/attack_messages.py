"""100 000 messages with mistakes, before and after a login, while another client listens.

In turns with the attack, as many processes as there are cores count for nobody: what the loop
suffers then, it suffers from a busy machine. Whoever attacks a cell sits at another machine: here,
all but the cell keep off the loop's core.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from asyncua import ua

from bench.attack_intruder import Intruder
from bench.attack_listener import Listening
from bench.attack_mutation import Mutation, conversation, header_bytes
from bench.more_overruns import more_overruns
from bench.result import Result
from bench.ua_processes import other_cores, own_mb
from bench.ua_running import running
from bench.ua_wire import ConnectionEnded, decoded

T = TypeVar("T")

CELL = "tool_change_multi"
NAMES = ["Simulation.Time", "Tool1.Pose.X", "Tool1.Pose.Z", "Tool1.Force.Z"]
MESSAGES = 100_000
WARM_UP = 5_000  # before memory is compared: caches fill
AT_A_TIME = 20  # messages before we look at the answers
A_CONNECTION = 200  # messages before we come again
BROKEN = 0.3  # of the last messages of a batch have a mistake in a chunk's header
PATIENCE_S = 0.5  # for an answer that may never come: a mistake can leave a message open
ROUNDS = 20  # of attack and of the same time with a busy machine: a stall of the machine meets few
SEED = 20_261_117
WRITTEN = ua.ObjectIds.WriteResponse_Encoding_DefaultBinary
CALLED = ua.ObjectIds.CallResponse_Encoding_DefaultBinary


@dataclass
class Tried:
    """What came of an attack."""

    messages: int = 0
    connections: int = 0
    unauthorised: int = 0  # writes and calls that succeeded


def attack(endpoint: str, messages: int, seed: int) -> Tried:
    """Send so many messages with mistakes, in turns before and after an anonymous login."""
    mutation, tried = Mutation(seed), Tried()
    while tried.messages < messages:
        tried.connections += 1
        try:
            with Intruder(endpoint) as intruder:
                if tried.connections % 2:
                    intruder.log_in()
                _send(intruder, mutation, min(A_CONNECTION, messages - tried.messages), tried)
        except (ConnectionEnded, OSError):
            continue  # it was shown out, as it should be, or left without an answer
    return tried


def _send(intruder: Intruder, mutation: Mutation, count: int, tried: Tried) -> None:
    said, header = conversation(intruder), header_bytes(intruder)
    pick, whole = mutation.random.choice, mutation.random.random
    for _ in range(0, count, AT_A_TIME):
        data = b""
        for _ in range(AT_A_TIME - 1):
            data += mutation.chunks(intruder, mutation.mutated(pick(said[:-1]), header))
        # after the last of them the connection may be over, or its session
        data += mutation.chunks(intruder, mutation.mutated(pick(said)), whole() < BROKEN)
        tried.messages += AT_A_TIME
        intruder.raw(data)
        # whatever came before is answered when this is
        end = intruder.send(intruder.encoded(ua.FindServersRequest()))
        try:
            intruder.answer_to(end, PATIENCE_S)
        finally:
            tried.unauthorised += sum(map(_succeeded, intruder.answers.values()))
            intruder.answers.clear()


def _succeeded(answer: bytes) -> int:
    """Writes and calls that an answer says have been done."""
    kind = int.from_bytes(answer[2:4], "little")
    if kind not in (WRITTEN, CALLED):
        return 0
    response = decoded(ua.WriteResponse if kind == WRITTEN else ua.CallResponse, answer)
    codes = [getattr(result, "StatusCode", result) for result in response.Results]
    return sum(code.is_good() for code in codes)


@contextmanager
def _busy_machine() -> Iterator[None]:
    """Every core has something to do that has nothing to do with the cell."""
    counting = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(counting) for _ in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@contextmanager
def _off_the_loops_core(supervisor_pid: int) -> Iterator[None]:
    """Keep this process to the other cores, with all that it starts."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, other_cores(supervisor_pid))
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _suffered(listening: Listening, work: Callable[[], T]) -> tuple[T, float, float]:
    """What work gives, and meanwhile: overruns of the loop each second, the longest gap [ms]."""
    before, began_s = listening.report(), time.monotonic()
    done = work()
    after, took_s = listening.report(), time.monotonic() - began_s
    return done, (after.overruns - before.overruns) / took_s, after.gap_ms


def attack_messages() -> Iterator[Result]:
    """Crashes, growth of memory, the longest gap of the well-behaved client, break-ins."""
    command = ["twincell.server.cli", "run", CELL, "--port", "0", "--no-demo", "--no-web"]
    tried, gaps_ms, attacked, busy = [], [], [], []
    with running(command) as cell, _off_the_loops_core(cell.process.pid):
        listening = Listening(cell.endpoint, NAMES)
        try:
            attack(cell.endpoint, WARM_UP, SEED)
            pid = cell.serving_pid
            before, begun = own_mb(pid), listening.report()
            for number in range(1, ROUNDS + 1):
                began_s = time.monotonic()
                send = partial(attack, cell.endpoint, MESSAGES // ROUNDS, SEED + number)
                sent, late, gap_ms = _suffered(listening, send)
                tried.append(sent)
                attacked.append(late)
                gaps_ms.append(gap_ms)
                rest = partial(time.sleep, time.monotonic() - began_s)
                with _busy_machine():
                    busy.append(_suffered(listening, rest)[1])
            ended, after = listening.report(), own_mb(pid)
            crashes = int(cell.serving_pid != pid)
        finally:
            listening.close()
    sides = ("with as many busy processes", "attacked")
    yield Result("attack_messages", float(sum(t.messages for t in tried)), "messages")
    yield Result("attack_crashes", float(crashes), "")
    yield Result("attack_growth_mb", after - before, "MB")
    yield Result("attack_longest_gap_ms", max(gaps_ms), "ms")
    yield Result("attack_wrong_samples", float(ended.wrong - begun.wrong), "samples")
    yield more_overruns("attack_overruns", busy, attacked, "/s", sides)
    yield Result("attack_unauthorised", float(sum(t.unauthorised for t in tried)), "operations")
