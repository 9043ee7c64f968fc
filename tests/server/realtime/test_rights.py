"""What the system grants the loop, and what it is told when the system refuses."""

import multiprocessing
import os

import pytest

from twincell.server.realtime.process import become_child
from twincell.server.realtime.scheduling import PRIORITY, Rights, System, claim_rights
from twincell.server.realtime.shared.vitals import TEXT


def refuse(*_arguments):
    raise PermissionError(1, "Operation not permitted")


class Generous:
    """A system that grants everything and notes what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, object]] = []

    def system(self, **other) -> System:
        grants = {
            "set_fifo": lambda priority: self.asked.append(("fifo", priority)),
            "set_slack": lambda ns: self.asked.append(("slack", ns)),
            "lock_memory": lambda: self.asked.append(("lock", None)),
            "pin": lambda core: self.asked.append(("pin", core)),
        }
        return System(**(grants | other))


@pytest.fixture
def generous():
    return Generous()


def test_a_generous_system_grants_priority_memory_and_a_core(generous):
    rights = claim_rights(5, generous.system())
    assert rights == Rights(("SCHED_FIFO priority 80", "locked memory", "core 5"), ())
    assert rights.text == "SCHED_FIFO priority 80, locked memory, core 5"
    assert sorted(generous.asked, key=str) == [("fifo", 80), ("lock", None), ("pin", 5)]


def test_without_priority_it_takes_exact_timers_and_says_how_to_grant_it(generous):
    rights = claim_rights(5, generous.system(set_fifo=refuse))
    assert ("slack", 1) in generous.asked
    assert rights.granted == ("exact timers", "locked memory", "core 5")
    (advice,) = rights.refused
    assert advice.startswith("no real-time priority") and "ulimit -r 80" in advice
    assert "--ulimit rtprio=80" in advice


def test_without_locked_memory_it_says_how_to_grant_it(generous):
    rights = claim_rights(5, generous.system(lock_memory=refuse))
    assert rights.granted == ("SCHED_FIFO priority 80", "core 5")
    (advice,) = rights.refused
    assert advice.startswith("memory not locked") and "--ulimit memlock=-1" in advice


@pytest.mark.parametrize(("core", "refusal"), [(5, {"pin": refuse}), (None, {})])
def test_a_core_of_its_own_needs_a_choice(generous, core, refusal):
    rights = claim_rights(core, generous.system(**refusal))
    assert rights.granted == ("SCHED_FIFO priority 80", "locked memory")
    assert rights.refused[0].startswith("not pinned to a core")
    assert "pin" not in dict(generous.asked)


def test_a_system_that_refuses_everything_stops_nothing():
    rights = claim_rights(5, System(refuse, refuse, refuse, refuse))
    assert rights.granted == () and len(rights.refused) == 3
    assert rights.text.startswith("nothing granted; ")
    assert len(rights.text.encode()) <= TEXT  # fits where the other processes read it


def claim_and_tell(parent_pid, pipe):
    become_child(parent_pid)
    rights = claim_rights(max(os.sched_getaffinity(0)))
    pipe.send((rights, os.sched_getscheduler(0), os.sched_getaffinity(0), _locked_kb()))


def _locked_kb() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        (line,) = (line for line in status if line.startswith("VmLck:"))
    return int(line.split()[1])


def test_what_this_system_grants_is_what_it_says():
    # in a process of its own, which takes its rights with it
    forked = multiprocessing.get_context("fork")
    receive, send = forked.Pipe(duplex=False)
    process = forked.Process(target=claim_and_tell, args=(os.getpid(), send))
    process.start()
    rights, policy, cores, locked_kb = receive.recv()
    process.join()
    assert (f"SCHED_FIFO priority {PRIORITY}" in rights.granted) == (policy == os.SCHED_FIFO)
    assert ("locked memory" in rights.granted) == (locked_kb > 0)
    pinned = [f"core {core}" for core in cores]
    assert [right for right in rights.granted if right.startswith("core")] == pinned
    assert len(rights.granted) + len(rights.refused) >= 3
