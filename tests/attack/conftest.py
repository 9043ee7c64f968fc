"""One attacked cell for all tests of a worker; every test sees to it that nobody was harmed."""

from collections.abc import Iterator

import pytest

from tests.attack.besieged import Besieged


@pytest.fixture(scope="package")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Besieged]:
    besieged = Besieged(tmp_path_factory.mktemp("besieged"))
    yield besieged
    besieged.end()


@pytest.fixture
def besieged(standing: Besieged) -> Iterator[Besieged]:
    """The cell; afterwards its well-behaved client has every tick, and the server its memory."""
    with standing.unharmed():
        yield standing
