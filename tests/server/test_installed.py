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
        "import sys, sim; from server.cli.cell_file import load\n"
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
    arm = site_packages / "config" / "robots" / "arm6.urdf"
    assert ended.stdout.splitlines() == [str(arm), str(arm)]
