"""The image as users run it: `make docker-test`, which builds it first.

Needs root, podman and runc; that is why it is no part of `make test`. What docs/use/docker.md tells
in figures is printed.
"""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import pytest

from docker.tests.container import (
    TEMPORARY,
    Container,
    free_port,
    image_bytes,
    running,
    twincell,
    volumes,
    wait_until,
)

ANYBODY = ("--user", "54321:54321")  # a number that no container has heard of
MOST_BYTES = 900e6
MOST_START_S = 8.0


class Cell:
    """A container with volumes, as one starts it for good."""

    def __init__(self, security: str, recordings: str) -> None:
        self.options = (
            *(*ANYBODY, *TEMPORARY),
            *("--volume", f"{security}:/data/security"),
            *("--volume", f"{recordings}:/data/recordings"),
        )
        self.container = Container(*self.options)
        self.password = self.container.told("first user").rpartition(" ")[2]

    def client(self, *words: object) -> tuple[int, str]:
        """Another container that uses the same volumes, run to its end."""
        login = ("--user", "engineer", "--secure")
        password = ("--env", f"TWINCELL_PASSWORD={self.password}")
        with running(*self.options, *password, arguments=(*words, *login)) as other:
            return other.end(), other.said


@pytest.fixture(scope="module")
def cell() -> Iterator[Cell]:
    with volumes("security", "recordings") as names:
        made = Cell(*names)
        try:
            yield made
        finally:
            made.container.remove()


def test_the_image_is_small_enough() -> None:
    size = image_bytes()
    print(f"\nimage: {size / 1e6:.0f} MB unpacked")
    assert size <= MOST_BYTES


def test_a_container_answers_within_seconds() -> None:
    took = []
    for _ in range(3):
        with running(*ANYBODY, *TEMPORARY) as container:
            container.told("ready")
            took.append(time.monotonic() - container.began_s)
            assert "Tool1" in container.read("Tool1.Partner")
    print(f"\nfrom start to ready: {', '.join(f'{one:.1f}' for one in took)} s")
    assert median(took) <= MOST_START_S


def test_a_tool_is_changed_and_everybody_is_well(cell: Cell) -> None:
    container = cell.container
    container.told("ready")
    for partner in ("Robot1Flange", "Holder3", "Robot2Flange"):
        wait_until(lambda partner=partner: partner in container.read("Tool1.Partner"))
    health = container.execute("python", "/opt/twincell/bin/health.py")
    assert (health.returncode, health.stdout) == (0, '{"status": "ok", "state": "running"}\n')
    assert container.execute("touch", "/opt/twincell/x").returncode != 0  # it is read-only
    assert container.told("web page").startswith(("https://localhost:8080 ", "none: port 8080 "))


def test_a_client_from_outside_is_let_in_with_one_command(cell: Cell, tmp_path: Path) -> None:
    container = cell.container

    def write() -> str:
        words = ("write", container.url, "Robot1Flange.Closed=true", "--user=engineer", "--secure")
        return twincell(*words, password=cell.password, security=tmp_path).stderr

    # each side sees the other for the first time, and says how to trust it
    thumbprint = re.search(r"trust accept ([0-9A-F]+)", write())
    assert thumbprint
    assert twincell("trust", "accept", thumbprint[1], security=tmp_path).returncode == 0
    ours = re.search(r"trust accept ([0-9A-F]+)", write())
    assert ours
    accepted = container.execute("twincell", "trust", "accept", ours[1])
    assert accepted.returncode == 0, accepted.stderr
    assert write() == ""


def test_the_demo_and_the_scenarios_run_in_containers_of_their_own() -> None:
    with volumes("security", "recordings") as (security, recordings):
        cell = Cell(security, recordings)
        try:
            url = cell.container.url
            cell.container.told("ready")
            # the demo inside yields to the scenario
            code, said = cell.client("test", "tool_change", "--url", url, "--reset")
            assert code == 0, said
            assert "1 of 1 passed" in said
            code, said = cell.client("test", "two_robots_one_tool", "--url", url, "--reset")
            assert code == 0, said
            password = ("--env", f"TWINCELL_PASSWORD={cell.password}")
            words = ("demo", url, "tool_change_multi", "--user", "engineer", "--secure")
            with running(*cell.options, *password, arguments=words):
                wait_until(lambda: "twincell demo" in cell.container.read("Cell.Control"))
                wait_until(lambda: "Robot1Flange" in cell.container.read("Tool1.Partner"))
        finally:
            cell.container.remove()


def test_a_mounted_cell_names_a_shipped_robot(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "my_cell.toml").write_text('name = "My cell"\n[robot.Robot1]\nmodel = "arm6"\n')
    mounted = ("--volume", f"{tmp_path}:/cells:ro")
    words = ("check", "my_cell.toml")
    with running(*ANYBODY, *TEMPORARY, *mounted, arguments=words) as container:
        assert container.end() == 0, container.said
        assert "ok: My cell: 1 robot" in container.said


def test_a_stop_is_clean_and_a_new_container_finds_what_there_was(cell: Cell) -> None:
    first = cell.container
    login = ("--user", "engineer")
    started = twincell("record", first.url, "start", "run1", *login, password=cell.password)
    assert started.returncode == 0, started.stderr
    time.sleep(1.0)
    certificate = first.execute("twincell", "certificate", "show").stdout
    took_s = first.stop()
    print(f"\nSIGTERM to the end: {took_s:.1f} s")
    assert first.end() == 143  # as shells count SIGTERM
    assert "Traceback" not in first.said
    first.remove()

    cell.container = second = Container(*cell.options)
    second.told("ready")
    assert "first user" not in second.said
    assert second.execute("twincell", "certificate", "show").stdout == certificate
    info = second.execute("twincell", "info", "/data/recordings/run1.mcap")
    assert info.returncode == 0, info.stderr
    assert "Tool change, two robots" in info.stdout
    read = ("read", second.url, "Tool1.Partner", *login)
    assert twincell(*read, password=cell.password).returncode == 0


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o755)  # it is root's
    with running(*ANYBODY, *TEMPORARY, "--volume", f"{closed}:/data/security") as container:
        assert container.end() == 2
        assert "/data/security" in container.said
        assert "hint: " in container.said
        assert "Traceback" not in container.said

    # without a place for recordings the cell runs, and says so to whoever wants one
    password = ("--env", "TWINCELL_PASSWORD=correct horse")
    mounted = ("--volume", f"{closed}:/data/recordings")
    with running(*ANYBODY, *TEMPORARY, *mounted, *password) as container:
        container.told("ready")
        words = ("record", container.url, "start", "run1", "--user", "engineer")
        refused = twincell(*words, password="correct horse")
        assert refused.returncode == 2
        assert "Permission denied" in refused.stderr
        assert "Tool1" in container.read("Tool1.Partner")


def test_a_taken_port_and_a_missing_tmp_are_named() -> None:
    port = free_port()
    words = ("run", "tool_change_multi", "--port", port)
    with running(*ANYBODY, *TEMPORARY, arguments=words) as container:
        container.told("ready")
        with running(*ANYBODY, *TEMPORARY, arguments=words) as other:
            assert other.end() == 2
            assert f"port {port} is in use" in other.said
            assert "hint: " in other.said
        assert container.execute("python", "/opt/twincell/bin/health.py").returncode == 0
    with running(*ANYBODY) as container:
        assert container.end() == 2
        assert "--tmpfs /tmp" in container.said


def test_rights_are_used_where_they_are_granted_and_named_where_not() -> None:
    """Locked memory, by a capability, which works for root: this needs no ulimit."""
    granted = ("--user", "0:0", "--cap-add", "IPC_LOCK")
    with running(*TEMPORARY, *granted) as container:
        rights = container.told("real time")
    with running(*ANYBODY, *TEMPORARY) as container:
        refused = container.told("real time")
        assert "Tool1" in container.read("Tool1.Partner")
    print(f"\nwith rights:    {rights}\nwithout rights: {refused}")
    assert "locked memory" in rights
    assert "memory not locked: allow it with" in refused
    assert "no real-time priority: allow it with" in refused
