"""twincell as it is installed from a wheel, from a source distribution, and editable.

What it ships is found, wherever one stands, and nothing of the user's is in its way.
"""

import os
import resource
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
ROUNDS = 5  # of a measurement; chosen
MY_CELL = """\
name = "My cell"

[robot.Robot1]
model = "arm6"
"""


def built(kind: str, folder: Path) -> Path:
    """A wheel or a source distribution of the checkout."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(build, cwd=CHECKOUT, check=True, capture_output=True, timeout=200)
    (file,) = (path for path in folder.iterdir() if path.name.endswith((".whl", ".tar.gz")))
    return file


@pytest.fixture(scope="module")
def site_packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What pip would unpack from the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(built("wheel", folder)) as packed:
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


# ---------------------------------------------------------------- fresh environments

MY_PLAIN_TEST = """\
import pytest
from server.plc import pulse


@pytest.mark.cell("static_object")
def test_the_cell_goes_on(cell):
    began_at = cell.time_s
    cell.advance(0.002 * pulse())
    assert cell.time_s == pytest.approx(began_at + 0.002)
"""


def python_of(environment: Path) -> str:
    return str(environment / "bin" / "python")


@pytest.fixture(scope="module", params=["wheel", "sdist", "editable"])
def environment(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with twincell, installed by pip, and what it needs: links to what is here."""
    folder = tmp_path_factory.mktemp("fresh")
    environment = folder / "environment"
    venv.create(environment)
    (packages,) = environment.glob("lib/python3*/site-packages")
    for place in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
        for path in Path(place).iterdir():
            if "twincell" not in path.name and not (packages / path.name).exists():
                (packages / path.name).symlink_to(path)
    source = ["-e", str(CHECKOUT)]
    if request.param != "editable":
        source = [str(built(request.param, folder))]
    pip = [sys.executable, "-m", "pip", "--python", python_of(environment), "install"]
    options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    done = subprocess.run(
        [*pip, *options, *source], capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return environment


def run_in_environment(
    environment: Path, project: Path, *command: str
) -> "subprocess.CompletedProcess[str]":
    """A command of a fresh environment, in a user's project; kernels are not compiled for it."""
    done = subprocess.run(
        [environment / "bin" / command[0], *command[1:]],
        cwd=project,
        env={"PATH": os.environ["PATH"], "HOME": str(project), "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_command_plug_in_and_fixture_work_in_a_fresh_environment(environment, project):
    (project / "my_cell.toml").write_text(MY_CELL)
    assert (
        "ok" in run_in_environment(environment, project, "twincell", "check", "my_cell.toml").stdout
    )
    (project / "test_plain.py").write_text(MY_PLAIN_TEST)
    pytest_here = ("python", "-m", "pytest", "-p", "no:cacheprovider", "-q", "test_plain.py")
    assert "1 passed" in run_in_environment(environment, project, *pytest_here).stdout


def children_cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_the_plug_in_costs_a_test_run_without_a_cell_at_most_50_ms(environment, project):
    (project / "test_other.py").write_text("def test_nothing():\n    pass\n")
    costs: dict[str, list[float]] = {"twincell": [], "no:twincell": []}
    for _ in range(ROUNDS):
        for plug_in, times in costs.items():
            options = ("-p", plug_in) if plug_in.startswith("no:") else ()
            before = children_cpu_s()
            pytest_here = ("python", "-m", "pytest", "-p", "no:cacheprovider", "-q", *options)
            run_in_environment(environment, project, *pytest_here, "test_other.py")
            times.append(children_cpu_s() - before)
    # processor time, the least of several runs: whatever else the machine does meanwhile
    assert min(costs["twincell"]) - min(costs["no:twincell"]) < 0.05
