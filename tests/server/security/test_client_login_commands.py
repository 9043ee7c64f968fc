"""The commands of a client log in, or say why they cannot."""

import asyncio
from pathlib import Path

import pytest
from asyncua import ua

from tests.server.security.listening_server import HOSTS, PASSWORD, USER, listening
from twincell.server.cli import client as commands
from twincell.server.client.password import PASSWORD as PASSWORD_VARIABLE
from twincell.server.errors import Refusal
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_certificate import load_or_make

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_commands_log_in(security, own, capsys, monkeypatch):
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    async with listening(own) as there:
        for secure in (False, True):
            await asyncio.to_thread(
                commands.read, there.url, ["ns=1;s=Number"], USER, secure, security.root
            )
            assert "ns=1;s=Number  7" in capsys.readouterr().out
        assert there.users.told == [(USER, PASSWORD)] * 2


async def test_a_password_that_cannot_be_asked_for_is_told(monkeypatch):
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    with pytest.raises(Refusal, match=f"no terminal .*\n.*{PASSWORD_VARIABLE}"):
        commands.read("localhost", ["ns=1;s=Number"], USER)


async def test_a_password_is_asked_for_at_a_terminal(monkeypatch):
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("getpass.getpass", lambda _: PASSWORD)
    async with listening() as there:
        await asyncio.to_thread(commands.read, there.url, ["ns=1;s=Number"], USER)
        assert there.users.told == [(USER, PASSWORD)]


async def test_an_address_holds_no_password():
    with pytest.raises(Refusal, match=r"no user and no password in it\n.*--user") as told:
        commands.read(f"opc.tcp://{USER}:secret@localhost:4840", ["ns=1;s=Number"])
    assert "secret" not in str(told.value)


async def test_a_key_that_others_can_read_is_told(tmp_path: Path):
    folder = SecurityFolder(tmp_path / "security")
    own = load_or_make(folder, "urn:this:twincell", HOSTS)
    for file in folder.own.iterdir():
        file.chmod(0o644)
    async with listening(own) as there:
        with pytest.raises(Refusal, match=r"hint: .*chmod"):
            await asyncio.to_thread(
                commands.read, there.url, ["ns=1;s=Number"], "", True, folder.root
            )


async def test_a_command_that_the_user_may_not_write_is_told(monkeypatch):
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    async with listening() as there:
        number = there.server.get_node("ns=1;s=Number")
        await number.set_attr_bit(ua.AttributeIds.AccessLevel, ua.AccessLevel.CurrentWrite)
        wanted = (there.url, ["ns=1;s=Number=8"])
        with pytest.raises(Refusal, match=r"a client without a name may not write it\n.*--user"):
            await asyncio.to_thread(commands.write, *wanted)
        again = "twincell user remove anna, then twincell user add anna --role operator"
        with pytest.raises(Refusal, match=rf"anna may not write it\n.*{again}"):
            await asyncio.to_thread(commands.write, *wanted, USER)


async def test_a_write_that_the_server_denies_is_told():
    async with listening() as there:
        number = there.server.get_node("ns=1;s=Number")
        await number.set_attr_bit(ua.AttributeIds.UserAccessLevel, ua.AccessLevel.CurrentWrite)
        with pytest.raises(Refusal, match=r"refused 8: BadUserAccessDenied\n.*--user"):
            await asyncio.to_thread(commands.write, there.url, ["ns=1;s=Number=8"])


async def test_what_nobody_may_write_is_told_as_before():
    async with listening() as there:
        with pytest.raises(Refusal, match=r"cannot be written\n.*feedback is read"):
            await asyncio.to_thread(commands.write, there.url, ["ns=1;s=Number=8"])
