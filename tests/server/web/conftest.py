"""One cell with a page, one browser, one page that has logged in: shared by the tests of a file."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.server.running_cell import RunningCell
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.roles import Role
from twincell.server.security.users import Users

PATIENCE_MS = 90_000.0  # software draws the picture, on a machine that is busy with other tests
USER, PASSWORD = "anna", "correct horse"
AWAY = "The OPC UA server does not answer"  # what the banner says
SOFTWARE_3D = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]

# a tool rests in a holder; a flange swings around there, and takes it along while it is closed
CELL = """\
name = "Page cell"

[frame.Rack]
position_m = [0.6, 0.0, 0.5]

[body.ToolBody]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
center_of_mass_m = [0.0, 0.0, -0.05]
position_m = [0.6, 0.0, 0.5]

[mover.UserSession]
position_m = [0.6, 0.0, 0.5]
sine = { direction = [0, 0, 1], amplitude_m = 0.08, frequency_hz = 0.5 }

[collision_object.Holder]
on = "Rack"
sphere = { radius_m = 0.1 }

[collision_object.Flange]
on = "UserSession"
mode = "control"
sphere = { radius_m = 0.1 }

[constrained_object.Tool]
on = "ToolBody"
radius_m = 0.1
eta = 30

[tool_stand.Stand]
holder = "Holder"
"""


@dataclass
class Shown:
    """A running cell, and the address of its page."""

    folder: Path
    security: SecurityFolder  # certificates and users, of all tests together
    cell: RunningCell
    url: str

    def restart(self) -> None:
        """Stop the cell, and start it anew at the same ports."""
        port = self.cell.port
        self.cell.end()
        self.cell, self.url = start(self.folder, port, int(self.url.rpartition(":")[2]))


def start(folder: Path, port: int = 0, web_port: int = 0) -> tuple[RunningCell, str]:
    options = ["cell.toml", f"--port={port}", f"--web-port={web_port}"]
    cell = RunningCell(folder, *options, lab=False)
    assert cell.process.stdout
    line = cell.process.stdout.readline()
    assert line.startswith("web page:   http://localhost:"), line
    return cell, line.split()[-1]


@pytest.fixture(scope="module")
def cell_text() -> str:
    """The cell file; tests of another cell have another one."""
    return CELL


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, cell_text: str) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("web")
    (folder / "cell.toml").write_text(cell_text, encoding="utf-8")
    security = SecurityFolder(Path(os.environ["TWINCELL_SECURITY"]))
    users = Users(security.users)
    if USER not in {entry.name for entry in users.entries()}:
        users.add(USER, Role.ENGINEER, PASSWORD)
    found = Shown(folder, security, *start(folder))
    try:
        yield found
    finally:
        found.cell.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "the tests of the web page need Chromium: apt-get install chromium"
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=[*SOFTWARE_3D, *rights])
        yield opened
        opened.close()


@contextmanager
def context_of(browser: Browser, shown: Shown) -> Iterator[BrowserContext]:
    """Somebody's browser, with cookies of its own; no request of it may leave the machine."""
    opened = browser.new_context(viewport={"width": 1280, "height": 800})
    opened.set_default_timeout(PATIENCE_MS)
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    opened.close()
    hosts = {urlsplit(url).netloc for url in asked if not url.startswith(("data:", "blob:"))}
    assert hosts == {urlsplit(shown.url).netloc}


@pytest.fixture(scope="module")
def context(browser: Browser, shown: Shown) -> Iterator[BrowserContext]:
    with context_of(browser, shown) as opened:
        yield opened


@pytest.fixture
def page(context: BrowserContext, shown: Shown) -> Iterator[Page]:
    """A page of somebody who has logged in and looks at the cell."""
    opened = context.new_page()
    errors: list[str] = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(shown.url)
    if opened.get_by_role("button", name="Log in").count():
        log_in(opened, shown)
    see_frames(opened)
    yield opened
    assert not errors
    opened.close()


def log_in(page: Page, shown: Shown, password: str = PASSWORD) -> None:
    page.goto(f"{shown.url}/login")
    page.get_by_label("User").fill(USER)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def see_frames(page: Page) -> None:
    """Wait until the 3-D view shows the cell."""
    page.wait_for_function("window.twincellScene?.view?.after")


def where(page: Page, name: str) -> dict[str, object]:
    """Where the 3-D view shows something, and who holds it there."""
    return page.evaluate("name => window.twincellScene.whereIs(name)", name)


def open_tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()
