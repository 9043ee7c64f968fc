"""A browser that stood still for a while: nothing that is pressed then is lost in silence."""

import re
import time

from playwright.sync_api import Page, expect

from tests.server.web.conftest import open_tab

# as when a computer is busy with something else: the page does nothing at all
STALL = """(stall_ms) => setTimeout(() => {
  const end = performance.now() + stall_ms;
  while (performance.now() < end);
}, 50)"""
STALL_S = 8.0  # the page counts as asleep after 10
# what a computer that was asleep finds: the clock is elsewhere, and its timers have not run
SLEEP_AND_PRESS = """() => {
  const before = Date.now;
  Date.now = () => before() + 60_000;
  document.querySelector("[aria-label='Flange.Closed']").click();
}"""
NOT_DONE = "What you have pressed just now was not done"


def test_a_press_right_after_eight_seconds_without_the_browser_is_done(page: Page):
    page.evaluate("window.isOld = true")
    switch = page.get_by_role("switch", name="Flange.Closed").bounding_box()
    assert switch
    page.wait_for_timeout(1600)  # the first sign of life that is asked for falls into the stall
    page.evaluate(STALL, 1000 * STALL_S)
    time.sleep(STALL_S)
    page.mouse.click(switch["x"] + 10, switch["y"] + 10)
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
    assert page.evaluate("window.isOld")
    page.get_by_role("switch", name="Flange.Closed").click()
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Holder'")


def test_a_press_right_after_a_sleep_is_told_not_to_be_done_and_the_next_one_is(page: Page):
    page.evaluate(SLEEP_AND_PRESS)
    expect(page.locator(".q-notification")).to_contain_text(NOT_DONE)
    expect(page.get_by_role("switch", name="Flange.Closed")).not_to_be_checked()
    assert page.evaluate("window.twincellScene.whereIs('Tool').partner") == "Holder"
    page.get_by_role("switch", name="Flange.Closed").click()
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
    page.get_by_role("switch", name="Flange.Closed").click()
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Holder'")


def test_a_press_while_only_the_pages_own_connection_is_lost_is_told_too(page: Page):
    page.evaluate(
        """() => {
      window.socket.io.engine.close();
      document.querySelector("[aria-label='Flange.Closed']").click();
    }"""
    )
    expect(page.locator(".q-notification")).to_contain_text(NOT_DONE)
    open_tab(page, "Signals")
    page.get_by_label("Search signals").fill("Flange.Closed")
    value = page.locator('[data-signal="Flange.Closed"]')
    expect(value).to_have_text(re.compile("false"))
