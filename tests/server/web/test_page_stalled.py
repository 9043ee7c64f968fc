"""A browser that stood still for a while: nothing that is pressed then is lost in silence."""

import re

from playwright.sync_api import Page, expect

from tests.server.web.conftest import open_tab

# as when a computer is busy with something else: the page does nothing at all for a time, which it
# takes for what was wanted however busy the machine is, and then somebody presses something
STALL_AND_PRESS = """(stall_ms) => {
  document.dispatchEvent(new Event("visibilitychange")); // it has just looked
  const now = Date.now, end = now() + stall_ms;
  while (now() < end);
  Date.now = () => end;
  document.querySelector("[aria-label='Flange.Closed']").click();
  Date.now = now;
}"""
STALL_S = 8.0  # the page counts as asleep after 10
# every 5 s; its answer may take 12
A_SIGN_OF_LIFE = "() => new Promise((done) => window.socket.io.once('ping', () => done()))"
# what a computer that was asleep finds: the clock is elsewhere, and its timers have not run
SLEEP_AND_PRESS = """() => {
  const before = Date.now;
  Date.now = () => before() + 60_000;
  document.querySelector("[aria-label='Flange.Closed']").click();
}"""
NOT_DONE = "What you have pressed just now was not done"


def test_a_press_right_after_eight_seconds_without_the_browser_is_done(page: Page):
    page.evaluate("window.isOld = true")
    page.evaluate(A_SIGN_OF_LIFE)  # the next one is asked for within the stall
    page.evaluate(STALL_AND_PRESS, 1000 * STALL_S)
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
