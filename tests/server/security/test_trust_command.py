"""twincell trust and twincell certificate, as somebody types them."""

from datetime import UTC, datetime

import pytest

from tests.server.security.made_certificates import DAY, URI, make
from twincell.server.security.own_certificate import load, load_or_make
from twincell.server.security.own_files import certificate_file, key_file
from twincell.server.security.trust import Trust


@pytest.fixture
def rejected(folder):
    """Somebody who tried to connect."""
    now = datetime.now(UTC)
    client = make(begins=now - DAY, ends=now + DAY)
    Trust(folder).reject(client.der)
    return client


def test_the_list_tells_who_is_trusted(twincell, folder, rejected):
    ended = twincell("trust", "list", "--security", folder.root)
    assert ended.code == 0
    heading, row = ended.out.splitlines()
    assert heading.split("  ")[0] == "state"
    ends = rejected.certificate.not_valid_after_utc
    assert row.split() == ["rejected", "PLC", URI, f"{ends:%Y-%m-%d}", rejected.thumbprint]


def test_the_list_of_an_empty_folder_is_empty(twincell, folder):
    ended = twincell("trust", "list", "--security", folder.root)
    assert (ended.code, len(ended.out.splitlines())) == (0, 1)
    assert ended.err == f"none yet in {folder.pki}\n"


@pytest.mark.parametrize("name", ["trusted", "issuers", "rejected"])
@pytest.mark.parametrize("command", [("list",), ("accept", "ABCDEF")])
def test_a_file_in_the_place_of_certificates_is_told(twincell, folder, name, command):
    folder.pki.mkdir(parents=True)
    (folder.pki / name).touch()
    ended = twincell("trust", *command, "--security", folder.root)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"{folder.pki / name}: is a file, not a folder\n  hint: ")


def test_the_usual_folder_is_that_of_the_variable(twincell, folder, rejected, monkeypatch):
    monkeypatch.setenv("TWINCELL_SECURITY", str(folder.root))
    assert rejected.thumbprint in twincell("trust", "list").out


def test_a_running_server_knows_of_a_decision_at_once(twincell, folder, rejected):
    trust = Trust(folder)
    ended = twincell("trust", "accept", rejected.thumbprint[:8], "--security", folder.root)
    assert (ended.code, ended.out) == (0, f"trusted: PLC {rejected.thumbprint}\n")
    trust.check(rejected.der)
    ended = twincell("trust", "reject", rejected.thumbprint[:8], "--security", folder.root)
    assert (ended.code, ended.out) == (0, f"rejected: PLC {rejected.thumbprint}\n")
    assert [one.state for one in trust.entries()] == ["rejected"]


@pytest.mark.parametrize(
    ("thumbprint", "problem"),
    [
        ("12", "12: is not the beginning of a thumbprint"),
        ("ABCDEF", "ABCDEF: there is no such certificate"),
    ],
)
def test_a_slip_is_told_with_a_hint(twincell, folder, thumbprint, problem):
    for decision in ("accept", "reject"):
        ended = twincell("trust", decision, thumbprint, "--security", folder.root)
        assert ended.code == 2
        assert ended.err.startswith(problem)
        assert "\n  hint: " in ended.err


def test_the_list_in_a_hint_is_that_of_the_folder(twincell, folder):
    told = twincell("trust", "accept", "ABCDEF", "--security", folder.root).err
    assert told.endswith(f"twincell trust list --security {folder.root}\n")


def test_our_certificate_is_shown_with_both_thumbprints(twincell, folder):
    own = load_or_make(folder, "urn:here", ["here", "10.0.0.7"])
    ended = twincell("certificate", "show", "--security", folder.root)
    assert ended.code == 0
    for shown in ("CN=twincell", "urn:here", "here, 10.0.0.7", own.facts.thumbprint):
        assert shown in ended.out
    assert "SHA-256" in ended.out
    assert f"{own.facts.ends:%Y-%m-%d}" in ended.out


def test_renewing_keeps_the_name_and_says_what_to_do(twincell, folder):
    old = load_or_make(folder, "urn:here", ["here"])
    ended = twincell("certificate", "renew", "--security", folder.root)
    assert ended.code == 0
    assert "let every client trust this new certificate" in ended.out
    new = load(folder)
    assert new.application_uri == "urn:here"
    assert new.facts.thumbprint != old.facts.thumbprint
    assert new.facts.thumbprint in ended.out


def test_renewing_adds_hosts_and_keeps_those_that_it_named(twincell, folder):
    load_or_make(folder, "urn:here", ["here", "10.0.0.7"])
    renew = ("certificate", "renew", "--security", folder.root)
    assert twincell(*renew, "--host", "plc-server", "--host", "127.0.0.2").code == 0
    assert {"here", "10.0.0.7", "plc-server", "127.0.0.2"} < set(load(folder).facts.hosts)
    assert twincell(*renew).code == 0
    assert {"here", "10.0.0.7", "plc-server", "127.0.0.2"} < set(load(folder).facts.hosts)


@pytest.mark.parametrize("host", ["", "two words", "münchen", "opc.tcp://here"])
def test_a_host_that_no_certificate_can_name_is_refused(twincell, folder, host):
    ended = twincell("certificate", "renew", f"--host={host}", "--security", folder.root)
    assert ended.code == 2
    assert ended.err.startswith(f"--host {host}: is neither a host name nor an address\n  hint: ")
    assert not folder.root.exists()


def test_a_file_in_the_place_of_our_certificate_folder_is_told(twincell, folder):
    folder.pki.mkdir(parents=True)
    folder.own.touch()
    ended = twincell("certificate", "show", "--security", folder.root)
    assert ended.code == 2
    assert ended.err.startswith(f"{folder.own}: is a file, not a folder\n  hint: ")


def test_without_a_certificate_there_is_nothing_to_show(twincell, folder):
    ended = twincell("certificate", "show", "--security", folder.root)
    assert ended.code == 2
    assert "there is no certificate yet\n  hint: " in ended.err
    assert ended.err.endswith(f"twincell certificate renew --security {folder.root}\n")
    assert not folder.root.exists()


def test_a_key_that_others_can_read_is_told(twincell, folder):
    load_or_make(folder, "urn:here", ["here"])
    key_file(folder).chmod(0o644)
    ended = twincell("certificate", "show", "--security", folder.root)
    assert ended.code == 2
    assert f"hint: run: chmod 600 {key_file(folder)}" in ended.err


def test_a_damaged_certificate_can_be_renewed(twincell, folder):
    load_or_make(folder, "urn:here", ["here"])
    certificate_file(folder).write_bytes(b"nonsense")
    ended = twincell("certificate", "show", "--security", folder.root)
    assert (ended.code, "is damaged" in ended.err) == (2, True)
    assert twincell("certificate", "renew", "--security", folder.root).code == 0
    assert load(folder).application_uri.startswith("urn:")
