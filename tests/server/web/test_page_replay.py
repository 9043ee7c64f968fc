"""An open recording is the mode of the whole page; a reload loses nothing of what is shown."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.server.running_cell import wait_until
from tests.server.web.conftest import Shown, context_of, log_in, open_tab, see_frames

LIVE_ONLY = ("Devices", "Faults", "Timing")


@pytest.fixture(scope="module")
def recorded(shown: Shown, browser) -> Iterator[str]:
    """The name of a recording in which the flange takes the tool."""
    with context_of(browser, shown) as context:
        page = context.new_page()
        log_in(page, shown)
        see_frames(page)
        open_tab(page, "Recordings")
        page.get_by_label("Name", exact=True).fill("taken")
        page.get_by_role("button", name="Start").click()
        expect(page.get_by_text(re.compile(r"taken\.mcap: [1-9]"))).to_be_visible()
        open_tab(page, "Devices")
        page.get_by_role("switch", name="Flange.Closed").click()
        page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
        page.wait_for_timeout(1000)  # of swinging
        page.get_by_role("switch", name="Flange.Closed").click()
        page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Holder'")
        open_tab(page, "Recordings")
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_text("not recording")).to_be_visible()
        yield "taken.mcap"


def open_recording(page: Page, name: str) -> None:
    open_tab(page, "Recordings")
    page.get_by_role("button", name=f"Open {name}").click()
    expect(page.get_by_test_id("scrub-time")).to_have_text(re.compile(r"/ [1-9]"))


def remembers(page: Page, **wanted: str) -> None:
    """Wait until the address has something."""

    def has() -> bool:
        found = parse_qs(urlsplit(page.url).query)
        page.wait_for_timeout(20)
        return all(found.get(key, [""]) == [value] for key, value in wanted.items())

    wait_until(has)


def test_while_a_recording_is_open_nothing_on_the_page_is_live(page: Page, recorded: str):
    open_recording(page, recorded)
    expect(page.get_by_test_id("replayed")).to_have_text(recorded)
    expect(page.get_by_test_id("state")).to_have_text("recording")
    # whatever the tab, nothing commands the running cell
    for name in ("Recordings", "Signals", "Trends", "Events"):
        open_tab(page, name)
        expect(page.get_by_test_id("replayed")).to_be_visible()
        for button in ("Pause", "Reset", "Step", "Start"):
            expect(page.get_by_role("button", name=button, exact=True)).not_to_be_visible()
    for name in LIVE_ONLY:
        expect(page.get_by_role("tab", name=name)).to_be_disabled()
    expect(page.get_by_role("switch")).to_have_count(0)

    # events lead to their time, and the values are those of then
    open_tab(page, "Events")
    taken = page.get_by_role("row").filter(has_text="Tool went from Holder to Flange")
    taken.get_by_role("button", name=re.compile("Go to")).click()
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("Tool.Partner")
    expect(page.locator('[data-signal="Tool.Partner"]')).to_have_text("Flange")
    slider = page.get_by_role("slider", name="Time in the recording").locator("[tabindex='0']")
    slider.press("Home")
    expect(page.locator('[data-signal="Tool.Partner"]')).to_have_text("Holder")
    expect(page.get_by_role("button", name="Force Tool.Force.Z")).to_have_count(0)
    page.get_by_label("Search signals").fill("Tool.Force.Z")
    page.get_by_role("button", name="Show Tool.Force.Z as a trend").click()
    expect(page.get_by_text("the whole recording")).to_be_visible()

    page.get_by_role("button", name="Back to live").click()
    expect(page.get_by_test_id("state")).to_have_text("running")
    expect(page.get_by_test_id("replayed")).not_to_be_visible()
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    for name in LIVE_ONLY:
        expect(page.get_by_role("tab", name=name)).to_be_enabled()


def test_a_reload_loses_neither_tab_nor_selection_nor_camera_nor_the_place_in_a_recording(
    page: Page, recorded: str
):
    open_recording(page, recorded)
    page.evaluate("window.twincellScene.$emit('pick', 'Tool')")
    page.get_by_role("button", name="From above").click()
    page.get_by_role("button", name="Next event").click()
    expect(page.get_by_test_id("scrub-time")).not_to_have_text(re.compile(r"^0\.000"))
    place = page.get_by_test_id("scrub-time").inner_text()
    open_tab(page, "Events")
    remembers(page, tab="Events", select="Tool", recording=recorded, at=place.partition(" /")[0])
    camera = page.evaluate("window.twincellScene.view.camera.numbers")
    page.reload()
    expect(page.get_by_test_id("replayed")).to_have_text(recorded)
    expect(page.get_by_test_id("scrub-time")).to_have_text(place)
    expect(page.get_by_role("tab", name="Events")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("complementary", name="Selected")).to_contain_text("Tool")
    assert page.evaluate("window.twincellScene.view.camera.numbers") == pytest.approx(
        camera, abs=1e-3
    )
    page.get_by_role("button", name="Back to live").click()
    remembers(page, recording="", at="")
    page.get_by_role("button", name="Select nothing").click()
    remembers(page, select="")


def test_an_address_that_means_nothing_shows_the_cell(page: Page, shown: Shown):
    page.goto(
        f"{shown.url}/?tab=Nothing&select=%3Cscript%3E&camera=1,x&recording=..%2Fno.mcap&at=-5"
    )
    see_frames(page)
    expect(page.get_by_role("tab", name="Devices")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_test_id("state")).to_have_text("running")
    expect(page.get_by_role("complementary", name="Selected")).not_to_be_visible()


def test_events_are_filtered_by_kind_and_words(page: Page, recorded: str):
    open_tab(page, "Events")
    rows = page.get_by_role("table", name="Events").get_by_role("row")
    expect(rows.filter(has_text="Tool went from Holder to Flange").first).to_be_visible()
    expect(page.get_by_text("took too long")).to_have_count(0)
    page.get_by_label("Search events").fill("tool nothing")
    expect(page.get_by_text("No event has all of these words")).to_be_visible()
    page.get_by_label("Search events").fill("flange to holder")
    expect(rows.filter(has_text="from Flange to Holder").first).to_be_visible()
    page.get_by_role("button", name=re.compile("^Tools")).click()
    expect(page.get_by_text("No event has all of these words")).to_be_visible()


def test_a_recording_is_downloaded_and_deleted_after_a_question(
    page: Page, shown: Shown, recorded: str
):
    folder = shown.folder / "recordings"
    (folder / "old.mcap").write_bytes((folder / recorded).read_bytes())
    open_tab(page, "Recordings")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download old.mcap").click()
    assert download.value.path().read_bytes() == (folder / recorded).read_bytes()
    page.get_by_role("button", name="Delete old.mcap").click()
    page.get_by_role("button", name="Cancel").click()
    assert (folder / "old.mcap").exists()
    page.get_by_role("button", name="Delete old.mcap").click()
    expect(page.get_by_role("heading", name="Delete old.mcap?")).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.get_by_role("button", name="Open old.mcap")).not_to_be_visible()
    assert not (folder / "old.mcap").exists()


def test_a_guest_cannot_delete_a_recording(browser, shown: Shown, recorded: str):
    with context_of(browser, shown) as context:
        guest = context.new_page()
        guest.goto(f"{shown.url}/?tab=Recordings")
        guest.get_by_role("button", name=f"Delete {recorded}").click()
        guest.get_by_role("button", name="Delete", exact=True).click()
        expect(guest.get_by_text("Log in as an engineer")).to_be_visible()
        assert (shown.folder / "recordings" / recorded).exists()


def test_the_endpoint_and_help_are_in_sight_and_a_fault_moves_nothing(page: Page, shown: Shown):
    expect(page.get_by_text(shown.cell.url)).to_be_visible()
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Help").click()
    expect(opened.value.get_by_role("heading", name="Help", exact=True)).to_be_visible()
    expect(opened.value.get_by_text(shown.cell.url).first).to_be_visible()
    opened.value.close()

    tabs = page.get_by_role("tablist")
    before = tabs.bounding_box()
    open_tab(page, "Faults")
    lever = page.get_by_role("spinbutton", name="Stand.Fault.OffsetX")
    lever.fill("0.02")
    lever.press("Enter")
    expect(page.get_by_test_id("banner")).to_contain_text("Stand.Fault.OffsetX")
    assert tabs.bounding_box() == before
    page.get_by_role("button", name="Clear all").click()
    expect(page.get_by_test_id("banner")).not_to_be_visible()


def test_a_faceplate_shows_what_comes_back_beside_what_is_commanded(page: Page):
    # also if it was not seen when the last row came
    open_tab(page, "Signals")
    page.get_by_role("button", name="Pause", exact=True).click()
    expect(page.get_by_test_id("state")).to_have_text("paused")
    open_tab(page, "Devices")
    plate = page.get_by_role("region", name="Flange", exact=True)
    expect(plate.get_by_role("status", name="Flange.IsClosed off")).to_be_visible()
    page.get_by_role("button", name="Go on", exact=True).click()
    expect(page.get_by_test_id("state")).to_have_text("running")
    lamp = plate.get_by_role("status", name=re.compile("Flange.IsClosed"))
    expect(lamp).to_have_attribute("aria-label", "Flange.IsClosed off")
    plate.get_by_role("switch", name="Flange.Closed").click()
    expect(lamp).to_have_attribute("aria-label", "Flange.IsClosed on")
    expect(plate).to_contain_text(re.compile(r"Holding\s*1"))
    plate.get_by_role("switch", name="Flange.Closed").click()
    expect(lamp).to_have_attribute("aria-label", "Flange.IsClosed off")
