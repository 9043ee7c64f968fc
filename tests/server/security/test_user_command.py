"""twincell user: add, remove and list, from a script and from a terminal."""

import os
import pty
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from tests.server.twincell_command import Ended, command, environment
from twincell.server.security.folder import VARIABLE, SecurityFolder
from twincell.server.security.own_certificate import load_or_make
from twincell.server.security.roles import Role
from twincell.server.security.users import Users

PASSWORD = "correct horse"
CTRL_D = "\x04"
PATIENCE_S = 60.0

Command = Callable[..., Ended]


@pytest.fixture
def user(tmp_path: Path, folder: SecurityFolder) -> Command:
    """Runs `twincell user` with arguments and a standard input."""

    def run(*arguments: object, typed: bytes = b"", **variables: str) -> Ended:
        ended = subprocess.run(
            command("user", *arguments),
            cwd=tmp_path,
            env=environment() | {VARIABLE: str(folder.root)} | variables,
            input=typed,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert b"Traceback" not in ended.stderr
        return Ended(ended.returncode, ended.stdout.decode(), ended.stderr.decode())

    return run


def add(user: Command, name: str, role: str = "operator") -> None:
    ended = user("add", name, "--role", role, "--password-stdin", typed=f"{PASSWORD}\n".encode())
    assert (ended.code, ended.err) == (0, "")


def test_an_added_user_can_log_in_and_a_removed_one_cannot(user, folder):
    add(user, "anna", "engineer")
    users = Users(folder.users)
    assert users.by_password("anna", PASSWORD).role is Role.ENGINEER

    ended = user("remove", "anna")
    assert (ended.code, ended.out) == (0, "anna cannot log in any more\n")
    assert users.by_password("anna", PASSWORD) is None


def test_the_list_shows_roles_and_means_but_no_hashes(user):
    add(user, "bert", "observer")
    add(user, "anna")
    ended = user("list")
    assert (ended.code, ended.err) == (0, "")
    head, *rows = ended.out.splitlines()
    assert head.split() == ["name", "role", "logs", "in", "with"]
    assert [row.split() for row in rows] == [
        ["anna", "operator", "a", "password"],
        ["bert", "observer", "a", "password"],
    ]


def test_an_empty_list_says_where_it_looked(user, folder):
    ended = user("list")
    assert (ended.code, len(ended.out.splitlines())) == (0, 1)
    assert ended.err == f"none yet in {folder.users}\n"


def test_users_are_in_the_folder_that_is_named(user, tmp_path, folder):
    elsewhere = tmp_path / "elsewhere"
    ended = user(
        *("add", "anna", "--role=operator", "--password-stdin", "--security", elsewhere),
        typed=PASSWORD.encode(),
    )
    assert ended.code == 0
    assert not folder.users.exists()
    assert Users(SecurityFolder(elsewhere).users).by_password("anna", PASSWORD)
    assert "anna" in user("list", "--security", elsewhere).out
    assert user("remove", "anna", "--security", elsewhere).code == 0


@pytest.mark.parametrize("encoding", [Encoding.DER, Encoding.PEM])
def test_a_user_with_a_certificate_needs_no_password(user, tmp_path, folder, encoding):
    der = load_or_make(SecurityFolder(tmp_path / "robot"), "urn:robot", ["robot"]).der
    file = tmp_path / "robot.crt"
    file.write_bytes(x509.load_der_x509_certificate(der).public_bytes(encoding))

    ended = user("add", "robot", "--role", "operator", "--certificate", file)
    assert (ended.code, ended.err) == (0, "")
    assert Users(folder.users).by_certificate(der).role is Role.OPERATOR
    assert "the certificate " in user("list").out


@pytest.mark.parametrize(
    ("arguments", "typed", "words"),
    [
        (["add", "anna", "--role=operator", "--password-stdin"], b"short\n", "at least 8 char"),
        (["add", "anna", "--role=operator", "--password-stdin"], b"", "at least 8 characters"),
        (["add", "anna", "--role=operator", "--password-stdin"], b"\xff" * 9, "is not UTF-8"),
        (["add", "anna", "--role=operator", "--password-stdin"], b"x" * 999, "at most 256 bytes"),
        (["add", "anna", "--role=operator"], b"", "no terminal .*\n  hint: with --password-stdin"),
        (["add", "anna", "--role=boss", "--password-stdin"], b"correct horse", "'boss' is not one"),
        (["add", "anna", "--password-stdin"], b"correct horse", "Missing option '--role'"),
        (["add", "", "--role=operator", "--password-stdin"], b"correct horse", "is no name"),
        (["add", "anna", "--role=operator", "--certificate=none"], b"", "none: cannot be read"),
        (["add", "anna", "--role=operator", "--certificate=."], b"", ".: cannot be read"),
        (["remove", "anna"], b"", "anna: is no user\n  hint: .*twincell user list --security"),
    ],
)
def test_bad_input_is_told_with_a_hint_and_exit_code_2(user, folder, arguments, typed, words):
    ended = user(*arguments, typed=typed)
    assert (ended.code, ended.out) == (2, "")
    assert re.search(words, ended.err)
    assert not folder.users.exists()


def test_a_name_that_is_taken_is_told(user):
    add(user, "anna")
    ended = user("add", "anna", "--role=engineer", "--password-stdin", typed=PASSWORD.encode())
    assert ended.code == 2
    assert "anna: is a user already\n  hint: remove it first" in ended.err


def test_a_name_that_is_taken_is_told_before_a_password_is_asked_for(user):
    add(user, "anna")
    ended = user("add", "anna", "--role=engineer")  # there is no terminal to ask at
    assert ended.err.startswith("anna: is a user already\n")


def test_the_variable_with_a_clients_password_adds_nobody(user):
    ended = user("add", "anna", "--role=operator", TWINCELL_PASSWORD=PASSWORD)
    assert ended.code == 2
    assert "hint: with --password-stdin" in ended.err
    assert "$TWINCELL_PASSWORD is for clients" in ended.err


def test_a_file_that_is_no_certificate_is_told(user, tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    ended = user("add", "anna", "--role=operator", "--certificate=photo.jpg")
    assert ended.code == 2
    assert "photo.jpg: is no certificate\n  hint: " in ended.err


def test_a_damaged_file_is_told_with_its_line(user, folder):
    folder.root.mkdir()
    folder.users.write_text("damaged\n")
    folder.users.chmod(0o600)
    ended = user("list")
    assert ended.code == 2
    assert f"{folder.users}:1: " in ended.err


def typed_at_a_terminal(folder: SecurityFolder, *lines: str) -> tuple[int, str]:
    """Add anna at a terminal; exit code, and all that the terminal showed."""
    return typed_for(folder, ["user", "add", "anna", "--role=operator"], *lines)


def typed_for(folder: SecurityFolder, wanted: list[str], *lines: str) -> tuple[int, str]:
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        arguments = command(*wanted)
        os.execve(arguments[0], arguments, environment() | {VARIABLE: str(folder.root)})
    shown = b""
    asked = 0
    try:
        while chunk := os.read(terminal, 1024):
            shown += chunk
            if shown.count(b": ") > asked and asked < len(lines):
                end = b"" if lines[asked] == CTRL_D else b"\n"
                os.write(terminal, lines[asked].encode() + end)
                asked += 1
    except OSError:  # how Linux says that the other end is closed
        pass
    finally:
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), shown.decode()


def test_at_a_terminal_the_password_is_asked_for_twice_and_not_shown(folder):
    code, shown = typed_at_a_terminal(folder, PASSWORD, PASSWORD)
    assert code == 0
    assert "Password of anna: " in shown
    assert PASSWORD not in shown
    assert Users(folder.users).by_password("anna", PASSWORD)


@pytest.mark.parametrize("lines", [[CTRL_D], [PASSWORD, CTRL_D]])
def test_ctrl_d_instead_of_a_password_adds_nobody_and_is_told(folder, lines):
    code, shown = typed_at_a_terminal(folder, *lines)
    assert code == 2
    assert "\r\nno password was given\r\n  hint: " in shown
    assert "Aborted" not in shown
    assert not folder.users.exists()


def test_ctrl_d_instead_of_a_password_of_a_client_is_told(folder, monkeypatch):
    monkeypatch.delenv("TWINCELL_PASSWORD", raising=False)
    read = ["read", "localhost:1", "Simulation.Tick", "--user", "anna"]
    code, shown = typed_for(folder, read, CTRL_D)
    assert (code, "no password was given" in shown) == (2, True)


def test_two_different_passwords_add_nobody(folder):
    code, shown = typed_at_a_terminal(folder, PASSWORD, PASSWORD + "!")
    assert code == 2
    assert "the two passwords differ" in shown
    assert not folder.users.exists()
