"""The folders are the architecture: who may import whom."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITH_A_CLOCK_OR_A_WIRE = {"asyncio", "socket", "time", "threading", "multiprocessing", "asyncua"}


def imported(file: Path, parts: int = 1) -> set[str]:
    """What a file imports, by the first parts of the names; ours by those behind `twincell.`."""
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {".".join(name.removeprefix("twincell.").split(".")[:parts]) for name in names}


@pytest.mark.parametrize("file", sorted((ROOT / "sim").rglob("*.py")), ids=lambda f: f.stem)
def test_the_simulation_knows_no_server_clock_or_wire(file):
    assert not imported(file) & ({"twincell", "server", "bench", "tests"} | WITH_A_CLOCK_OR_A_WIRE)


def test_kernels_use_neither_files_nor_numpy():
    subjects = ("mechanics", "network", "contact", "motion", "drives", "devices")
    for folder in (*subjects, "geometry", "numeric"):
        for file in (ROOT / "sim" / folder).rglob("*.py"):
            # a device's folder also has what a cell file may say, and how that becomes arrays
            if folder != "devices" or "@kernel" in file.read_text(encoding="utf-8"):
                assert imported(file) <= {"collections", "math", "typing", "sim"}, file.name


def test_nobody_but_the_command_line_knows_the_command_line():
    for file in (ROOT / "server").rglob("*.py"):
        if file.parent.name != "cli":
            assert "server.cli" not in imported(file, parts=2), file.name


@pytest.mark.parametrize("folder", ["sim", "server", "bench", "tests", "docker"])
def test_everything_of_ours_is_imported_as_a_part_of_twincell(folder):
    # installed, there is nothing called sim, server or config: users have folders of these names
    for file in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names} & {"sim", "server", "config"}, file


def test_config_holds_data_only():
    endings = {file.suffix for file in (ROOT / "config").rglob("*") if file.is_file()}
    assert endings == {".toml", ".urdf"}
