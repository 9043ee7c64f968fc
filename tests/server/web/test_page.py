"""The web page in a real browser: see the cell, command it, break it, record it, lose it."""

import asyncio
import os
import re
from concurrent.futures import ThreadPoolExecutor
from signal import SIGKILL
from uuid import uuid4

from asyncua import ua
from playwright.sync_api import Page, expect

from tests.server.running_cell import wait_until
from tests.server.web.conftest import AWAY, Shown, context_of, log_in, open_tab, see_frames, where
from twincell.server.client.login import Login
from twincell.server.client.session import connected

SCRIPT = 'a" :title="window.hacked=1'
MOVED_M = 0.03  # of a swing of 0.16 m: no rounding, and seen soon
SWINGS = """([name, far, key]) => {
  if (!window.twincellScene?.view?.after) return false;
  const height = window.twincellScene.whereIs(name).position[2];
  const seen = (window[key] ??= [height, height]);
  seen[0] = Math.min(seen[0], height);
  seen[1] = Math.max(seen[1], height);
  return seen[1] - seen[0] > far;
}"""
# a recording's moment that was asked for is what the picture shows
IS_DRAWN = """() => {
  const { replayed, view } = window.twincellScene;
  return replayed && view.after && !view.isMoving;
}"""
# a switch that jumps back was off only for a moment
NOTE_OFF = """(one) => new MutationObserver(() => {
  if (one.ariaChecked === "false") window.wasOff = true;
}).observe(one, { attributes: true })"""


def height(page: Page, name: str) -> float:
    position = where(page, name)["position"]
    assert isinstance(position, list)
    return float(position[2])


def drawn_height(page: Page, name: str) -> float:
    """How high something is in the picture of a recording, once that is drawn."""
    page.wait_for_function(IS_DRAWN)
    return height(page, name)


def see_swing(page: Page, name: str) -> None:
    """Wait until something has moved in the 3-D view; the page may be loaded anew meanwhile."""
    page.wait_for_function(SWINGS, arg=[name, MOVED_M, uuid4().hex])


def signal(page: Page, name: str) -> str:
    """The value of a signal in the table of signals."""
    return page.locator(f'[data-signal="{name}"]').inner_text()


def test_a_guest_sees_the_cell_move_but_commands_it_only_after_logging_in(shown: Shown, browser):
    with context_of(browser, shown) as context:
        page = context.new_page()
        page.goto(shown.url)
        expect(page.get_by_role("heading", name="Page cell")).to_be_visible()
        see_frames(page)
        see_swing(page, "Flange")

        page.get_by_role("switch", name="Flange.Closed").click()
        expect(page.get_by_text("Log in as an operator or engineer")).to_be_visible()
        expect(page.get_by_role("switch", name="Flange.Closed")).not_to_be_checked()
        assert where(page, "Tool")["partner"] == "Holder"

        log_in(page, shown, password="a wrong one")
        expect(page.get_by_role("alert")).to_contain_text("does not let anna in")
        log_in(page, shown)
        expect(page.get_by_text("anna, engineer")).to_be_visible()
        (cookie,) = context.cookies()
        assert cookie["httpOnly"]
        assert cookie["sameSite"] == "Strict"


def test_closing_the_flange_shows_another_partner_and_another_force(page: Page):
    page.get_by_role("switch", name="Flange.Closed").click()
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
    see_swing(page, "Tool")
    expect(page.get_by_test_id("control")).to_have_text("anna, on a web page")

    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("Tool force")
    expect(page.locator('[data-signal="Tool.Force.Z"]')).to_be_visible()
    expect(page.locator('[data-signal="Flange.Closed"]')).to_have_count(0)
    forces: set[str] = set()

    def changes() -> bool:
        forces.add(signal(page, "Tool.Force.Z"))
        return len(forces - {""}) > 3

    wait_until(changes, within_s=90.0)  # it is swung: at rest the force would be one number

    # a curve beside a signal, and all its ticks when the picture stands still
    page.get_by_role("button", name="Show Tool.Force.Z as a trend").click()
    page.get_by_role("button", name="Pause the picture").click()
    expect(page.get_by_text(re.compile(r"paused: every tick of \d"))).to_be_visible()

    open_tab(page, "Events")
    expect(page.get_by_text("Tool went from Holder to Flange").first).to_be_visible()

    # a click on an event's source selects it everywhere
    page.get_by_role("table", name="Events").get_by_role("button", name="Tool").first.click()
    expect(page.get_by_role("complementary", name="Selected")).to_contain_text("Tool")
    open_tab(page, "Devices")
    page.get_by_role("switch", name="Flange.Closed").click()
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Holder'")
    page.get_by_role("button", name="Select nothing").click()
    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("Flange.Closed")
    expect(page.locator('[data-signal="Flange.Closed"]')).to_have_text("false")


def test_a_fault_turns_the_banner_red_until_it_is_cleared(page: Page, browser, shown: Shown):
    open_tab(page, "Faults")
    lever = page.get_by_role("spinbutton", name="Stand.Fault.OffsetX")
    lever.fill("0.02")
    lever.press("Enter")
    expect(page.get_by_test_id("active-fault")).to_contain_text("Stand.Fault.OffsetX")
    expect(page.get_by_test_id("banner")).to_contain_text("Stand.Fault.OffsetX")

    with context_of(browser, shown) as other:  # somebody else sees it too, without logging in
        guest = other.new_page()
        guest.goto(shown.url)
        expect(guest.get_by_test_id("banner")).to_contain_text("Stand.Fault.OffsetX")

    # a name that would be a script, if anybody took it for more than a text
    page.get_by_label("Signals", exact=True).fill(f"session {SCRIPT}")
    page.get_by_label("For s, 0: ever").fill("0")
    page.get_by_role("button", name="Inject", exact=True).click()
    expect(page.get_by_role("button", name=f"Clear delay session {SCRIPT}")).to_be_visible()
    assert page.evaluate("window.hacked") is None

    page.get_by_role("button", name="Clear all").click()
    expect(page.get_by_test_id("active-fault")).to_have_count(0)
    expect(page.get_by_test_id("banner")).not_to_be_visible()

    open_tab(page, "Timing")
    expect(page.get_by_text("Late, 99 %")).to_be_visible()


def test_a_forced_signal_is_listed_under_a_red_banner_until_it_is_released(
    page: Page, shown: Shown
):
    # feedback, from the table of signals
    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("Tool.Force.Z")
    page.get_by_role("button", name="Force Tool.Force.Z").click()
    expect(page.get_by_role("heading", name="Force Tool.Force.Z")).to_be_visible()
    page.get_by_label("Forced value").and_(page.get_by_role("spinbutton")).fill("-77.5")
    page.get_by_role("button", name="Force", exact=True).click()
    expect(page.get_by_text("forced to -77.5 N")).to_be_visible()
    expect(page.get_by_test_id("banner")).to_contain_text("force Tool.Force.Z = -77.5 N")
    seen = read(shown.cell.url, "Tool.Force.Z")
    assert (seen.StatusCode.name, seen.Value.Value) == ("GoodLocalOverride", -77.5)

    # a command, from its line: the cell gets it, whoever writes another value
    open_tab(page, "Devices")
    page.get_by_role("button", name="Force Flange.Closed").click()
    page.get_by_role("button", name="Force", exact=True).click()
    expect(page.get_by_test_id("forced")).to_have_count(2)
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
    expect(page.get_by_role("switch", name="Flange.Closed")).to_be_checked()
    page.get_by_role("switch", name="Flange.Closed").evaluate(NOTE_OFF)
    page.get_by_role("switch", name="Flange.Closed").click()
    page.wait_for_function("window.wasOff")
    expect(page.get_by_role("switch", name="Flange.Closed")).to_be_checked()

    # the list says what the cell itself measures, and lets go of one, or of all
    line = page.get_by_test_id("forced").filter(has_text="Tool.Force.Z")
    expect(line).to_contain_text(re.compile(r"in the cell -?[\d.e-]+ N"))
    page.get_by_role("button", name="Release Tool.Force.Z").click()
    expect(page.get_by_test_id("forced")).to_have_count(1)
    page.get_by_role("button", name="Release all").click()
    expect(page.get_by_text("Nothing is forced.")).to_be_visible()
    expect(page.get_by_test_id("banner")).not_to_be_visible()
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Holder'")


def read(url: str, name: str) -> ua.DataValue:
    """A signal as any other client gets it; in a thread, as the browser's has a loop already."""

    async def ask() -> ua.DataValue:
        async with connected(url, "a PLC", Login()) as session:
            (found,) = await session.read([session.node_id(name)])
            return found

    with ThreadPoolExecutor() as pool:
        return pool.submit(lambda: asyncio.run(ask())).result()


def test_time_stands_still_goes_on_by_steps_and_begins_anew(page: Page):
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_test_id("state")).to_have_text("paused")
    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("Tool.Partner")
    expect(page.locator('[data-signal="Tool.Partner"]')).to_have_text("Holder")
    page.get_by_label("Search signals").fill("")
    before = float(page.get_by_test_id("time").inner_text().removesuffix(" s"))
    page.get_by_label("Ticks a step").fill("500")
    page.get_by_role("button", name="Step").click()
    expect(page.get_by_test_id("time")).to_have_text(f"{before + 0.5:.2f} s")
    page.get_by_role("button", name="Reset").click()
    expect(page.get_by_test_id("time")).to_have_text("0.00 s")
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.get_by_test_id("state")).to_have_text("running")


def test_the_list_of_recordings_grows_without_taking_a_button_from_under_the_pointer(
    page: Page, shown: Shown
):
    folder = shown.folder / "recordings"
    folder.mkdir(exist_ok=True)
    (folder / "older.mcap").touch()
    os.utime(folder / "older.mcap", (1e9, 1e9))
    open_tab(page, "Recordings")
    button = page.get_by_role("button", name="Open older.mcap").element_handle()
    (folder / "newer.mcap").touch()
    expect(page.get_by_role("button", name="Open newer.mcap")).to_be_visible()
    assert button.evaluate("one => one.isConnected")
    names = page.get_by_role("button", name=re.compile("^Open (older|newer)")).all()
    assert [one.get_attribute("aria-label") for one in names] == [
        "Open newer.mcap",
        "Open older.mcap",
    ]
    for name in ("older", "newer"):
        (folder / f"{name}.mcap").unlink()
        expect(page.get_by_role("button", name=f"Open {name}.mcap")).not_to_be_visible()


def test_a_recording_is_made_and_scrubbed_in_3d(page: Page, shown: Shown):
    (shown.folder / "recordings").mkdir(exist_ok=True)
    (shown.folder / "recordings" / f"{SCRIPT}.mcap").touch()
    open_tab(page, "Recordings")
    expect(page.get_by_role("button", name=f"Open {SCRIPT}.mcap")).to_be_visible()
    assert page.evaluate("window.hacked") is None
    page.get_by_label("Name").fill("swing")
    page.get_by_role("button", name="Start").click()
    status = page.get_by_text(re.compile(r"swing\.mcap: [1-9]\d{3,} rows"))
    expect(status).to_be_visible()  # more than a second of it
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Open swing.mcap").click()
    slider = page.get_by_role("slider", name="Time in the recording").locator("[tabindex='0']")
    expect(page.get_by_test_id("scrub-time")).to_have_text(re.compile(r"^0\.000 / [1-9]"))

    # a swing takes two seconds: at the end of the slider the flange is elsewhere, and stays there
    at_start = drawn_height(page, "Flange")
    slider.press("End")
    expect(page.get_by_test_id("scrub-time")).not_to_have_text(re.compile(r"^0\.000"))
    at_end = drawn_height(page, "Flange")
    slider.press("Home")
    expect(page.get_by_test_id("scrub-time")).to_have_text(re.compile(r"^0\.000"))
    assert drawn_height(page, "Flange") == at_start != at_end
    page.get_by_role("button", name="Play the recording").click()
    see_swing(page, "Flange")
    page.get_by_role("button", name="Back to live").click()
    see_swing(page, "Flange")


def test_who_logs_out_in_one_tab_has_logged_out_in_all(shown: Shown, browser):
    with context_of(browser, shown) as context:
        page, other = context.new_page(), context.new_page()
        log_in(page, shown)
        expect(page.get_by_text("anna, engineer")).to_be_visible()
        other.goto(shown.url)
        other.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("Password")).to_be_visible()


def test_the_page_survives_restarts_of_processes_and_of_the_whole_cell(page: Page, shown: Shown):
    page.evaluate("window.isOld = true")
    os.kill(shown.cell.child("twincell web"), SIGKILL)
    page.wait_for_function("!window.isOld")  # it loads itself anew
    see_frames(page)
    with shown.cell.without("twincell opcua"):
        expect(page.get_by_test_id("banner")).to_contain_text(AWAY)
        see_swing(page, "Flange")
    expect(page.get_by_test_id("banner")).not_to_be_visible()

    shown.cell.end()
    expect(page.get_by_role("heading", name="No connection to the cell")).to_be_visible()
    shown.restart()
    see_frames(page)
    see_swing(page, "Flange")
    expect(page.get_by_role("heading", name="No connection to the cell")).not_to_be_visible()
