"""Everything of the page with the keyboard alone."""

from playwright.sync_api import Page, expect

from tests.server.web.conftest import where

MOST_TABS = 200  # more than the page has places for the keyboard
MARK = """() => {
  const one = document.activeElement;
  one.dataset.reached = "yes";
  return one.getAttribute("aria-label") ?? one.innerText ?? "";
}"""
LEFT_OUT = """() => [...document.querySelectorAll(
  "button, input, a[href], [role=switch], [role=slider], [role=combobox], [role=button]"
)].filter((one) => one.checkVisibility() && !one.disabled && one.ariaDisabled !== "true"
  && !one.closest(".disabled, .q-tab") && !one.closest("[data-reached]")
  && !one.querySelector("[data-reached]"))
  .map((one) => one.getAttribute("aria-label") ?? one.outerHTML.slice(0, 200))"""


def tab_to(page: Page, name: str) -> None:
    """Go on with Tab until something is reached."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate(MARK) == name:
            return
    raise AssertionError(f"{name} is not reached by Tab")


def test_a_command_is_switched_with_the_keyboard_alone(page: Page):
    tab_to(page, "Flange.Closed")
    page.keyboard.press("Space")
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Flange'")
    expect(page.get_by_role("switch", name="Flange.Closed")).to_be_checked()
    page.keyboard.press("Space")
    page.wait_for_function("window.twincellScene.whereIs('Tool').partner === 'Holder'")
    assert where(page, "Tool")["partner"] == "Holder"


def test_a_signal_is_forced_and_released_with_the_keyboard_alone(page: Page):
    tab_to(page, "Force Flange.Closed")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Force Flange.Closed")).to_be_visible()
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if "Force" in page.evaluate("document.activeElement.innerText").splitlines():
            break
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("forced")).to_have_count(1)
    tab_to(page, "Release Flange.Closed")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("forced")).to_have_count(0)


def test_everything_that_a_mouse_can_press_is_reached_by_tab(page: Page):
    names = ("Devices", "Signals", "Trends", "Events", "Faults", "Timing", "Recordings")
    for panel, name in enumerate(names):
        page.get_by_role("tab", selected=True).focus()
        for _ in range(min(panel, 1)):  # tabs by arrows, as the standard for them says
            page.keyboard.press("ArrowRight")
            page.keyboard.press("Enter")
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        page.evaluate(
            "document.querySelectorAll('[data-reached]').forEach((o) => delete o.dataset.reached)"
        )
        if name == "Signals":
            page.get_by_label("Search signals").fill("Tool.Force")
        page.evaluate("document.activeElement.blur()")
        assert page.evaluate(LEFT_OUT)
        for _ in range(MOST_TABS):
            page.keyboard.press("Tab")
            page.evaluate(MARK)
            if not page.evaluate(LEFT_OUT):
                break
        assert page.evaluate(LEFT_OUT) == [], name
