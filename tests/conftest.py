"""With TWINCELL_NO_SKIPS=1 a skipped test is a failure: what nobody runs proves nothing."""

import logging
import os
from collections.abc import Iterator

import pytest

from twincell.server.logging.log_line import OUR_LOGGERS

NO_SKIPS = os.environ.get("TWINCELL_NO_SKIPS") == "1"


def skipped_tests(config: pytest.Config) -> list[str]:
    """Who was skipped; with xdist only the process that collects the reports knows."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    return sorted({report.nodeid for report in reports})


def pytest_sessionfinish(session: pytest.Session) -> None:
    if NO_SKIPS and session.exitstatus == pytest.ExitCode.OK and skipped_tests(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    skipped = skipped_tests(config)
    if NO_SKIPS and skipped:
        terminalreporter.section("no test may be skipped here", sep="=", red=True)
        names = ", ".join(skipped)
        terminalreporter.line(f"TWINCELL_NO_SKIPS is set, but these were skipped: {names}")


@pytest.fixture(scope="session", autouse=True)
def own_security_folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Servers and clients of tests make keys of their own, and leave the user's alone."""
    os.environ["TWINCELL_SECURITY"] = str(tmp_path_factory.mktemp("security"))


@pytest.fixture(autouse=True)
def own_logging() -> Iterator[None]:
    """A test that runs a command of ours leaves no handler to the next."""
    root, ours = logging.getLogger(), logging.getLogger(OUR_LOGGERS)
    before = (root.handlers[:], logging.raiseExceptions)
    levels = (root.level, ours.level)
    yield
    root.handlers[:], logging.raiseExceptions = before
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
