"""What it takes to look at a cell: the first picture, and what the cell pays for its viewers."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.more_overruns import more_overruns
from bench.result import Result
from bench.ua_running import running

ROOT = Path(__file__).parent.parent
CELL = "tool_change_multi"
SECONDS, PAIRS = 5, 8
OPENINGS = 3
DRAWN = "window.twincellScene?.view?.after && window.twincellScene.view.frames > 0"
SOFTWARE_3D = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def first_picture() -> Iterator[Result]:
    """From opening the page in a browser to the cell on the screen, drawn by software."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        yield Result("web_first_picture_not_measured", 1, "", "there is no chromium")
        return
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    command = ["twincell.server.cli", "run", CELL, "--port", "0", "--web-port", "0", "--lab"]
    with running(command) as cell, sync_playwright() as playwright:
        assert cell.process.stdout
        url = cell.process.stdout.readline().split()[2]
        browser = playwright.chromium.launch(executable_path=path, args=[*SOFTWARE_3D, *rights])
        times = []
        for _ in range(1 + OPENINGS):
            page = browser.new_context().new_page()  # with nothing in its cache
            began_s = time.monotonic()
            page.goto(url)
            page.wait_for_function(DRAWN)
            times.append(time.monotonic() - began_s)
            page.context.close()
        browser.close()
    # the first of them waits for the web process to start
    yield Result("web_first_picture_s", median(times[1:]), "s", "Chromium, drawn by software")


def looked_at() -> Iterator[Result]:
    """A hundred objects with and without five viewers, in turns."""
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
    done = subprocess.run(
        [sys.executable, "-m", "bench.web_watch", str(SECONDS), str(PAIRS)],
        env=os.environ | one_thread,
        cwd=ROOT,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    *pairs, (alone,) = json.loads(done.stdout)
    without, with_viewers = zip(*pairs, strict=True)
    frames = f"{alone['frames']:.1f} frames/s"
    yield Result("web_core_share", alone["web_cores"], "of a core", f"one viewer, {frames}")
    frames = f"{min(one['frames'] for one in with_viewers):.1f} frames/s each at least"
    cores = median(one["web_cores"] for one in with_viewers)
    yield Result("web_core_share_5", cores, "of a core", f"five viewers, {frames}")
    yield Result("web_frames_per_s", alone["frames"], "frames/s", "a hundred objects")
    lost = sum(one["wrong_samples"] for one in (*without, *with_viewers))
    yield Result("web_lost_samples", lost, "samples", "of a client at 1 kHz, beside the viewers")
    late = [median(one["late_p99_us"] for one in side) for side in (without, with_viewers)]
    yield Result("web_lateness_p99", late[1], "us", f"without viewers: {late[0]:.4g} us")
    usual = [one["overruns"] for one in without]
    beside = [one["overruns"] for one in with_viewers]
    told = ("alone", "with five viewers")
    yield more_overruns("overruns_with_viewers", usual, beside, "/pair", told)
