"""What twincell run says about who may connect, and what it refuses to start with."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.server.opcua.made_security import made_security
from tests.server.running_cell import RunningCell, running, wait_until
from tests.server.twincell_command import Ended, run_in
from twincell.server.cli.serving import serving_of
from twincell.server.config import Serving
from twincell.server.opcua.limits import Limits
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_certificate import load_or_make
from twincell.server.security.own_files import certificate_file, key_file
from twincell.sim.spec import load_cell

TICK, COMMAND = "Simulation.Tick", "Flange.Closed"
RUN = ("--port=0", "--no-demo")

Command = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path) -> SecurityFolder:
    return SecurityFolder(tmp_path / "security")


@pytest.fixture
def start(tmp_path: Path, folder: SecurityFolder, small_cell: Path) -> Command:
    """`twincell run` with this security folder, which is expected to refuse."""

    def run(*options: object) -> Ended:
        ended = run_in(tmp_path, "run", small_cell, *RUN, "--security", folder.root, *options)
        assert (ended.code, ended.out) == (2, "")
        return ended

    return run


def with_server(cell: Path, *lines: str) -> Path:
    """A cell file with a table [server]."""
    table = "\n".join(["[server]", *lines])
    cell.write_text(f"{cell.read_text()}\n{table}\n", encoding="utf-8")
    return cell


def places_of(words: str, cell: Path) -> list[tuple[str, int]]:
    """The lines of a cell file that have these words: what they begin with, and their numbers."""
    lines = enumerate(cell.read_text(encoding="utf-8").splitlines(), 1)
    return [(line.partition(words)[0], number) for number, line in lines if words in line]


def head_of(cell: RunningCell) -> str:
    """What it prints when it is ready, after the first line."""
    assert cell.process.stdout
    lines = []
    while not lines or not lines[-1].startswith("to stop:"):
        lines.append(cell.process.stdout.readline())
        assert lines[-1], cell.notes
    return "".join(lines)


def status(folder: Path, *arguments: object) -> int:
    return run_in(folder, *arguments).code


# ---------------------------------------------------------------- what a person is told


def test_a_first_start_tells_who_may_what(tmp_path, folder, small_cell):
    security = ("--security", folder.root)
    with running(tmp_path, small_cell, *RUN, *security, lab=False) as cell:
        head = head_of(cell)
        adding = f"twincell user add NAME --security {folder.root}"
        assert f"users:      none yet: {adding}\n" in head
        assert "no login:   a client on this machine may read\n" in head
        assert "network:    other machines cannot connect; --listen with an address" in head
        assert "WARNING" not in head + cell.notes
        assert certificate_file(folder).exists()
        assert key_file(folder).stat().st_mode & 0o777 == 0o600


def test_lab_mode_warns_loudly_and_lets_anybody_write(tmp_path, folder, small_cell):
    with running(tmp_path, small_cell, *RUN, "--security", folder.root, lab=True) as cell:
        assert "WARNING:    lab mode: whoever reaches 127.0.0.1 may do everything\n" in head_of(
            cell
        )
        assert status(tmp_path, "write", cell.url, f"{COMMAND}=true") == 0


def test_a_cell_file_lets_anonymous_clients_write(tmp_path, folder, small_cell):
    with_server(small_cell, 'anonymous = "operator"')
    with running(tmp_path, small_cell, *RUN, "--security", folder.root, lab=False) as cell:
        assert "no login:   a client on this machine may read and write commands\n" in head_of(cell)
        assert status(tmp_path, "write", cell.url, f"{COMMAND}=true") == 0


def test_a_cell_file_lets_nobody_in_without_a_login_and_warns_of_a_network_in_plain(
    tmp_path, folder, small_cell
):
    with_server(small_cell, 'anonymous = "nobody"', "unencrypted_network = true")
    with running(tmp_path, small_cell, *RUN, "--security", folder.root, lab=False) as cell:
        head = head_of(cell)
        assert "no login:   a client on this machine may do nothing\n" in head
        assert "WARNING:    the cell file lets other machines connect without encryption" in head
        refused = run_in(tmp_path, "read", cell.url, TICK)
        assert refused.code == 2
        assert refused.err.startswith(f"{cell.url}: lets nobody in without a name\n")


def test_at_all_addresses_other_machines_are_told_of(tmp_path, folder, small_cell):
    options = (*RUN, "--security", folder.root, "--listen", "0.0.0.0")
    with running(tmp_path, small_cell, *options, lab=False) as cell:
        trusting = f"twincell trust list --security {folder.root}"
        assert f"other machines need a login and to be trusted: {trusting}\n" in head_of(cell)


def test_a_file_of_users_that_is_damaged_later_is_told_and_changes_nothing(
    tmp_path, folder, small_cell, monkeypatch
):
    security = ("--security", folder.root)
    with running(tmp_path, small_cell, *RUN, *security, lab=False) as cell:
        folder.users.write_text("[[user]]\nname = 5\n")
        folder.users.chmod(0o600)
        monkeypatch.setenv("TWINCELL_PASSWORD", "whatever it is")
        assert status(tmp_path, "read", cell.url, TICK, "--user", "anna") == 2
        wait_until(lambda: "the users from before stay" in cell.notes)
        assert status(tmp_path, "read", cell.url, TICK) == 0


@pytest.mark.parametrize(
    ("host", "where"),
    [("0.0.0.0", "any address of this machine"), ("192.0.2.7", "192.0.2.7")],
)
def test_lab_mode_says_in_plain_words_from_where_it_can_be_reached(host, where):
    serving = Serving(made_security(lab=True), Limits(), host, 4840, "", lab=True)
    assert list(serving.told()) == [
        f"WARNING:    lab mode: whoever reaches {where} may do everything"
    ]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0.0.0.0", "192.0.2.7"])
def test_a_network_is_told_of_where_there_is_one(host):
    serving = Serving(made_security(), Limits(), host, 4840, "", lab=False)
    (network,) = [line for line in serving.told() if line.startswith("network:")]
    assert ("cannot connect" in network) == (host in ("127.0.0.1", "localhost"))


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("address", ["", "::1", "192.0.2.1", "no.such.host.invalid", "é" * 100])
def test_an_address_that_is_not_ours_is_refused(start, address):
    told = start(f"--listen={address}").err
    assert told.startswith(f"--listen {address or repr('')}: is no IPv4 address of this machine\n")
    assert "  hint: 0.0.0.0 listens at all of them, 127.0.0.1 only for this machine" in told


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('anonymous = "admin"', "server.anonymous"),
        ("anonymous = true", "server.anonymous"),
        ('unencrypted_network = "perhaps"', "server.unencrypted_network"),
        ("unencripted_network = true", "did you mean"),
    ],
)
def test_a_cell_file_that_says_nonsense_about_clients_is_refused(start, small_cell, line, words):
    with_server(small_cell, line)
    told = start().err
    assert told.startswith(str(small_cell))
    assert words in told


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("sessions = 1", "limits.sessions: 1 is out of range\n  hint: it may be 4 to 1000\n"),
        ("sessions = 2.5", "server.limits.sessions: 2.5 is not a whole number"),
        (
            "session = 50",
            "limits.session: there is no such limit (50)\n  hint: did you mean session",
        ),
        (
            "chunk_bytes = 1048576\nmessage_bytes = 65536",
            "more than message_bytes, which is 65536\n"
            "  hint: docs/server/limits.md lists all limits\n",
        ),
    ],
)
def test_a_limit_that_cannot_be_is_refused_with_file_key_and_remedy(start, small_cell, line, words):
    with_server(small_cell, "[server.limits]", line)
    told = start().err
    (_, at), *_ = places_of("server.limits]", small_cell)
    assert told.startswith(f"{small_cell}:{at + 1}: server.limits.")
    assert words in told


def test_all_wrong_limits_are_told_at_once(start, small_cell):
    with_server(small_cell, "[server.limits]", "sessions = 1", "read_nodes = 0")
    told = start().err
    for key, line in places_of(" = ", small_cell)[-2:]:
        assert f"{small_cell}:{line}: server.limits.{key}: " in told
    assert told.count("  hint: it may be ") == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[user", "1: "),
        ('[[user]]\nname = "anna"\nrole = "boss"\n', "'boss' is no role"),
        ('[[user]]\nname = "anna"\nrole = "operator"\npassword = "plain"\n', "no Argon2id hash"),
        ('[[users]]\nname = "anna"\n', "something else than [[user]]"),
    ],
)
def test_a_damaged_file_of_users_is_refused_with_its_place(start, folder, text, words):
    folder.root.mkdir()
    folder.users.write_text(text)
    folder.users.chmod(0o600)
    told = start().err
    assert f"\n{folder.users}:" in told  # after the certificate, which was made
    assert words in told
    assert "  hint: " in told


def made(folder: SecurityFolder) -> SecurityFolder:
    load_or_make(folder, "urn:test", ["localhost"])
    return folder


def test_a_damaged_key_is_refused_with_its_remedy(start, folder):
    key_file(made(folder)).write_bytes(b"no key")
    told = start().err
    assert told.startswith(f"{key_file(folder)}: is damaged")
    assert "twincell certificate renew" in told


def test_a_key_that_others_can_read_is_refused_with_its_remedy(start, folder):
    key_file(made(folder)).chmod(0o644)
    told = start().err
    assert told.startswith(f"{key_file(folder)}: this private key is open to other users")
    assert f"chmod 600 {key_file(folder)}" in told


def test_a_missing_key_is_refused_with_its_remedy(start, folder):
    key_file(made(folder)).unlink()
    assert "there is a certificate, but not its key" in start().err


def test_a_damaged_certificate_is_refused_with_its_remedy(start, folder):
    certificate_file(made(folder)).write_bytes(b"no certificate")
    told = start().err
    assert told.startswith(f"{certificate_file(folder)}: is damaged")
    assert "twincell certificate renew" in told


def test_the_key_of_another_certificate_is_refused(start, folder, tmp_path):
    other = made(SecurityFolder(tmp_path / "other"))
    os.replace(key_file(other), key_file(made(folder)))
    assert "is not the key of" in start().err


def test_a_folder_that_is_a_file_is_refused(start, folder):
    folder.root.write_text("here is something else")
    assert start().err.startswith(f"{folder.root}: is a file, not a folder\n  hint: ")


# ---------------------------------------------------------------- the names of our certificate


def serve(cell: Path, folder: SecurityFolder, listen: str) -> list[str]:
    """Hosts that our certificate names, once a cell is to be served at an address."""
    return serving_of(load_cell(cell), folder, listen, 0, lab=False).security.own.facts.hosts


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What an operator must see; that a certificate was made is only told."""
    return [record.message for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_certificate_that_is_made_names_the_address_to_listen_at(folder, small_cell, caplog):
    assert "127.0.0.2" in serve(small_cell, folder, "127.0.0.2")
    assert not warnings(caplog)


def test_all_addresses_are_no_name(folder, small_cell):
    assert "0.0.0.0" not in serve(small_cell, folder, "0.0.0.0")


def test_an_address_that_comes_later_is_warned_of_with_a_remedy_that_helps(
    folder, small_cell, twincell, caplog
):
    serve(small_cell, folder, "127.0.0.1")
    assert "127.0.0.2" not in serve(small_cell, folder, "127.0.0.2")
    (told,) = warnings(caplog)
    assert "does not name 127.0.0.2" in told
    _, _, remedy = told.partition("run: twincell ")
    assert twincell(*remedy.split()).code == 0
    caplog.clear()
    assert "127.0.0.2" in serve(small_cell, folder, "127.0.0.2")
    assert not warnings(caplog)
