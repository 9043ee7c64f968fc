"""Users in a file and in memory: who logs in, and what happens to the file."""

import hashlib
import logging
import multiprocessing
import os
import time
from pathlib import Path

import pytest

from twincell.server.security import passwords
from twincell.server.security.roles import Identity, Role
from twincell.server.security.users import UserProblem, Users

PASSWORD = "correct horse"
CERTIFICATE = b"some certificate"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "security" / "users.toml"


@pytest.fixture
def users(path: Path) -> Users:
    return Users(path)


def change(path: Path, text: str) -> None:
    """Write the file by hand."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)


def who(found: Identity | None) -> tuple[str, Role] | None:
    return (found.name, found.role) if found else None


def test_without_a_file_nobody_logs_in(users, path):
    assert users.entries() == []
    assert users.by_password("anna", PASSWORD) is None
    assert users.by_certificate(CERTIFICATE) is None
    assert not path.exists()


def test_a_user_logs_in_with_the_password_and_with_no_other(users):
    users.add("anna", Role.OPERATOR, PASSWORD)
    assert who(users.by_password("anna", PASSWORD)) == ("anna", Role.OPERATOR)
    assert users.by_password("anna", PASSWORD + " ") is None
    assert users.by_password("anna", "") is None
    assert users.by_password("Anna", PASSWORD) is None
    assert users.by_password("", "") is None


def test_a_user_logs_in_with_the_certificate_and_then_with_no_password(users):
    users.add("robot", Role.ENGINEER, certificate=CERTIFICATE)
    assert who(users.by_certificate(CERTIFICATE)) == ("robot", Role.ENGINEER)
    assert users.by_certificate(CERTIFICATE + b"!") is None
    assert users.by_certificate(b"") is None
    assert users.by_password("robot", "") is None


def test_a_user_may_have_both(users):
    users.add("anna", Role.OBSERVER, PASSWORD, CERTIFICATE)
    wanted = ("anna", Role.OBSERVER)
    assert who(users.by_password("anna", PASSWORD)) == wanted
    assert who(users.by_certificate(CERTIFICATE)) == wanted


@pytest.mark.parametrize("name", ["nobody", "robot", "anna"])
def test_every_wrong_login_compares_one_hash(users, name, monkeypatch):
    users.add("anna", Role.OPERATOR, PASSWORD)
    users.add("robot", Role.OPERATOR, certificate=CERTIFICATE)
    compared = []
    monkeypatch.setattr(passwords, "matches", lambda hash_, _: compared.append(hash_))
    assert users.by_password(name, "wrong") is None
    assert len(compared) == 1
    assert passwords.is_hash(compared[0])


def test_the_password_of_unknown_names_lets_nobody_in(users, monkeypatch):
    users.add("robot", Role.OPERATOR, certificate=CERTIFICATE)
    monkeypatch.setattr(passwords, "matches", lambda *_: True)
    assert users.by_password("nobody", "guessed") is None
    assert users.by_password("robot", "guessed") is None


def test_an_admitted_user_is_in_no_file_and_needs_no_hash(users, path, monkeypatch):
    monkeypatch.setattr(passwords, "matches", lambda *_: pytest.fail("hashed"))
    users.admit("twincell demo", "made up", Role.ENGINEER)
    assert users.by_password("twincell demo", "made up") == Identity("twincell demo", Role.ENGINEER)
    assert users.is_our_program("twincell demo", "made up")
    assert not users.is_our_program("twincell demo", "guessed")
    assert not users.is_our_program("twincell other", "made up")
    assert users.entries() == []
    assert not path.exists()


def test_a_guess_at_an_admitted_user_takes_as_long_as_any_other(users, monkeypatch):
    hashed = []
    monkeypatch.setattr(passwords, "matches", lambda *both: bool(hashed.append(both)))
    users.admit("twincell demo", "made up", Role.ENGINEER)
    assert users.by_password("twincell demo", "guessed") is None
    assert users.by_password("twincell demo", "\udcff") is None
    assert [one[0] for one in hashed] == [passwords.NOBODYS] * 2


def test_the_file_holds_no_password_and_belongs_to_its_owner_alone(users, path):
    before = os.umask(0)
    try:
        users.add("anna", Role.OPERATOR, PASSWORD, CERTIFICATE)
    finally:
        os.umask(before)
    text = path.read_text(encoding="utf-8")
    assert PASSWORD not in text
    assert hashlib.sha256(CERTIFICATE).hexdigest() in text
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_users_come_and_go_while_the_server_runs(users, path):
    elsewhere = Users(path)
    elsewhere.add("anna", Role.OPERATOR, PASSWORD)
    assert users.by_password("anna", PASSWORD)
    elsewhere.remove("anna")
    assert users.by_password("anna", PASSWORD) is None
    elsewhere.add("anna", Role.ENGINEER, PASSWORD)
    assert who(users.by_password("anna", PASSWORD)) == ("anna", Role.ENGINEER)
    path.unlink()
    assert users.by_password("anna", PASSWORD) is None


def test_names_of_all_languages_survive_the_file(users, path):
    names = ["Ærøskøbing", "O'Brien", 'a "quoted" \\ name', "李雷", "x" * 64]
    for name in names:
        users.add(name, Role.OBSERVER, certificate=name.encode())
    assert sorted(entry.name for entry in Users(path).entries()) == sorted(names)


@pytest.mark.parametrize(
    "name",
    ["", " ", "anna ", "x" * 65, "an\nna", "an\x00na", "an\x7fna", "an\u200bna", "\ud800"],
)
def test_what_is_no_name_is_refused(users, path, name):
    with pytest.raises(UserProblem, match="is no name"):
        users.add(name, Role.OBSERVER, PASSWORD)
    assert not path.exists()


@pytest.mark.parametrize("name", ["twincell demo", "Twincell Demo"])
def test_names_of_the_server_are_refused(users, name):
    with pytest.raises(UserProblem, match="the server's own"):
        users.add(name, Role.ENGINEER, PASSWORD)


@pytest.mark.parametrize(
    ("password", "words"),
    [("seven77", "too short"), ("", "too short"), ("ü" * 129, "too long"), ("x" * 257, "too long")],
)
def test_what_is_no_good_password_is_refused(users, password, words):
    with pytest.raises(UserProblem, match=words):
        users.add("anna", Role.OBSERVER, password)


def test_a_user_needs_something_to_log_in_with(users):
    with pytest.raises(UserProblem, match="neither password nor certificate"):
        users.add("anna", Role.OBSERVER)


def test_a_name_and_a_certificate_belong_to_one_user(users, path):
    users.add("anna", Role.OBSERVER, certificate=CERTIFICATE)
    with pytest.raises(UserProblem, match="anna: is a user already") as told:
        users.add("anna", Role.ENGINEER, PASSWORD)
    assert told.value.hint == f"remove it first: twincell user remove anna --security {path.parent}"
    with pytest.raises(UserProblem, match="bert: the certificate is anna's"):
        users.add("bert", Role.ENGINEER, certificate=CERTIFICATE)


def test_only_a_user_can_be_removed(users):
    with pytest.raises(UserProblem, match="anna: is no user"):
        users.remove("anna")


USER = '\n[[user]]\nname = "anna"\nrole = "operator"\n'
DAMAGED = [
    ('[[user]]\nname = "anna\n', r"users\.toml:2: Illegal character"),
    ('[user]\nname = "anna"\n', r"users\.toml:1: there is something else than \[\[user\]\]"),
    ("limit = 1\n", r"users\.toml:1: there is something else"),
    ("user = [1]\n", r"users\.toml:1: a user has texts only"),
    ("[[user]]\nname = 1\n", r"users\.toml:1: a user has texts only"),
    (USER + '[[user]]\nname = "bert"\nrole = "boss"\n', r"users\.toml:5: bert: 'boss' is no role"),
    (USER + '[[user]]\nrole = "operator"\n', r"users\.toml:5: '': is no name"),
    (USER + USER, r"users\.toml:6: anna: is there twice"),
    (USER + 'passwort = "x"\n', r"users\.toml:2: passwort: is no such key"),
    (USER + 'password = "secret"\n', r"users\.toml:2: anna: its password is no Argon2id hash"),
    (USER + 'certificate = "12:34"\n', r"users\.toml:2: anna: its certificate is no SHA-256"),
    (USER.replace("anna", "twincell demo"), r"users\.toml:2: twincell demo: names that begin so"),
]


@pytest.mark.parametrize(("text", "words"), DAMAGED)
def test_a_damaged_file_is_an_error_at_first(path, text, words):
    change(path, text)
    with pytest.raises(UserProblem, match=words) as told:
        Users(path)
    assert told.value.hint


@pytest.mark.parametrize("line", ['password = "secret"', 'certificate = "12:34"'])
def test_a_damaged_user_is_told_with_a_hint_that_helps(path, line):
    change(path, f"{USER}{line}\n")
    with pytest.raises(UserProblem) as told:
        Users(path)
    assert told.value.hint == f"remove these lines from {path}, then add anna again"
    change(path, "")  # as the hint says
    Users(path).add("anna", Role.OPERATOR, PASSWORD)


def test_a_file_that_is_no_text_is_an_error_at_first(path):
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(UserProblem, match="is not UTF-8"):
        Users(path)


def test_a_folder_in_its_place_is_an_error_at_first(path):
    path.mkdir(parents=True)
    with pytest.raises(UserProblem, match="cannot be read: Is a directory"):
        Users(path)


def test_who_logged_in_is_known_until_that_proof_is_gone(users):
    users.add("anna", Role.OPERATOR, PASSWORD, CERTIFICATE)
    by_password = users.by_password("anna", PASSWORD)
    by_certificate = users.by_certificate(CERTIFICATE)
    assert users.now(by_password) == by_password != by_certificate == users.now(by_certificate)
    users.remove("anna")
    assert users.now(by_password) is users.now(by_certificate) is None
    users.add("anna", Role.OBSERVER, PASSWORD, CERTIFICATE)
    assert users.now(by_password) is None  # the same password has another hash
    assert who(users.now(by_certificate)) == ("anna", Role.OBSERVER)


def test_an_identity_does_not_show_what_it_was_proved_with(users):
    users.add("anna", Role.OPERATOR, PASSWORD)
    assert "argon2" not in repr(users.by_password("anna", PASSWORD))


def test_who_is_in_no_file_stays_who_he_is(users):
    users.admit("twincell demo", "made up", Role.ENGINEER)
    for one in (Identity("", Role.OBSERVER), users.by_password("twincell demo", "made up")):
        assert users.now(one) is one


def test_a_file_that_is_damaged_later_changes_nothing_and_is_told_once(users, path, caplog):
    users.add("anna", Role.OPERATOR, PASSWORD)
    assert users.by_password("anna", PASSWORD)
    change(path, '[[user]]\nname = "anna"\nrole = "boss"\n')
    for _ in range(3):
        assert who(users.by_password("anna", PASSWORD)) == ("anna", Role.OPERATOR)
    (line,) = caplog.messages
    assert "users.toml:1: anna: 'boss' is no role; the users from before stay" in line

    change(path, "")
    assert users.by_password("anna", PASSWORD) is None


def test_a_damaged_file_is_not_written_over(users, path):
    change(path, "damaged\n")
    for attempt in (
        lambda: users.add("anna", Role.OPERATOR, PASSWORD),
        lambda: users.remove("anna"),
    ):
        with pytest.raises(UserProblem, match=r"users\.toml:1: "):
            attempt()
    assert path.read_text(encoding="utf-8") == "damaged\n"


def test_a_file_that_others_can_read_is_warned_of(path, caplog):
    change(path, USER)
    Users(path)
    assert caplog.messages == []
    path.chmod(0o640)
    with caplog.at_level(logging.WARNING):
        Users(path)
    assert f"run: chmod 600 '{path}'" in caplog.messages[0]


def test_a_file_in_the_place_of_its_folder_is_told(path):
    path.parent.touch()
    with pytest.raises(UserProblem, match="cannot be read: Not a directory"):
        Users(path)


def add_some(path: Path, begin_at: float, names: list[str]) -> None:
    users = Users(path)
    time.sleep(max(0.0, begin_at - time.time()))
    for name in names:
        users.add(name, Role.OPERATOR, certificate=name.encode())


def test_users_that_are_added_at_once_are_all_there(path):
    shares = [[f"user{n}" for n in range(first, 40, 4)] for first in range(4)]
    context = multiprocessing.get_context("fork")
    begin_at = time.time() + 0.2
    adding = [context.Process(target=add_some, args=(path, begin_at, names)) for names in shares]
    for process in adding:
        process.start()
    for process in adding:
        process.join()
    assert {process.exitcode for process in adding} == {0}
    assert len(Users(path).entries()) == 40
    assert sorted(os.listdir(path.parent)) == [".users.toml.lock", "users.toml"]
