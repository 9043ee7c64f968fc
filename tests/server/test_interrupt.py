"""Ctrl-C before anything has been started."""

import subprocess
import sys

from twincell.server.cli.exit_codes import INTERRUPTED

LOSES_IT = """
import os, signal, time
from twincell.server.cli.interrupt import ending_at_once

signal.signal(signal.SIGINT, signal.{minds})
with ending_at_once():
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.1)
    except BaseException:  # as libraries do around optional imports
        pass
print("goes on")
"""


def run(minds: str) -> "subprocess.CompletedProcess[str]":
    """Interrupt a process that swallows what is raised."""
    code = LOSES_IT.format(minds=minds)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_ctrl_c_ends_a_start_also_within_a_library_that_swallows_it():
    ended = run("default_int_handler")
    assert (ended.returncode, ended.stdout, ended.stderr) == (INTERRUPTED, "", "")


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it():
    assert run("SIG_IGN").stdout == "goes on\n"
