"""The faceplate of an indicator lamp, in a real browser: light it, let it blink, press it."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from asyncua import ua
from playwright.sync_api import Page, expect

from tests.server.running_cell import wait_until
from tests.server.web.conftest import PASSWORD, USER, Shown
from twincell.server.client.login import Login
from twincell.server.client.session import connected, value_of
from twincell.server.opcua.diagnostic.diagnostics import SESSIONS


@pytest.fixture(scope="module")
def cell_text() -> str:
    return 'name = "Panel"\n\n[indicator_lamp.Start]\n'


def lamp(page: Page, name: str, state: str) -> None:
    """See a lamp of the faceplate on or off."""
    expect(page.get_by_label(f"Start.{name} {state}", exact=True)).to_be_visible()


def test_a_lamp_is_lit_and_blinks_as_chosen(page: Page):
    page.get_by_role("switch", name="Start.On", exact=True).click()
    lamp(page, "Lit", "on")
    page.get_by_label("Start.Blink", exact=True).click()
    page.get_by_role("option", name="fast").click()
    expect(page.get_by_text("Blinking fast", exact=True)).to_be_visible()
    lamp(page, "Lit", "off")
    lamp(page, "Lit", "on")


def plc(shown: Shown, *, blink: int | None = None) -> int:
    """Another client may write; how many writes came from pages, as it is told."""

    async def ask() -> int:
        login = Login(USER, PASSWORD, folder=shown.security)
        async with connected(shown.cell.url, "a PLC", login) as session:
            if blink is not None:
                wanted = ua.DataValue(ua.Variant(blink, ua.VariantType.UInt16))
                node = session.node_id("Start.Blink")
                (status,) = await session.client.uaclient.write_attributes([node], [wanted])
                status.check()
            (sessions,) = await session.read([SESSIONS])
            told = [one for one in value_of(sessions) if one.SessionName.startswith("web page")]
            return sum(one.WriteCount.TotalCount for one in told)

    with ThreadPoolExecutor() as pool:  # the browser's thread has a loop already
        return pool.submit(lambda: asyncio.run(ask())).result()


def test_a_page_shows_what_a_controller_has_chosen_and_does_not_write_it_again(
    page: Page, shown: Shown
):
    before = plc(shown)
    chosen = page.locator(".q-field").filter(has=page.get_by_label("Start.Blink", exact=True))
    for blink, text in ((1, "slow"), (2, "fast"), (0, "steady"), (1, "slow")):
        plc(shown, blink=blink)
        expect(chosen).to_contain_text(text)
    # whatever the page had written would have been sent before this
    page.get_by_role("switch", name="Start.FaultReset", exact=True).click()
    wait_until(lambda: plc(shown) > before)
    assert plc(shown) == before + 1


def test_the_button_is_pressed_for_as_long_as_it_is_held(page: Page):
    lamp(page, "Pressed", "off")
    button = page.get_by_role("button", name="Start.Fault.Press", exact=True)
    button.hover()
    page.mouse.down()
    lamp(page, "Pressed", "on")
    expect(page.get_by_text("roken on purpose:")).to_have_count(0)  # a finger breaks nothing
    page.mouse.up()
    lamp(page, "Pressed", "off")


def test_who_slides_off_the_button_lets_it_go(page: Page):
    page.get_by_role("button", name="Start.Fault.Press", exact=True).hover()
    page.mouse.down()
    lamp(page, "Pressed", "on")
    page.mouse.move(10, 400)
    lamp(page, "Pressed", "off")


def test_the_button_is_pressed_by_keyboard_too(page: Page):
    page.get_by_role("button", name="Start.Fault.Press", exact=True).focus()
    page.keyboard.down("Space")
    lamp(page, "Pressed", "on")
    page.keyboard.up("Space")
    lamp(page, "Pressed", "off")


def test_a_quick_click_is_a_press(page: Page):
    count = page.get_by_title("Start.PressCount: How often Pressed has come")
    expect(count).to_contain_text("PressCount")
    before = int(count.inner_text().split()[-1])
    page.get_by_role("button", name="Start.Fault.Press", exact=True).click()
    expect(count).to_contain_text(f"PressCount {before + 1}")
    lamp(page, "Pressed", "off")
