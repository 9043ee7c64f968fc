"""A web process without one of its jobs ends, and is started again."""

import subprocess
import sys

SCRIPT = """
import asyncio
from twincell.server.web.jobs import kept_up

async def lasts(): await asyncio.sleep(60)
async def ends(): {ends}

async def main():
    async with kept_up(lasts(), ends()):
        await asyncio.sleep({wait_s})
    await asyncio.sleep(0.1)

asyncio.run(main())
"""


def code_of(ends: str, wait_s: float) -> tuple[int, str]:
    script = SCRIPT.format(ends=ends, wait_s=wait_s)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    return ended.returncode, ended.stderr


def test_a_job_that_ends_takes_the_process_with_it_and_says_why():
    code, told = code_of("raise ValueError('out of sorts')", 60.0)
    assert code == 1
    assert "a part of the web page ended" in told
    assert "out of sorts" in told
    assert code_of("pass", 60.0)[0] == 1


def test_jobs_that_are_stopped_with_the_page_are_no_accident():
    assert code_of("await asyncio.sleep(60)", 0.0) == (0, "")
