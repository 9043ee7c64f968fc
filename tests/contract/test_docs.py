"""What the documentation lists is what there is."""

import ast
import inspect
import re
import runpy
from pathlib import Path
from types import ModuleType

import pytest

from bench import stages
from twincell.sim.cell import Cell
from twincell.sim.devices import modules
from twincell.sim.spec import cell, load_text, robot, robot_toml_tables
from twincell.sim.spec.table import Table

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CELLS = sorted(file.stem for file in (ROOT / "config" / "cells").glob("*.toml"))


def tables_of(module: ModuleType) -> list[type[Table]]:
    """The tables that a module describes or uses."""
    classes = [found for _, found in inspect.getmembers(module, inspect.isclass)]
    return [table for table in classes if issubclass(table, Table) and table is not Table]


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def lines_of(file: str, function: str) -> list[str]:
    """The lines of a function as they run: its calls, and in between its loops and ifs."""
    (found,) = (
        node
        for node in ast.parse(text_of(file)).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    )
    return list(_lines(found.body))


def _lines(body):
    for node in body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield ast.unparse(node)
        elif isinstance(node, ast.For | ast.If):
            yield ast.unparse(node).splitlines()[0]
            yield from _lines([*node.body, *node.orelse])


def calls_of(file: str, function: str) -> list[str]:
    return [line for line in lines_of(file, function) if not line.endswith(":")]


def headings(text: str) -> list[str]:
    return re.findall(r"^##+ (.*)$", text, flags=re.MULTILINE)


def anchor(heading: str) -> str:
    """How GitHub calls the place of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_the_page_on_the_tick_has_a_heading_for_each_line_of_step_in_its_order():
    assert headings(text_of("docs/engine/tick.md")) == [
        f"`{line}`" for line in lines_of("sim/step.py", "step")
    ]


def test_the_bench_times_each_line_of_step_in_its_order():
    calls = calls_of("sim/step.py", "step")
    assert calls_of("bench/stages.py", "_call") == calls
    assert [name for name, _ in stages.LINES] == [
        call.partition("(")[0].rpartition(".")[2] for call in calls
    ]


def keys_in(page: str) -> set[str]:
    """Everything that a page puts in code quotes, word by word."""
    quoted = re.findall(r"`[^`\n]+`", text_of(page))
    return set(re.findall(r"[a-z0-9_]+", " ".join(quoted)))


@pytest.mark.parametrize(
    "table",
    [table for module in (cell, robot, *modules("spec").values()) for table in tables_of(module)],
    ids=lambda table: table.__name__,
)
def test_every_key_of_a_cell_file_is_documented(table):
    assert set(table.model_fields) <= keys_in("docs/use/cells.md")


@pytest.mark.parametrize("table", tables_of(robot_toml_tables), ids=lambda table: table.__name__)
def test_every_key_of_a_robot_model_is_documented(table):
    assert set(table.model_fields) <= keys_in("docs/use/robots.md")


def test_the_examples_of_the_page_on_robots_run_as_they_are_pasted(tmp_path, monkeypatch):
    named = r"```(?:toml|python)\n# (\w+\.(?:toml|py))\n(.*?)```"
    examples = dict(re.findall(named, text_of("docs/use/robots.md"), flags=re.DOTALL))
    for name, text in examples.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    fetch = Cell.load("fetch.toml")  # which names two_axes.toml
    fetch.run(5000)
    assert fetch.text("Part.Partner") == "Gripper"
    scripts = [name for name in examples if name.endswith(".py")]
    assert scripts
    for script in scripts:
        runpy.run_path(script)


def test_every_table_of_a_cell_file_is_named_where_they_are_listed():
    page = text_of("docs/use/cells.md")
    (listed,) = re.findall(r"made of these tables: (.*?)\. ", page)
    keys = [name for name in cell.CellSpec.model_fields if f"[{name}" in page]
    assert set(re.findall(r"`(\w+)`", listed)) == set(keys)


def test_the_first_cell_does_what_is_said_and_is_not_taken_for_a_shipped_one():
    page = text_of("docs/use/first_cell.md")
    (name, text) = re.findall(r"save this as `(\w+)\.toml`:\n\n```toml\n(.*?)```", page, re.S)[0]
    assert name not in CELLS
    assert f"$ twincell simulate {name}.toml" in page
    assert f"$ twincell signals {name}.toml" in text_of("docs/use/commands.md")
    made = Cell(load_text(text))
    made.run(1000)
    assert made.text("Part.Partner") == "Gripper"
    assert made["Part.Pose.Z"] == pytest.approx(1.5, abs=1e-3)
    made.run(1000)
    assert made.text("Part.Partner") == ""


@pytest.mark.parametrize("name", CELLS)
def test_every_shipped_cell_is_on_their_page(name):
    assert f"`{name}`" in text_of("docs/use/shipped_cells.md")


def test_the_readme_is_read_in_one_go():
    assert len(text_of("README.md").splitlines()) <= 200


def test_every_page_is_on_the_readme_s_list_and_in_the_site():
    site = text_of("mkdocs.yml")
    for page in sorted((ROOT / "docs").glob("*/*.md")):
        name = page.relative_to(ROOT).as_posix()
        assert name.removeprefix("docs/") in site, name
        if page.parent.name in ("use", "engine", "server"):
            assert f"({name})" in text_of("README.md"), name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, place = link.partition("#")
        target = page.parent / name if name else page
        assert target.exists(), f"{page.name}: {link}"
        if place:
            places = [anchor(heading) for heading in headings(target.read_text(encoding="utf-8"))]
            assert place in places, f"{page.name}: {link}"
