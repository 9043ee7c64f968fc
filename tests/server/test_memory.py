"""What a cell needs in memory is told, and a cell without room is refused before it starts."""

import subprocess
import sys

import pytest

from tests.server.twincell_command import command, environment
from twincell.server.supervisor import memory
from twincell.server.supervisor.memory import free_bytes, needed_bytes, signal_bytes

GB = 1_000_000_000


def test_a_usual_cell_needs_less_than_a_gigabyte():
    assert 0.8 * GB < needed_bytes(374) < GB


@pytest.mark.parametrize(("n_signal", "most_gb"), [(21_000, 0.7), (210_000, 6.0)])
def test_the_signals_of_large_cells_need_what_was_measured(n_signal, most_gb):
    """300 objects with 21 000 signals took 2.8 GB for their rows alone, 3000 objects 28 GB."""
    assert signal_bytes(n_signal) < most_gb * GB


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A machine with 8 GB free, in a control group within another one."""
    inner = tmp_path / "groups" / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "meminfo").write_text("MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n")
    (tmp_path / "own").write_text("0::/outer/inner\n")
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "OWN_GROUP", tmp_path / "own")
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "groups")
    return tmp_path


def limit(group, most, used, files):
    (group / "memory.max").write_text(f"{most}\n")
    (group / "memory.current").write_text(f"{used}\n")
    (group / "memory.stat").write_text(f"anon 1\ninactive_file {files}\n")


def test_free_is_what_the_machine_has(system):
    assert free_bytes() == 8_000_000 * 1024


def test_a_container_has_what_its_limit_leaves(system):
    limit(system / "groups" / "outer" / "inner", "max", 5 * GB, 0)
    limit(system / "groups" / "outer", 2 * GB, GB, 300_000_000)
    assert free_bytes() == 1_300_000_000
    limit(system / "groups", GB, GB, 0)  # as a container sees its own limit
    assert free_bytes() == 0


def test_a_system_that_says_nothing_refuses_nothing(system):
    (system / "meminfo").unlink()
    (system / "own").unlink()
    assert free_bytes() is None
    (system / "own").write_text("0::/outer/inner\n")
    limit(system / "groups" / "outer", "much", 1, 1)
    assert free_bytes() is None


def run_with_free(free, folder, *words):
    """Run a command where so much memory is free."""
    script = (
        "import twincell.server.cli.memory as told; from twincell.server.cli import main\n"
        f"told.free_bytes = lambda: {free}; main()"
    )
    argv = [sys.executable, "-c", script, *command(*words)[3:]]
    ended = subprocess.run(
        argv,
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert "Traceback" not in ended.stderr
    return ended


def test_a_cell_without_room_is_refused_with_what_it_needs_and_the_remedy(small_cell, tmp_path):
    ended = run_with_free(1_000_000, tmp_path, "run", small_cell.name, "--port", "0")
    assert ended.returncode == 2
    problem, hint = ended.stderr.splitlines()
    assert problem.startswith("small.toml: its ")
    assert problem.endswith(" GB of memory; 0.0 GB are free")
    assert hint.startswith("  hint: end other programs, raise the container's memory limit, or")


def test_check_tells_what_a_cell_needs_and_that_it_would_be_refused(small_cell, tmp_path):
    ended = run_with_free(1_000_000, tmp_path, "check", small_cell.name)
    assert ended.returncode == 0
    assert "memory: about 0.8 GB while it runs, its last 16.4 s included" in ended.stdout
    assert ended.stderr.startswith("warning: 'twincell run' would refuse it here: its ")
    assert "hint: end other programs" in ended.stderr
