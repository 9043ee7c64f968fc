"""twincell check, cells, signals, schema: what there is, readable by people and in pipes."""

import json
import subprocess
import sys

import pytest

from tests.server.twincell_command import command, environment
from twincell import __version__
from twincell.server.files.cells import shipped_cells


def test_check_says_what_is_in_the_cell(twincell, small_cell):
    ended = twincell("check", small_cell)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(
        "ok: Small cell: 1 body, 1 frame, 1 mover, 2 collision objects, 1 constrained object, "
    )
    first, memory = ended.out.splitlines()
    assert first.endswith(" signals, step 1 ms, rk4")
    assert memory == "memory: about 0.8 GB while it runs, its last 16.4 s included"


@pytest.mark.parametrize("path", shipped_cells(), ids=lambda path: path.stem)
def test_every_shipped_cell_is_found_by_its_name_and_without_mistakes(twincell, path):
    ended = twincell("check", path.stem)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("ok: ")


def test_cells_lists_every_shipped_cell_on_a_line_of_its_own(twincell):
    ended = twincell("cells")
    assert ended.code == 0
    header, *lines = ended.out.splitlines()
    assert header.split() == ["name", "title", "what", "it", "shows"]
    assert [line.split()[0] for line in lines] == [path.stem for path in shipped_cells()]
    assert "mistakes" not in ended.out


def test_signals_are_one_line_each_however_long(twincell, small_cell):
    ended = twincell("signals", small_cell)
    rows = json.loads(twincell("signals", small_cell, "--json").out)
    assert len(ended.out.splitlines()) == len(rows) + 1
    for row, line in zip(rows, ended.out.splitlines()[1:], strict=True):
        assert line.startswith(row["name"])
        assert line.endswith(row["description"])


def test_signals_as_json_carry_type_unit_and_direction(twincell, small_cell):
    rows = {row["name"]: row for row in json.loads(twincell("signals", small_cell, "--json").out)}
    closed = rows["Flange.Closed"]
    assert (closed["type"], closed["unit"], closed["direction"]) == ("Boolean", "", "command")
    force = rows["Tool.Force.Z"]
    assert (force["type"], force["unit"], force["direction"]) == ("Double", "N", "feedback")


def test_schema_knows_the_tables_of_a_cell_file(twincell):
    schema = json.loads(twincell("schema").out)
    assert {"name", "body", "mover", "constrained_object"} <= set(schema["properties"])


def test_version_is_printed(twincell):
    assert twincell("--version").out == f"twincell {__version__}\n"


def test_without_a_command_the_help_is_shown(twincell):
    ended = twincell()
    assert ended.code == 2
    assert "simulate" in ended.out + ended.err


def test_reader_that_closes_the_pipe_is_no_mistake():
    with subprocess.Popen(
        command("schema"), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout
        assert running.stderr
        running.stdout.close()
        assert running.stderr.read() == b""


def test_ascii_output_is_no_mistake(small_cell):
    small_cell.write_text(small_cell.read_text().replace("Small cell", "Kleine Zelle für η"))
    ended = subprocess.run(
        command("check", small_cell),
        env={**environment(), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_check_starts_without_loading_what_it_does_not_need(small_cell):
    # start-up time is mostly imports; plotting alone would double it
    code = "import sys, twincell.server.cli as c\ntry: c.main()\nfinally: print(*sys.modules)"
    ended = subprocess.run(
        [sys.executable, "-c", code, "check", str(small_cell)],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(ended.stdout.split())
    assert "twincell.sim.spec" in loaded
    assert not {"matplotlib", "rich.progress"} & loaded
