"""The pytest plugin: a fixture `cell` that is a running cell at its start.

    @pytest.mark.cell("tool_change_multi")
    def test_the_flange_takes_the_tool(cell): ...

It is loaded in every test run of an environment with twincell, so nothing is imported here that
takes time before a test asks for a cell.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from twincell.server.kit.cell_pool import CellPool
    from twincell.server.kit.cell_under_test import CellUnderTest
    from twincell.server.kit.run_recording import RunRecording

MARKER = (
    'cell(name, time="lockstep", fresh=False): the cell to test with, by its shipped name or its'
    ' file seen from the test; time="realtime" lets it go on by itself; fresh starts a new one'
)
HINT = 'write @pytest.mark.cell("tool_change_multi") above the test, or give --twincell-url'
OWN_FOLDER = Path(__file__).parents[1]
CELL = pytest.StashKey["CellUnderTest"]()
RECORDING = pytest.StashKey["RunRecording | None"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the test run."""
    group = parser.getgroup("twincell", "tests with a twincell")
    group.addoption(
        "--twincell-url",
        metavar="URL",
        help="test with the cell that runs there, such as one that a PLC drives",
    )
    group.addoption(
        "--twincell-reset",
        action="store_true",
        help="with --twincell-url: put the cell back to its start before each test",
    )
    group.addoption("--twincell-user", default="", metavar="NAME", help="log in there as")
    group.addoption("--twincell-secure", action="store_true", help="encrypt the connection")
    group.addoption(
        "--twincell-out",
        default="twincell-out",
        metavar="DIR",
        help="where failed tests leave recordings, traces and pictures (default: twincell-out)",
    )
    group.addoption(
        "--twincell-update-goldens",
        action="store_true",
        help="write golden traces instead of comparing with them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(scope="session")
def twincell_pool() -> Iterator[CellPool]:
    """The cells of this test run, ended with it."""
    from twincell.server.kit.cell_pool import CellPool

    pool = CellPool()
    yield pool
    pool.end()


@pytest.fixture
def cell(request: pytest.FixtureRequest) -> Iterator[CellUnderTest]:
    """A running cell, at its start unless it is somebody else's."""
    made = _attached(request) if request.config.getoption("twincell_url") else _own(request)
    for under_test in made:
        from twincell.server.kit.golden import Goldens

        under_test.looked_at.clear()
        update = bool(request.config.getoption("twincell_update_goldens"))
        under_test.goldens = Goldens(request.path.parent / "goldens", update)
        recording = _begin_recording(under_test)
        request.node.stash[CELL], request.node.stash[RECORDING] = under_test, recording
        yield under_test
        del request.node.stash[CELL], request.node.stash[RECORDING]
        if recording is not None:
            recording.drop()


def _begin_recording(under_test: CellUnderTest) -> RunRecording | None:
    """Record a cell of our own; a failed test keeps the file."""
    from twincell.server.kit.run_recording import RunRecording

    return RunRecording(under_test) if under_test.recordings else None


def _own(request: pytest.FixtureRequest) -> Iterator[CellUnderTest]:
    """A cell that this test run has started."""
    from twincell.server.errors import Refusal
    from twincell.server.kit.cell_pool import cell_path
    from twincell.server.kit.running import CellDidNotStart, Time

    pool: CellPool = request.getfixturevalue("twincell_pool")
    name, mode, fresh = _asked(request)
    try:
        wanted = cell_path(name, request.path.parent), Time(mode)
        if fresh:
            pool.drop(wanted)
        yield pool.cell(wanted)
    except (Refusal, CellDidNotStart, ValueError) as problem:
        raise pytest.UsageError(str(problem)) from None


def _attached(request: pytest.FixtureRequest) -> Iterator[CellUnderTest]:
    """A cell that runs already."""
    from twincell.server.client.endpoint import endpoint_of
    from twincell.server.client.login_options import LoginOptions, login_of
    from twincell.server.client.mistake import Mistake
    from twincell.server.errors import Refusal
    from twincell.server.kit.cell_under_test import CellUnderTest
    from twincell.server.kit.running import Time

    option = request.config.getoption
    try:
        login = login_of(LoginOptions(option("twincell_user"), option("twincell_secure"), None))
        under_test = CellUnderTest(endpoint_of(option("twincell_url")), Time.REALTIME, login)
    except (Refusal, Mistake, OSError) as problem:
        raise pytest.UsageError(f"--twincell-url: {problem}") from None
    try:
        if option("twincell_reset"):
            under_test.reset()
        yield under_test
    finally:
        under_test.close()


def _asked(request: pytest.FixtureRequest) -> tuple[str, str, bool]:
    """Which cell a test wants: name, how its time goes on, whether it must be a new one."""
    marker = request.node.get_closest_marker("cell")
    if marker is None:
        raise pytest.UsageError(f"{request.node.nodeid}: which cell?\n  hint: {HINT}")
    known = {"time": "lockstep", "fresh": False}
    if len(marker.args) != 1 or marker.kwargs.keys() - known:
        raise pytest.UsageError(f"{request.node.nodeid}: the marker is {MARKER}")
    options: dict[str, Any] = {**known, **marker.kwargs}
    return str(marker.args[0]), str(options["time"]), bool(options["fresh"])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test shows its own lines, and names the files it leaves behind, in JUnit too."""
    under_test = item.stash.get(CELL, None)
    if under_test is not None and call.excinfo is not None:
        call.excinfo = _without_ourselves(call.excinfo)
    report = yield
    if call.when != "call" or not report.failed or under_test is None:
        return report

    from twincell.server.kit.failure_files import keep

    folder, written = Path(item.config.getoption("twincell_out")), []
    try:
        for one in keep(under_test, item.stash[RECORDING], folder, item.nodeid):
            written.append(one)
    except Exception as error:  # a cell that is lost as well: the failure itself counts
        report.sections.append(("twincell", f"not everything could be kept: {error}"))
    if said := under_test.said():
        report.sections.append(("twincell run said", said))
    if written:
        lines = [f"{what}: {path}" for what, path in written]
        report.sections.append(("twincell", "\n".join(lines)))
        item.user_properties += [(f"twincell_{what}", str(path)) for what, path in written]
    return report


def _without_ourselves(
    failure: pytest.ExceptionInfo[BaseException],
) -> pytest.ExceptionInfo[BaseException]:
    """A failure without our own lines: the message says what is wrong, the test's line where."""
    frames = []
    entry: TracebackType | None = failure.tb
    while entry is not None:
        if OWN_FOLDER not in Path(entry.tb_frame.f_code.co_filename).parents:
            frames.append((entry.tb_frame, entry.tb_lasti, entry.tb_lineno))
        entry = entry.tb_next
    left = None
    for frame in reversed(frames):
        left = TracebackType(left, *frame)
    if left is None:
        return failure
    return pytest.ExceptionInfo.from_exc_info((failure.type, failure.value, left))
