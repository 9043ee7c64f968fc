"""The security folder: commands in hints that act on it, and one that cannot be looked into."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from twincell.server.cli.certificate import show
from twincell.server.cli.trust import list_all
from twincell.server.cli.user import list_
from twincell.server.errors import Refusal
from twincell.server.security.folder import VARIABLE, SecurityFolder, default_folder

NOBODY = 65_534  # the user that Linux calls so

COMMANDS = [
    ("user", "list"),
    ("user", "add", "anna", "--role=observer"),
    ("user", "remove", "anna"),
    ("trust", "list"),
    ("trust", "accept", "ABCDEF"),
    ("certificate", "show"),
    ("certificate", "renew"),
    ("read", "localhost:1", "Simulation.Tick", "--secure"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("below", ["", "below"])
def test_a_file_in_its_place_is_told_by_every_command(twincell, tmp_path, command, below):
    (tmp_path / "notes").write_text("here is something else")
    ended = twincell(*command, "--security", Path("notes", below))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("notes: is a file, not a folder\n  hint: ")


@contextmanager
def another_user() -> Iterator[None]:
    """Be somebody whom permissions hold, should we be root."""
    before = os.geteuid()
    os.seteuid(NOBODY if before == 0 else before)
    try:
        yield
    finally:
        os.seteuid(before)


@pytest.mark.parametrize("look", [show, list_all, list_])
def test_a_folder_of_somebody_else_is_told(tmp_path, look):
    folder = SecurityFolder(tmp_path / "security")
    folder.trusted.mkdir(parents=True)
    with suppress(Refusal):  # there is no certificate yet
        look(folder.root)
    folder.root.chmod(0)
    try:
        with another_user(), pytest.raises(Refusal, match=r"cannot be read: Perm.*\n  hint: let"):
            look(folder.root)
    finally:
        folder.root.chmod(0o700)


def test_a_folder_that_is_not_there_yet_is_good(tmp_path):
    SecurityFolder(tmp_path / "not" / "yet").check()


def test_a_command_for_the_usual_folder_needs_no_option(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert default_folder().command("user", "add", "NAME") == "twincell user add NAME"


def test_a_command_for_another_folder_names_it_for_whatever_shell(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    wanted = f"twincell trust list --security '{tmp_path}/my cell'"
    assert SecurityFolder(Path("my cell")).command("trust", "list") == wanted
    monkeypatch.setenv(VARIABLE, f"{tmp_path}/my cell")  # another shell may not have it
    assert default_folder().command("trust", "list") == wanted
