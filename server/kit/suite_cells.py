"""The cells of a suite: started for it and put back to their start, or somebody else's as it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from asyncua import ua

from twincell.server.client.endpoint import endpoint_of
from twincell.server.client.login_options import LoginOptions, login_of
from twincell.server.client.mistake import Mistake
from twincell.server.errors import Refusal
from twincell.server.kit.catalogue import Catalogue
from twincell.server.kit.cell_pool import CellPool, Wanted, cell_path
from twincell.server.kit.cell_under_test import LOST, CellUnderTest
from twincell.server.kit.running import CellDidNotStart, Time
from twincell.server.kit.scenario import Scenario

UNUSABLE = (*LOST, Mistake, CellDidNotStart)  # why a scenario has no cell to run with


@dataclass(frozen=True)
class Attached:
    """A cell that runs already, and how to reach it."""

    url: str
    login: LoginOptions
    reset: bool  # put it back to its start for each scenario


class SuiteCells(Protocol):
    """Where scenarios find their cells, by the files of the scenarios."""

    def catalogue(self, file: Path) -> Catalogue:
        """What the cell of a scenario has."""

    def cell(self, file: Path) -> CellUnderTest:
        """The cell of a scenario, to begin with now; raises one of UNUSABLE."""

    def name(self, file: Path) -> str:
        """The cell of a scenario as a report names it."""

    def end(self) -> None:
        """Let go of all of them."""


class OwnCells:
    """Cells that are started all at the same time; one that is lost is started again."""

    def __init__(self, scenarios: Mapping[Path, Scenario]) -> None:
        self._wanted: dict[Path, Wanted] = {
            file: (cell_path(scenario.cell, file.parent), Time.LOCKSTEP)
            for file, scenario in scenarios.items()
        }
        self._pool = CellPool()
        try:
            self._pool.start(self._wanted.values())
            self._catalogues = {
                one: self._pool.cell(one).connection.catalogue
                for one in dict.fromkeys(self._wanted.values())
            }
        except UNUSABLE as problem:
            self.end()
            raise Refusal(reason_of(problem)) from None
        except BaseException:
            self.end()
            raise

    def catalogue(self, file: Path) -> Catalogue:
        """What the cell of a scenario has."""
        return self._catalogues[self._wanted[file]]

    def cell(self, file: Path) -> CellUnderTest:
        """The cell of a scenario, at its start."""
        return self._pool.cell(self._wanted[file])

    def name(self, file: Path) -> str:
        """The cell file without its ending."""
        return Path(self._wanted[file][0]).stem

    def end(self) -> None:
        """End all of them."""
        self._pool.end()


class AttachedCell:
    """A cell under somebody else's control."""

    def __init__(self, attached: Attached, scenarios: Mapping[Path, Scenario]) -> None:
        self._attached = attached
        self._scenarios = scenarios
        url = endpoint_of(attached.url)
        try:
            self._cell = CellUnderTest(url, Time.REALTIME, login_of(attached.login))
        except Mistake as mistake:
            raise Refusal(str(mistake), mistake.hint) from None
        except (OSError, TimeoutError, ua.UaError) as error:
            hint = "start a cell with 'twincell run', which prints its address"
            raise Refusal(f"{url}: cannot be reached: {error}", hint) from None

    def catalogue(self, _: Path) -> Catalogue:
        """What the cell has."""
        return self._cell.connection.catalogue

    def cell(self, _: Path) -> CellUnderTest:
        """The cell as it is, or at its start if that was asked for."""
        if self._attached.reset:
            self._cell.reset()
        else:
            self._cell.begin_traces()
        return self._cell

    def name(self, file: Path) -> str:
        """What the scenario calls it, and where it runs."""
        return f"{self._scenarios[file].cell} at {self._attached.url}"

    def end(self) -> None:
        """Leave it alone."""
        self._cell.close()


def reason_of(problem: BaseException) -> str:
    """Why a cell cannot be used, in one line; some errors have no words of their own."""
    hint = getattr(problem, "hint", "")
    return " ".join(f"{problem} {hint}".split()) or type(problem).__name__
