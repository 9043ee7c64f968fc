"""The examples of docs/use/testing.md do what the page says."""

import re
from collections.abc import Callable
from pathlib import Path

from tests.server.kit.pytest_run import run_pytest
from tests.server.twincell_command import Ended
from twincell import server
from twincell.server.kit.scenario import Scenario, Step

PAGE = (Path(server.__file__).parents[2] / "docs" / "use" / "testing.md").read_text(
    encoding="utf-8"
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)


def test_the_tests_of_the_page_pass(tmp_path: Path) -> None:
    for number, block in enumerate(blocks("python")):
        (tmp_path / f"test_{number}.py").write_text(block)
    ended = run_pytest(tmp_path)
    assert ended.code == 0, ended.text
    assert "2 passed" in ended.text


def test_the_scenario_of_the_page_passes(twincell: Callable[..., Ended], tmp_path: Path) -> None:
    (scenario,) = blocks("toml")
    (tmp_path / "first.toml").write_text(scenario)
    ended = twincell("test", "first.toml", "--report", "report.html")
    assert ended.code == 0, ended.out + ended.err


def test_every_key_and_option_stands_on_the_page(twincell: Callable[..., Ended]) -> None:
    keys = [*Scenario.model_fields, *Step.model_fields]
    assert [key for key in keys if f"`{key}`" not in PAGE and f"`[[{key}]]`" not in PAGE] == []
    listed = set(re.findall(r"--[a-z-]+", twincell("test", "--help").out))
    assert {option for option in listed if option not in PAGE} <= {"--help"}
    plugin = Path(server.__file__).parent / "kit" / "pytest_plugin.py"
    options = set(re.findall(r'"(--twincell-[a-z-]+)"', plugin.read_text()))
    assert {option for option in options if option not in PAGE} == set()
