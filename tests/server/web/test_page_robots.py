"""Moves of robots from the page, in a real browser."""

import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.server.twincell_command import command, environment
from tests.server.web.conftest import PASSWORD, USER, Shown, where
from twincell.server.client.password import PASSWORD as PASSWORD_VARIABLE

ARM = Path(__file__).parents[3] / "config" / "robots" / "arm6.urdf"
NOWHERE_M = 99  # where the arm is not
IS_FAR = "([name, start, far]) => Math.hypot(...window.twincellScene.whereIs(name).position\
.map((x, k) => x - start[k])) > far"


@pytest.fixture(scope="module")
def cell_text() -> str:
    return f'name = "Robot cell"\n\n[robot.Arm]\nmodel = "{ARM}"\n'


@pytest.fixture
def form(page: Page) -> Page:
    """The form for moves of the robot, which stands; filled in, which would undo what we enter."""
    page.get_by_role("button", name='Expand "Move"').click()
    expect(page.get_by_role("spinbutton", name="Arm J1")).to_be_visible()
    expect(page.get_by_label("Arm Z", exact=True)).not_to_have_value(re.compile(r"^[0.]*$"))
    return page


def fill(form: Page, field: str, value: float) -> None:
    form.get_by_role("spinbutton", name=f"Arm {field}", exact=True).fill(str(value))


def go(form: Page) -> None:
    form.get_by_role("button", name="Move Arm").click()


def see_it_go(form: Page, start: object, far_m: float) -> None:
    """Wait until the tool centre point is far from where it was."""
    form.wait_for_function(IS_FAR, arg=["Arm", start, far_m])


def wait_for_rest(form: Page) -> None:
    """The card of the selected robot says that it stands."""
    form.evaluate("window.twincellScene.$emit('pick', 'Arm')")
    card = form.get_by_role("complementary", name="Selected")
    expect(card).to_contain_text("moving  false")
    form.get_by_role("button", name="Select nothing").click()


def test_a_robot_is_moved_by_its_joints_by_a_pose_and_on_a_line(form: Page):
    start = where(form, "Arm")["position"]
    fill(form, "J1", 25)
    fill(form, "J2", 20)
    fill(form, "J3", 20)
    fill(form, "J5", 40)
    fill(form, "Speed", 100)
    go(form)
    see_it_go(form, start, 0.1)
    expect(form.get_by_test_id("control")).to_have_text("anna, on a web page")
    wait_for_rest(form)

    for kind, speed in (("Line", "Speed of the line"), ("Pose", "Speed")):
        start = where(form, "Arm")["position"]
        form.get_by_role("button", name=kind, exact=True).click()
        fill(form, "Z", NOWHERE_M)
        form.get_by_role("button", name="Fill in where Arm is").click()
        height = form.get_by_role("spinbutton", name="Arm Z", exact=True)
        expect(height).not_to_have_value(re.compile(f"^{NOWHERE_M}"))
        fill(form, "Z", float(height.input_value()) - 0.1)
        fill(form, speed, 0.5 if kind == "Line" else 50)
        go(form)
        see_it_go(form, start, 0.09)
        wait_for_rest(form)


def test_what_a_robot_cannot_do_is_refused_with_the_planners_own_reason(form: Page):
    fill(form, "J1", 9999)
    go(form)
    expect(form.get_by_text("Arm: target: joint_1 at")).to_be_visible()
    form.get_by_role("button", name="Pose", exact=True).click()
    fill(form, "X", 50)
    go(form)
    expect(form.get_by_text("Arm cannot be there: out of reach")).to_be_visible()


def test_stop_is_in_reach_in_the_panel_and_on_the_card_of_the_robot(form: Page):
    start = where(form, "Arm")["position"]
    fill(form, "J1", -60)
    fill(form, "Speed", 2)  # it would take long
    go(form)
    see_it_go(form, start, 0.01)
    go(form)
    expect(form.get_by_text("Arm: it is moving")).to_be_visible()
    form.get_by_role("button", name="Stop Arm").click()
    wait_for_rest(form)

    go(form)
    form.evaluate("window.twincellScene.$emit('pick', 'Arm')")
    card = form.get_by_role("complementary", name="Selected")
    expect(card).to_contain_text("moving  true")
    card.get_by_role("button", name="Stop").click()
    expect(card).to_contain_text("moving  false")


def test_stop_never_takes_a_stop_back(form: Page, shown: Shown):
    words = command("write", shown.cell.url, "Arm.Stop=true", "--user", USER)
    settings = environment() | {PASSWORD_VARIABLE: PASSWORD}
    release = form.get_by_role("button", name="Release the stop of Arm")
    expect(release).not_to_be_visible()
    subprocess.run(words, env=settings, check=True, timeout=60)
    expect(release).to_be_visible()
    form.get_by_role("button", name="Stop Arm", exact=True).click()
    form.wait_for_timeout(500)  # longer than the page takes to see a change
    expect(release).to_be_visible()
    release.click()
    expect(release).not_to_be_visible()
