"""cyclictest (of Debian's rt-tests): how late the machine itself wakes a thread up.

It sleeps to absolute times a millisecond apart at the loop's priority and notes how late it woke:
what remains when a loop does nothing else. It runs on a core where the loop is not, since of two
threads of the same priority on one core one would always wait for the other.
"""

import re
import shutil
import subprocess

import numpy as np
import numpy.typing as npt

from twincell.server.realtime.scheduling import PRIORITY

PROGRAM = "cyclictest"
HOW_TO_GET = "cyclictest is missing: apt install rt-tests"
LONGEST_US = 50_000  # what is later counts as that late


def is_there() -> bool:
    """Whether it is installed."""
    return shutil.which(PROGRAM) is not None


def start(seconds: float, core: int) -> "subprocess.Popen[str]":
    """Begin to measure."""
    options = f"-m -q -t 1 -a {core} -p {PRIORITY} -i 1000 -h {LONGEST_US} -D {round(seconds)}"
    return subprocess.Popen([PROGRAM, *options.split()], stdout=subprocess.PIPE, text=True)


def lateness_us(process: "subprocess.Popen[str]") -> npt.NDArray[np.float64]:
    """Wait for its end; how late each of its wake-ups was."""
    text, _ = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{PROGRAM} ended with exit code {process.returncode}: {text[-500:]}")
    rows = re.findall(r"^(\d+)\s+(\d+)$", text, re.MULTILINE)
    counts = np.array([int(count) for _, count in rows])
    late = np.repeat(np.array([float(us) for us, _ in rows]), counts)
    beyond = re.search(r"^# Histogram Overflows: *(\d+)", text, re.MULTILINE)
    return np.append(late, np.full(int(beyond[1]) if beyond else 0, float(LONGEST_US)))
