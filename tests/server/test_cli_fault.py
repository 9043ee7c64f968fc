"""twincell fault, with a cell that runs: what it does, lists and explains."""

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from tests.server.running_cell import RunningCell, running, wait_until
from tests.sim.devices.stand_cell import STAND
from twincell.server.cli import amounts, app
from twincell.server.cli.fault import bad, clear, delay, inject
from twincell.server.client.login import Login
from twincell.server.client.password import PASSWORD as PASSWORD_VARIABLE
from twincell.server.client.session import Session, connected, status_of
from twincell.server.errors import Refusal
from twincell.server.security.folder import VARIABLE, SecurityFolder
from twincell.server.security.roles import Role
from twincell.server.security.users import Users

USER, OPERATOR, PASSWORD = "anna", "otto", "correct horse"
LEVER = "Stand.Fault.Empty"


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCell]:
    """A stand with a tool, which anna may break."""
    folder = SecurityFolder(tmp_path_factory.mktemp("security"))
    users = Users(folder.users)
    users.add(USER, Role.ENGINEER, PASSWORD)
    users.add(OPERATOR, Role.OPERATOR, PASSWORD)
    file = tmp_path_factory.mktemp("cell") / "stand.toml"
    file.write_text(STAND, encoding="utf-8")
    with pytest.MonkeyPatch.context() as settings:
        settings.setenv(VARIABLE, str(folder.root))
        settings.setenv(PASSWORD_VARIABLE, PASSWORD)
        with running(file.parent, file, "--port=0", lab=False) as cell:
            yield cell


@pytest.fixture
def cell(started) -> RunningCell:
    fault_command(started, "clear", "--user", USER)
    return started


def fault_command(cell: RunningCell, *arguments: str) -> str:
    """What the command prints, run in this process: another one takes seconds to start."""
    ended = CliRunner().invoke(app, ["fault", cell.url, *arguments], catch_exceptions=False)
    assert (ended.exit_code, ended.stderr) == (0, "")
    return ended.stdout


@pytest.fixture
def breaks(cell):
    """Runs a subcommand as an engineer, and expects that it is done."""
    return lambda *arguments: fault_command(cell, *arguments, "--user", USER)


def listed(text: str) -> dict[str, str]:
    """Faults and what they are now; an empty text for levers that are at 0."""
    head, *lines = text.splitlines()
    now, what = head.index("now"), head.index("what it does")
    return {line[:now].strip(): line[now:what].strip() for line in lines}


def broken(text: str) -> dict[str, str]:
    """Of these, what is broken."""
    return {name: now for name, now in listed(text).items() if now}


def values_of(cell: RunningCell, *names: str) -> list[tuple[str, object]]:
    """Status and value of signals, as another client reads them."""

    async def read(session: Session) -> list[tuple[str, object]]:
        answers = await session.read([session.node_id(name) for name in names])
        return [(status_of(one).name, one.Value and one.Value.Value) for one in answers]

    async def ask() -> list[tuple[str, object]]:
        async with connected(cell.url, "looker", Login(USER, PASSWORD)) as session:
            return await read(session)

    return asyncio.run(ask())


def test_a_lever_is_injected_listed_and_cleared(cell, breaks):
    assert listed(breaks("list"))[LEVER] == ""
    assert breaks("inject", LEVER) == ""
    assert broken(breaks("list")) == {LEVER: "on"}
    assert values_of(cell, LEVER) == [("Good", True)]
    breaks("clear", LEVER)
    assert broken(breaks("list")) == {}
    breaks("inject", "Stand.Fault.OffsetX", "0.005")
    assert broken(breaks("list")) == {"Stand.Fault.OffsetX": "0.005 m"}
    breaks("inject", LEVER, "true")
    breaks("inject", LEVER, "0")
    assert values_of(cell, LEVER) == [("Good", False)]


def test_protocol_faults_are_injected_listed_and_cleared(cell, breaks):
    breaks("bad", "Tool.Force.*")
    breaks("delay", "50ms", "Tool.Pose.X", "--for", "10min")
    breaks("jitter", "0.1s", "--client", "PLC*")
    breaks("drop", "10%", "Tool.Velocity.*")
    assert broken(breaks("list")) == {
        "bad Tool.Force.*": "on",
        "delay Tool.Pose.X": "50 ms",
        "jitter session PLC*": "100 ms",
        "drop Tool.Velocity.*": "0.1",
    }
    (force,) = values_of(cell, "Tool.Force.Z")
    assert force[0] == "BadSensorFailure"
    breaks("clear", "bad Tool.Force.*")
    breaks("clear", "jitter session PLC* = 100 ms")  # as the server lists it
    assert set(broken(breaks("list"))) == {"delay Tool.Pose.X", "drop Tool.Velocity.*"}
    assert values_of(cell, "Tool.Force.Z")[0][0] == "Good"
    breaks("clear")
    assert broken(breaks("list")) == {}


def test_a_signal_is_forced_listed_and_released(cell, breaks):
    assert breaks("force", "Tool.Force.Z", "-12.5") == ""
    breaks("force", "Tool.Force.X", "0", "--for", "10min")
    assert broken(breaks("list")) == {
        "force Tool.Force.Z": "-12.5 N",
        "force Tool.Force.X": "0 N",
    }
    wait_until(
        lambda: (
            values_of(cell, "Tool.Force.Z", "Tool.Force.X")
            == [("GoodLocalOverride", -12.5), ("GoodLocalOverride", 0.0)]
        )
    )
    breaks("clear", "force Tool.Force.Z")
    assert set(broken(breaks("list"))) == {"force Tool.Force.X"}
    breaks("clear")
    assert broken(breaks("list")) == {}


@pytest.mark.parametrize(
    ("signal_", "value", "told"),
    [
        ("Tool.Force.W", "1", "no signal is called so"),
        ("Tool.Force", "[1, 2, 3]", "is a whole "),
        ("Tool.Partner", "Holder", "is a text"),
        ("Tool.Force.Z", "much", "is no Double"),
        ("Stand.Fault.Empty", "1", "cannot be forced to 1"),
    ],
)
def test_what_cannot_be_forced_is_explained(breaks, signal_, value, told):
    with pytest.raises(Refusal, match=told):
        breaks("force", signal_, value)


def test_an_equals_sign_in_a_name_of_a_client_belongs_to_the_name(breaks):
    breaks("delay", "50ms", "--client", "A = B")
    breaks("delay", "70ms", "--client", "A")
    assert broken(breaks("list")) == {"delay session A = B": "50 ms", "delay session A": "70 ms"}
    breaks("clear", "delay session A = B")
    assert set(broken(breaks("list"))) == {"delay session A"}
    breaks("delay", "50ms", "--client", "A = B")
    breaks("clear", "delay session A = B = 50 ms")
    breaks("clear", "delay session A = 70 ms")
    assert broken(breaks("list")) == {}


def test_everybody_may_see_what_is_broken(cell, twincell):
    ended = twincell("fault", cell.url, "bad", "Tool.*", "--user", USER)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert broken(twincell("fault", cell.url, "list").out) == {"bad Tool.*": "on"}


def test_a_fault_ends_by_itself(cell, breaks):
    breaks("bad", "Tool.*", "--for", "300ms")
    wait_until(lambda: values_of(cell, "Tool.Pose.X")[0][0] == "Good")


def test_whoever_broke_the_connection_of_all_clients_can_repair_it(cell, breaks):
    """Each command is a client of its own, which comes anew."""
    breaks("drop", "100%", "--client", "*")
    breaks("delay", "1min", "--client", "*")
    with pytest.raises((OSError, TimeoutError)):
        values_of(cell, "Tool.Pose.X")
    assert set(broken(breaks("list"))) == {"drop session *", "delay session *"}
    breaks("clear")
    ((status, x),) = values_of(cell, "Tool.Pose.X")
    assert status == "Good" and x == pytest.approx(0.0, abs=1e-9)  # what is caught decays for ever


def test_protocol_faults_end_with_the_server_and_levers_do_not(cell, breaks, twincell):
    breaks("bad", "Tool.*")
    breaks("inject", LEVER)
    server = cell.child("twincell opcua")
    os.kill(server, signal.SIGKILL)
    wait_until(lambda: cell.child("twincell opcua") != server)
    wait_until(lambda: twincell("fault", cell.url, "list").code == 0)
    assert broken(breaks("list")) == {LEVER: "on"}


# ---------------------------------------------------------------- refusals


def context(cell: RunningCell):
    """What the command hands to its subcommands."""

    class Context:
        obj = cell.url

    return Context()


@pytest.mark.parametrize(
    ("user", "hint"),
    [
        ("", "give --user NAME; .*--role engineer"),
        (OPERATOR, f"twincell user add {OPERATOR} --role engineer"),
    ],
)
def test_who_may_not_break_things_is_told_who_may(cell, user, hint):
    for call in (
        lambda: inject(context(cell), LEVER, "1", user),
        lambda: clear(context(cell), "", user),
        lambda: clear(context(cell), "bad Tool.*", user),
        lambda: bad(context(cell), "Tool.*", "", user),
    ):
        with pytest.raises(Refusal, match=f"may not inject or clear faults\n.*{hint}"):
            call()


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("Stand.Fault.Empti", "1", f"there is no such fault lever\n.*did you mean {LEVER}"),
        ("Jaw.Closed", "1", "there is no such fault lever\n.*list names them"),
        (LEVER, "2", "'2' is no Boolean\n.*true or false is wanted"),
        (LEVER, "maybe", "'maybe' is no Boolean"),
        ("Stand.Fault.OffsetX", "11", "OffsetX: cannot be 11\n.*docs/use/faults.md"),
        ("Stand.Fault.OffsetX", "near", "'near' is no Double"),
    ],
)
def test_a_lever_that_cannot_be_moved_so_is_told(cell, name, value, words):
    with pytest.raises(Refusal, match=words):
        inject(context(cell), name, value, USER)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("Tol.*", "Tol.*: no signal is called so\n.*twincell browse URL Tol"),
        ("Tool", r"Tool: no signal is called so\n.*Tool\.\*; a client is named by --client"),
        ("x" * 300, "cannot be: the target is BadOutOfRange\n.*docs/use/faults.md"),
    ],
)
def test_signals_that_are_not_there_are_told(cell, target, words):
    with pytest.raises(Refusal, match=words):
        bad(context(cell), target, "", USER)


def test_amounts_out_of_range_are_told(cell):
    with pytest.raises(Refusal, match=r"delay Tool\.\*: cannot be: the amount is BadOutOfRange"):
        delay(context(cell), "1min", "Tool.*", "", "", USER)
    with pytest.raises(Refusal, match=r"the duration is BadOutOfRange"):
        delay(context(cell), "1ms", "Tool.*", "", "25h", USER)


def test_a_fault_that_is_not_there_is_told_with_those_that_are(cell, breaks):
    breaks("bad", "Tool.*")
    with pytest.raises(Refusal, match=r"no such fault now\n.*there are: bad Tool\.\*"):
        clear(context(cell), "drop Tool.*", USER)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("delay", "50ms"), "whose fault is it to be?"),
        (("delay", "50ms", "Tool.*", "--client", "PLC"), "signals or a client, not both"),
        (("delay", "50", "Tool.*"), "delay 50: is no duration\n  hint: such as 250ms"),
        (("jitter", "0ms", "Tool.*"), "jitter 0ms: is no duration"),
        (("drop", "110%", "Tool.*"), "drop 110%: is no share\n  hint: such as 10%"),
        (("bad", "Tool.*", "--for", "ever"), "--for ever: is no duration"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anybody_is_asked(twincell, arguments, words):
    ended = twincell("fault", "opc.tcp://localhost:1", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert words in ended.err


def test_a_server_that_is_not_there_is_told(twincell):
    ended = twincell("fault", "opc.tcp://localhost:1", "list")
    assert (ended.code, ended.out) == (2, "")
    assert "nobody listens there" in ended.err


@pytest.mark.parametrize(
    ("text", "expected"), [("250ms", 250.0), ("2s", 2e3), ("1.5 s", 1.5e3), ("5min", 3e5)]
)
def test_durations_have_units(text, expected):
    assert amounts.milliseconds(text, "") == expected


@pytest.mark.parametrize("text", ["", "ms", "-1s", "1e3ms", "nan", "1S", "1s2s", "0s", "9" * 400])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(Refusal):
        amounts.milliseconds(text, "")


@pytest.mark.parametrize(("text", "expected"), [("10%", 0.1), ("0.25", 0.25), ("1", 1.0)])
def test_shares_are_numbers_or_percent(text, expected):
    assert amounts.share(text, "") == expected


@pytest.mark.parametrize("text", ["", "%", "0", "0%", "101%", "1.01", "-1", "nan", "x", "9" * 400])
def test_what_is_no_share_is_refused(text):
    with pytest.raises(Refusal):
        amounts.share(text, "")
