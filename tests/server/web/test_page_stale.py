"""A tab that the cell has left behind says so: nothing that is pressed there is lost in silence."""

import re

from playwright.sync_api import Page, expect

from tests.server.web.conftest import AWAY, Shown, context_of, log_in, see_frames, where

# before the page looks by itself whether its visitor is still logged in
PRESS_AFTER_LOGOUT = """() => {
  const switched = document.querySelector("[aria-label='Flange.Closed']");
  fetch("/logout", { method: "POST" }).then(() => switched.click());
}"""
# before the page says by itself that it has lost the cell
PRESS_WHEN_LOST = """() => new MutationObserver((_, waiting) => {
  if (document.documentElement.dataset.live !== "off") return;
  waiting.disconnect();
  document.querySelector("[aria-label='Flange.Closed']").click();
  const told = document.querySelector(".tc-lost .tried");
  window.isTold = told.checkVisibility({ visibilityProperty: true });
}).observe(document.documentElement, { attributes: true })"""
NO_CONNECTION = "No connection to the cell"


def flip(page: Page) -> None:
    page.get_by_role("switch", name="Flange.Closed").click()


def test_a_command_while_the_opcua_server_is_away_is_refused_and_can_be_tried_again(
    page: Page, shown: Shown
):
    flip(page)
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
    with shown.cell.without("twincell opcua"):
        flip(page)
        told = re.compile("the connection to the OPC UA server was lost|does not answer")
        expect(page.locator(".q-notification").first).to_contain_text(told)
        expect(page.get_by_role("switch", name="Flange.Closed")).to_be_checked()
        assert where(page, "Tool")["partner"] == "Flange"
        expect(page.get_by_test_id("banner")).to_contain_text(AWAY)

    expect(page.get_by_test_id("banner")).not_to_be_visible()  # it is there again
    flip(page)
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Holder'")


def test_what_is_pressed_in_a_tab_of_a_cell_that_has_ended_is_not_done_and_that_is_told(
    page: Page, shown: Shown
):
    page.evaluate("window.isOld = true")
    page.evaluate(PRESS_WHEN_LOST)
    shown.cell.end()
    page.wait_for_function("window.isTold !== undefined")
    assert page.evaluate("window.isTold")
    expect(page.get_by_role("heading", name=NO_CONNECTION)).to_be_visible()
    expect(page.get_by_text("What you have pressed just now was not done.")).to_be_visible()

    shown.restart()
    page.wait_for_function("!window.isOld")
    see_frames(page)
    expect(page.get_by_role("heading", name=NO_CONNECTION)).not_to_be_visible()
    expect(page.get_by_role("switch", name="Flange.Closed")).not_to_be_checked()
    assert where(page, "Tool")["partner"] == "Holder"
    # its login has ended with the web process: who commands is asked who he is
    flip(page)
    expect(page.get_by_text("Log in as an operator or engineer")).to_be_visible()


def test_what_is_pressed_after_logging_out_elsewhere_leads_to_a_form_that_says_why(
    browser, shown: Shown
):
    with context_of(browser, shown) as context:
        page = context.new_page()
        log_in(page, shown)
        see_frames(page)
        page.evaluate(PRESS_AFTER_LOGOUT)
        expect(page.get_by_role("alert")).to_contain_text("You are logged out")
        expect(page.get_by_label("Password")).to_be_visible()
        log_in(page, shown)
        see_frames(page)
        expect(page.get_by_role("switch", name="Flange.Closed")).not_to_be_checked()
