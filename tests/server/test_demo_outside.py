"""A cell that makes its first user by itself, and the demo as a client from outside."""

import stat
import subprocess
from pathlib import Path

import pytest

from tests.server.running_cell import PATIENCE_S, wait_until
from tests.server.twincell_command import command, environment
from twincell.server.cli.first_user import first_user
from twincell.server.errors import Refusal
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.users import Users


def popen(folder: Path, *arguments: object, password: str = "") -> "subprocess.Popen[str]":
    told = {"TWINCELL_PASSWORD": password} if password else {}
    return subprocess.Popen(
        command(*arguments),
        cwd=folder,
        env={**environment(), **told},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_the_demo_logs_in_from_outside_plays_and_yields_to_somebody_else(
    tmp_path: Path, small_cell: Path
) -> None:
    security = ("--security", tmp_path / "security")
    options = ("--port", 0, "--no-demo", "--first-user", "engineer", *security)
    with popen(tmp_path, "run", small_cell, *options) as cell:
        try:
            assert cell.stdout
            said = {}
            while "ready" not in said:
                key, _, text = cell.stdout.readline().strip().partition(": ")
                said[key] = text
            password, url = said["first user"].rpartition(" ")[2], said["ready"]
            login = ("--user", "engineer", "--secure", *security)

            def read(name: str) -> str:
                ended = subprocess.run(
                    command("read", url, name),
                    cwd=tmp_path,
                    env=environment(),
                    capture_output=True,
                    text=True,
                    timeout=PATIENCE_S,
                    check=True,
                )
                return ended.stdout

            with popen(tmp_path, "demo", url, small_cell) as stranger:
                assert stranger.wait(PATIENCE_S) == 1
                assert stranger.stdout
                refused = "demo: this client may not command there (an engineer may: --user NAME)"
                assert stranger.stdout.read().splitlines()[-1] == refused

            with popen(tmp_path, "demo", url, small_cell, *login, password=password) as demo:
                wait_until(lambda: "session twincell demo" in read("Cell.Control"))
                wait_until(lambda: "Flange" in read("Tool.Partner"))
                with popen(
                    tmp_path, "write", url, "Flange.Closed=false", *login, password=password
                ) as other:
                    assert other.wait(PATIENCE_S) == 0
                assert demo.wait(PATIENCE_S) == 0
                assert demo.stdout
                assert demo.stdout.read().endswith("commands now; the demo has stopped\n")
        finally:
            cell.terminate()
            assert cell.wait(PATIENCE_S) == 143


def test_a_demo_that_is_not_let_in_says_why(tmp_path: Path, small_cell: Path) -> None:
    with popen(tmp_path, "demo", "opc.tcp://localhost:1", small_cell) as demo:
        assert demo.wait(PATIENCE_S) == 1
        assert demo.stdout
        assert demo.stdout.read().startswith("demo: ")


def test_a_first_user_is_made_once_and_only_where_there_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = SecurityFolder(tmp_path)
    told = list(first_user(folder, "engineer"))
    password = told[0].rpartition(" ")[2]
    assert told[0] == f"first user: engineer, an engineer, with the password {password}"
    identity = Users(folder.users).by_password("engineer", password)
    assert identity is not None and identity.name == "engineer"
    assert stat.S_IMODE(folder.users.stat().st_mode) == 0o600
    assert list(first_user(folder, "another")) == []


def test_the_first_password_can_be_given_and_is_then_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TWINCELL_PASSWORD", "correct horse")
    (line,) = first_user(SecurityFolder(tmp_path), "engineer")
    assert "correct horse" not in line
    assert Users(SecurityFolder(tmp_path).users).by_password("engineer", "correct horse")
    monkeypatch.setenv("TWINCELL_PASSWORD", "short")
    with pytest.raises(Refusal, match="--first-user engineer: the password is too short"):
        list(first_user(SecurityFolder(tmp_path / "other"), "engineer"))
