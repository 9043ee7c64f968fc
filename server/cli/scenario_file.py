"""Find the scenario files that a command names: shipped ones by name, files, or whole folders."""

from pathlib import Path
from typing import Annotated

import typer

from twincell import server
from twincell.server.errors import Refusal

SHIPPED = Path(server.__file__).parents[1] / "config" / "scenarios"

ScenarioArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="SCENARIO...",
        help="Scenario files, folders of them, or names of shipped scenarios.",
        show_default=False,
    ),
]


def find_scenarios(wanted: list[str]) -> list[Path]:
    """The files, each once, in the order in which they were named."""
    files = [file for one in wanted for file in _find(one)]
    return list({file.resolve(): file for file in files}.values())


def _find(wanted: str) -> list[Path]:
    path = Path(wanted)
    if path.is_dir():
        found = sorted(path.glob("*.toml"))
        if not found:
            raise Refusal(f"{wanted}: has no scenario files", "their names end in .toml")
        return found
    if path.exists() and path.suffix != ".toml":
        raise Refusal(f"{wanted}: is no scenario", "a scenario is a file that ends in .toml")
    if "/" in wanted or wanted.endswith(".toml"):
        if not path.exists():
            raise Refusal(f"{wanted}: there is no such file")
        return [path]
    if (SHIPPED / wanted).is_dir():
        return sorted((SHIPPED / wanted).glob("*.toml"))
    shipped = {one.stem: one for one in sorted(SHIPPED.rglob("*.toml"))}
    if wanted not in shipped:
        from twincell.sim.spec.problems import did_you_mean

        raise Refusal(f"no shipped scenario is called {wanted!r}", did_you_mean(wanted, shipped))
    return [shipped[wanted]]
