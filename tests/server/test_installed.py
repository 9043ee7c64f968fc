"""twincell as it is installed from a wheel: what it ships is found, wherever one stands."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
MY_CELL = """\
name = "My cell"

[robot.Robot1]
model = "arm6"
"""


@pytest.fixture(scope="module")
def site_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pip would unpack from the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True, timeout=200)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder / "site-packages")
    return folder / "site-packages"


def test_a_cell_of_ones_own_names_a_shipped_robot_and_a_shipped_cell_names_it_too(
    site_packages, tmp_path
):
    (tmp_path / "my_cell.toml").write_text(MY_CELL)
    script = (
        "import sys; from twincell.server.cli.cell_file import load\n"
        "for cell in sys.argv[1:]: print(load(cell).robot_models['Robot1'].file)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script, "my_cell.toml", "tool_changer_atc"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site_packages), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert ended.stderr == ""
    arm = site_packages / "twincell" / "config" / "robots" / "arm6.urdf"
    assert ended.stdout.splitlines() == [str(arm), str(arm)]


def test_nothing_but_twincell_is_installed(site_packages):
    assert {path.name.split("-")[0] for path in site_packages.iterdir()} == {"twincell"}


MY_TEST = """\
import pytest
from server.plc import pulse  # a folder of the user's own, as sim and config are
from twincell import CellUnderTest


@pytest.mark.cell("tool_change_single")
def test_the_flange_takes_the_tool(cell: CellUnderTest) -> None:
    cell.advance(pulse() * 4.0)
    cell["Robot1Flange.Closed"] = True
    cell.wait_until("Tool1.Partner", "Robot1Flange", within_s=0.1)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's project, with folders called as ours are in the checkout."""
    for name in ("server", "sim", "config"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "server" / "plc.py").write_text("def pulse():\n    return 1\n")
    (tmp_path / "test_mine.py").write_text(MY_TEST)
    return tmp_path


def run_in_project(project: Path, site_packages: Path, *command: str) -> str:
    """What a command says there, with twincell as the wheel installs it."""
    ended = subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env={**os.environ, "PYTHONPATH": str(site_packages)},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_a_project_with_folders_server_sim_and_config_has_its_own_tests(site_packages, project):
    pytest_here = ("-m", "pytest", "-p", "no:cacheprovider", "-q", "test_mine.py")
    said = run_in_project(project, site_packages, *pytest_here)
    assert "1 passed" in said


def test_the_command_works_in_such_a_project(site_packages, project):
    (project / "my_cell.toml").write_text(MY_CELL)
    said = run_in_project(
        project, site_packages, "-m", "twincell.server.cli", "check", "my_cell.toml"
    )
    assert "ok" in said
