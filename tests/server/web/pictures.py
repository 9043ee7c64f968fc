"""Takes the pictures of docs/use/web.md: `python -m tests.server.web.pictures`."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.server.running_cell import RunningCell
from tests.server.web.conftest import PATIENCE_MS, SOFTWARE_3D, open_tab, see_frames

IMAGES = Path(__file__).parents[3] / "docs" / "images"
LAPTOP, TABLET = {"width": 1366, "height": 768}, {"width": 820, "height": 1180}
PHONE = {"width": 390, "height": 844}


@contextmanager
def page_of(browser: Browser, cell: str, folder: Path, *options: str) -> Iterator[Page]:
    """The page of a cell, which plays its demo if it is not told otherwise."""
    running = RunningCell(folder, cell, "--port=0", "--web-port=0", *options)
    try:
        assert running.process.stdout
        url = running.process.stdout.readline().split()[2]
        page = browser.new_context(viewport=LAPTOP, color_scheme="light").new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.goto(url)
        see_frames(page)
        yield page
        page.context.close()
    finally:
        running.end()


def take(page: Page, name: str) -> None:
    page.mouse.move(2, 300)
    page.wait_for_timeout(1500)
    page.screenshot(path=IMAGES / f"web_{name}.png")


def wait_for_time(page: Page, seconds: float) -> None:
    """Until simulated time is past something, within the demo's next story if need be."""
    page.wait_for_function(
        "s => { const t = parseFloat(document.querySelector('[data-testid=time]').innerText);"
        " return t > s && t < s + 1.5; }",
        arg=seconds,
    )


def tool_change(page: Page) -> None:
    """Everything but faults, with two robots."""
    wait_for_time(page, 6.0)
    take(page, "devices")
    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("tool force")
    for name in ("Tool1.Force.Z", "Robot1Flange.Force.Z"):
        page.get_by_label("Search signals").fill(name)
        page.get_by_role("button", name=f"Show {name} as a trend").click()
        open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("tool force")
    take(page, "signals")
    open_tab(page, "Trends")
    wait_for_time(page, 12.0)
    take(page, "trends")
    open_tab(page, "Events")
    take(page, "events")
    open_tab(page, "Timing")
    page.wait_for_timeout(2000)
    take(page, "timing")


def recording(page: Page) -> None:
    open_tab(page, "Recordings")
    page.get_by_label("Name").fill("tool_change")
    wait_for_time(page, 2.0)
    page.get_by_role("button", name="Start").click()
    wait_for_time(page, 11.0)
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Open tool_change.mcap").click()
    page.get_by_role("button", name="Next event").click()
    open_tab(page, "Events")
    take(page, "recordings")
    page.get_by_role("button", name="Back to live").click()


def dark_and_narrow(page: Page) -> None:
    page.evaluate("window.twincellScene.$emit('pick', 'Tool1')")
    open_tab(page, "Devices")
    page.emulate_media(color_scheme="dark")
    wait_for_time(page, 6.0)
    take(page, "dark")
    page.set_viewport_size(TABLET)
    page.get_by_role("button", name="Whole cell").click()
    take(page, "tablet")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    page.get_by_role("button", name="Whole cell").click()
    take(page, "phone")


def faceplate(page: Page) -> None:
    """A tool changer that has locked a tool."""
    page.evaluate("window.twincellScene.$emit('pick', 'Changer1')")
    page.get_by_role("status", name="Changer1.Locked on").wait_for()
    take(page, "faceplate")
    page.get_by_role("button", name="Select nothing").click()


def faults(page: Page) -> None:
    open_tab(page, "Faults")
    page.get_by_role("combobox", name="Changer1.Fault.Locked").click()
    page.get_by_role("option", name="stuck true").click()
    page.get_by_role("switch", name="Changer1.Fault.AirLoss").click()
    page.get_by_test_id("active-fault").nth(1).wait_for()
    page.get_by_test_id("active-fault").first.scroll_into_view_if_needed()
    take(page, "faults")


def contacts(page: Page) -> None:
    """A tool that has fallen onto a table lies there."""
    page.get_by_role("button", name="Pause", exact=True).click()
    page.get_by_role("button", name="Go on", exact=True).wait_for()
    page.get_by_role("button", name="Reset").click()
    page.get_by_label("Ticks a step").fill("2200")
    page.get_by_role("button", name="Step").click()
    wait_for_time(page, 2.0)
    page.get_by_role("button", name="Whole cell").click()
    page.evaluate("window.twincellScene.$emit('pick', 'ToolBottom')")
    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("ToolOnTable")
    take(page, "contacts")


def forces(page: Page) -> None:
    """Feedback and a command, held at other values."""
    open_tab(page, "Signals")
    force(page, "Tool1.Force.Z", "30")
    force(page, "Robot1Flange.Closed")
    open_tab(page, "Devices")
    page.get_by_test_id("forced").nth(1).wait_for()
    take(page, "forces")
    page.get_by_role("button", name="Release all").click()


def force(page: Page, name: str, value: str = "") -> None:
    """Hold a signal at a value; a switch at the one that it does not have."""
    page.get_by_label("Search signals").fill(name)
    page.get_by_role("button", name=f"Force {name}").first.click()
    if value:
        page.get_by_label("Forced value").and_(page.get_by_role("spinbutton")).fill(value)
    page.get_by_role("button", name="Force", exact=True).click()
    page.get_by_text("forced to").wait_for()


def moves(page: Page) -> None:
    """The form for moves of a robot, and why one is refused."""
    open_tab(page, "Devices")
    page.get_by_role("button", name='Expand "Move"').first.click()
    page.evaluate("window.twincellScene.$emit('pick', 'Robot1')")
    page.get_by_role("button", name="Select Robot1", exact=True).wait_for()
    take(page, "moves")
    page.get_by_role("button", name="Select nothing").click()


def main() -> int:
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=[*SOFTWARE_3D, *rights]
        )
        with page_of(browser, "tool_change_multi", Path(folder)) as page:
            tool_change(page)
            recording(page)
            forces(page)
            moves(page)
            dark_and_narrow(page)
        with page_of(browser, "tool_changer_atc", Path(folder)) as page:
            faceplate(page)
            faults(page)
        with page_of(browser, "tool_falls", Path(folder), "--no-demo") as page:
            contacts(page)
        browser.close()
    return 0


if __name__ == "__main__":
    began_s = time.monotonic()
    code = main()
    print(f"pictures in {time.monotonic() - began_s:.0f} s")
    sys.exit(code)
