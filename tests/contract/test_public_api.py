"""What `from twincell import ...` gives, and docs/use/python.md says of it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import twincell

PAGE = (Path(__file__).parents[2] / "docs" / "use" / "python.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", twincell.__all__)
def test_every_public_name_is_there_described_and_on_the_page(name):
    assert (getattr(twincell, name).__doc__ or "").strip()
    assert re.search(rf"\b{name}\b", PAGE)
    assert name in dir(twincell)


def test_a_name_that_is_not_there_is_no_attribute():
    with pytest.raises(AttributeError, match="has no attribute 'Robot'"):
        twincell.Robot  # noqa: B018


def test_importing_twincell_loads_neither_compiler_nor_server():
    code = "import twincell, sys; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "numba", "asyncua", "pydantic"} & set(said.stdout.split())


def test_the_first_program_of_the_page_runs(capsys):
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    exec(compile(program, "docs/use/python.md", "exec"), {})
    height, partner = capsys.readouterr().out.split()
    assert float(height) > 0.0
    assert partner
