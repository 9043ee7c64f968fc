"""A start imports what it needs and nothing else: the user waits for every import."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# each costs a start a tenth of a second or more
PAGE, PLOTS, SERVER = {"nicegui", "fastapi"}, {"matplotlib", "PIL"}, {"asyncua", "cryptography"}
# numba looks at scipy's version if there is one; what takes long is its parts
HEAVY = PAGE | PLOTS | SERVER | {"scipy.linalg", "trimesh", "yourdfpy"}


def imported_by(cell: str) -> set[str]:
    """The modules that a fresh process has imported when a cell is compiled."""
    script = (
        "import sys\n"
        "from twincell.server.cli.cell_file import compile_cell\n"
        f"compile_cell({cell!r})\n"
        "print(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=200
    )
    return set(done.stdout.split())


def test_a_cell_without_robots_is_compiled_without_reading_xml():
    assert not imported_by("static_object") & (HEAVY | {"lxml"})


def test_a_cell_with_robots_from_urdf_is_compiled_without_a_library_for_meshes():
    assert not imported_by("tool_change_multi") & HEAVY


@pytest.mark.parametrize("folder", ["sim", "server", "twincell", "bench", "tests", "docker"])
def test_nobody_imports_the_library_that_once_read_urdf(folder):
    for file in (ROOT / folder).rglob("*.py"):
        if file != Path(__file__):
            assert "yourdfpy" not in file.read_text(encoding="utf-8"), file
