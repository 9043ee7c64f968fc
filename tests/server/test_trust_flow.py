"""From a first start to a trusted client and back, with the commands that a person types."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.conftest import SMALL_CELL
from tests.server.running_cell import RunningCell, running, wait_until
from tests.server.twincell_command import Ended, command, environment
from twincell.server.security.folder import VARIABLE, SecurityFolder

PASSWORD = "a long password"
TICK, COMMAND = "Simulation.Tick", "Flange.Closed"
PATIENCE_S = 120.0


class Person:
    """Somebody at a machine with a security folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.security = SecurityFolder(folder / "security")
        self._folder = folder

    def types(self, *arguments: object, password: str = "", typed: str = "") -> Ended:
        """Run `twincell` with arguments."""
        secrets = {VARIABLE: str(self.security.root), "TWINCELL_PASSWORD": password}
        ended = subprocess.run(
            command(*arguments),
            cwd=self._folder,
            env=environment() | secrets,
            input=typed,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert "Traceback" not in ended.stderr
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def listed(self) -> list[list[str]]:
        """The words of each line of `twincell trust list`."""
        listed = self.types("trust", "list")
        assert listed.code == 0
        return [line.split() for line in listed.out.splitlines()[1:]]

    @property
    def rejected(self) -> list[Path]:
        folder = self.security.rejected
        return sorted(folder.iterdir()) if folder.exists() else []


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("machines")


@pytest.fixture(scope="module")
def here(folders: Path) -> Person:
    """Who runs the server."""
    (folders / "here").mkdir()
    person = Person(folders / "here")
    added = person.types(
        "user", "add", "anna", "--role", "operator", "--password-stdin", typed=f"{PASSWORD}\n"
    )
    assert (added.code, added.out) == (0, "anna may log in as operator, with a password\n")
    return person


@pytest.fixture(scope="module")
def there(folders: Path) -> Person:
    """Who wants to connect, as from another machine: with another certificate."""
    (folders / "there").mkdir()
    return Person(folders / "there")


@pytest.fixture(scope="module")
def served(folders: Path, here: Person) -> Iterator[RunningCell]:
    cell = folders / "small.toml"
    cell.write_text(SMALL_CELL, encoding="utf-8")
    security = ("--security", here.security.root)
    with running(folders, cell, "--port=0", "--no-demo", *security, lab=False) as running_cell:
        yield running_cell


def test_without_a_login_anybody_on_this_machine_reads_and_nobody_writes(served, here):
    assert here.types("read", served.url, TICK).code == 0
    refused = here.types("write", served.url, f"{COMMAND}=true")
    assert refused.code == 2
    assert "a client without a name may not write it" in refused.err
    assert "--user" in refused.err


def test_a_user_writes_with_the_right_password_and_not_with_a_wrong_one(served, here):
    write = ("write", served.url, f"{COMMAND}=true", "--user", "anna")
    assert here.types(*write, password=PASSWORD).code == 0
    refused = here.types(*write, password="a wrong password")
    assert refused.code == 2
    assert refused.err.startswith(f"{served.url}: does not let anna in\n  hint: a wrong password?")


def test_a_user_who_comes_while_the_server_runs_can_log_in_and_a_removed_one_cannot(served, here):
    login = ("read", served.url, TICK, "--user", "bert")
    assert here.types(*login, password=PASSWORD).code == 2
    added = here.types(
        "user", "add", "bert", "--role", "observer", "--password-stdin", typed=f"{PASSWORD}\n"
    )
    assert added.code == 0
    assert here.types(*login, password=PASSWORD).code == 0
    assert here.types("user", "remove", "bert").code == 0
    assert here.types(*login, password=PASSWORD).code == 2


def test_a_stranger_is_trusted_with_one_command_a_side_and_rejected_with_one(served, here, there):
    read = ("read", served.url, TICK, "--secure")

    # the client does not know the server, and is told what to type
    refused = there.types(*read)
    assert refused.code == 2
    assert "is not trusted here: to let it in, run: twincell trust accept " in refused.err
    assert here.rejected == []  # it went no further than that
    ((state, *_, thumbprint),) = there.listed()
    assert state == "rejected"
    assert there.types("trust", "accept", thumbprint[:8]).code == 0

    # the server does not know the client, and both are told what to type
    refused = there.types(*read)
    assert refused.code == 2
    assert refused.err.startswith(f"{served.url}: does not trust our certificate\n")
    ((state, *_, thumbprint),) = here.listed()
    assert state == "rejected"
    hint = f"twincell trust accept {thumbprint}"
    assert refused.err.endswith(f"  hint: on the server's machine: {hint}\n")
    wait_until(lambda: f"run: {hint} --security {here.security.root}" in served.notes)
    assert len(here.rejected) == 1

    # from now on it works, without a restart
    accepted = here.types("trust", "accept", thumbprint[:8])
    assert (accepted.code, accepted.out) == (0, f"trusted: twincell {thumbprint}\n")
    assert here.rejected == []
    assert there.types(*read).code == 0
    write = ("write", served.url, f"{COMMAND}=false", "--secure", "--user", "anna")
    assert there.types(*write, password=PASSWORD).code == 0

    # and the next time not any more
    assert here.types("trust", "reject", thumbprint[:8]).code == 0
    refused = there.types(*read)
    assert refused.code == 2
    assert "does not trust our certificate" in refused.err
    assert [line[0] for line in here.listed()] == ["rejected"]


def test_a_renewed_certificate_is_used_from_the_next_start_on_and_must_be_trusted_anew(
    folders, here, there
):
    cell, security = folders / "renewed.toml", SecurityFolder(folders / "renewed")
    cell.write_text(SMALL_CELL, encoding="utf-8")
    options = ("--port=0", "--no-demo", "--security", security.root)
    read = (TICK, "--secure")

    def thumbprint() -> str:
        shown = here.types("certificate", "show", "--security", security.root)
        (line,) = [line for line in shown.out.splitlines() if "SHA-1" in line]
        return line.split()[-1]

    with running(folders, cell, *options, lab=False) as served:
        first = thumbprint()
        there.types("read", served.url, *read)
        assert there.types("trust", "accept", first).code == 0
        assert "does not trust our certificate" in there.types("read", served.url, *read).err
        renewed = here.types("certificate", "renew", "--security", security.root)
        assert renewed.code == 0
        assert renewed.out.endswith(
            "restart the server, then let every client trust this new certificate\n"
        )
        second = thumbprint()
        assert second != first
        # until then the old one is in use
        assert "does not trust our certificate" in there.types("read", served.url, *read).err
    with running(folders, cell, *options, lab=False) as served:
        refused = there.types("read", served.url, *read)
        assert refused.code == 2
        assert f"trust accept {second}" in refused.err


def test_keys_and_users_belong_to_their_owner_alone(served, here):
    for path in (here.security.users, *here.security.own.rglob("*.pem")):
        assert path.stat().st_mode & 0o077 == 0, path
