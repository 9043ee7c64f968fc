"""In CI a test that is skipped counts as one that fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SKIPPING = """
import pytest

def test_runs():
    pass

@pytest.mark.skip(reason="on holiday")
def test_rests():
    pass

@pytest.mark.xfail(reason="not there yet")
def test_fails_as_expected():
    assert False
"""
SKIPPED_FILE = 'import pytest\n\npytest.skip("all of it", allow_module_level=True)\n'


def run_pytest(folder: Path, no_skips: str, *options: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(Path(__file__).parents[1] / "conftest.py", folder)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options],
        cwd=folder,
        env={**os.environ, "TWINCELL_NO_SKIPS": no_skips},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


@pytest.mark.parametrize("options", [("-n", "0"), ("-n", "1")], ids=["alone", "xdist"])
@pytest.mark.parametrize(
    ("text", "name"), [(SKIPPING, "test_it.py::test_rests"), (SKIPPED_FILE, "test_it.py")]
)
def test_skipped_test_is_named_and_fails_the_run(tmp_path, options, text, name):
    (tmp_path / "test_it.py").write_text(text)
    (tmp_path / "test_other.py").write_text("def test_other():\n    pass\n")
    ended = run_pytest(tmp_path, "1", *options)
    assert ended.returncode == 1
    assert f"these were skipped: {name}\n" in ended.stdout


def test_without_the_variable_skipping_is_allowed(tmp_path):
    (tmp_path / "test_it.py").write_text(SKIPPING)
    ended = run_pytest(tmp_path, "")
    assert ended.returncode == 0
    assert "these were skipped" not in ended.stdout


def test_expected_failure_is_no_skip(tmp_path):
    (tmp_path / "test_it.py").write_text(
        SKIPPING.replace("@pytest.mark.skip(", "@pytest.mark.xfail(strict=False, ")
    )
    assert run_pytest(tmp_path, "1").returncode == 0
