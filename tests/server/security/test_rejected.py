"""Certificates that were refused, which wait for a decision: how many, and whose."""

import os
import time
from functools import cache

import pytest

from tests.server.security.made_certificates import (
    make,
    rsa_key,
)
from twincell.server.security.rejected import MOST_FILES, MOST_OF_AN_ADDRESS


class TestRejected:
    """What was refused waits for a decision."""

    def test_a_certificate_is_kept_under_a_name_that_tells_it(self, folder, trust):
        client = make("PLC of line 1", key=rsa_key("PLC"))
        trust.reject(client.der)
        name = f"PLC_of_line_1_{client.thumbprint[:16]}.der"
        assert [one.name for one in folder.rejected.iterdir()] == [name]
        assert (folder.rejected / name).read_bytes() == client.der
        assert folder.rejected.stat().st_mode & 0o777 == 0o700

    def test_of_a_chain_only_the_sender_is_kept(self, folder, trust, root):
        client = make(by=root)
        trust.reject(client.der + root.der)
        assert [one.read_bytes() for one in folder.rejected.iterdir()] == [client.der]

    @pytest.mark.parametrize(
        "name", ["../../evil", "/etc/passwd", "..", ".", "\0", "é" * 32, "-rf"]
    )
    def test_no_name_leads_out_of_the_folder(self, folder, trust, name):
        trust.reject(make(name, key=rsa_key("PLC")).der)
        (kept,) = folder.rejected.iterdir()
        assert kept.name[0].isalnum()
        assert [one.name for one in folder.root.parent.iterdir()] == ["security"]
        assert [one.name for one in folder.root.iterdir()] == ["pki"]

    def test_the_oldest_leave_when_it_is_full(self, folder, trust):
        folder.rejected.mkdir(parents=True)
        for age in range(MOST_FILES):
            old = folder.rejected / f"{age}.der"
            old.touch()
            os.utime(old, (1e9 - age, 1e9 - age))
        client = make()
        trust.reject(client.der)
        names = {one.name for one in folder.rejected.iterdir()}
        assert len(names) == MOST_FILES
        assert f"{MOST_FILES - 1}.der" not in names

    def test_who_tries_again_is_not_the_oldest_any_more(self, folder, trust):
        client = make()
        trust.reject(client.der)
        (kept,) = folder.rejected.iterdir()
        os.utime(kept, (1e9, 1e9))
        trust.reject(client.der)
        assert kept.stat().st_mtime > 1e9 + 1
        assert len(list(folder.rejected.iterdir())) == 1

    @pytest.mark.parametrize("sent", [b"", b"nonsense"])
    def test_what_nobody_could_accept_is_not_kept(self, folder, trust, sent):
        trust.reject(sent)
        assert not folder.rejected.exists()

    def test_a_huge_certificate_is_not_kept(self, folder, trust):
        trust.reject(make(hosts=[f"host{number}" for number in range(3000)]).der)
        assert not folder.rejected.exists()

    def test_a_folder_that_cannot_be_written_is_told_and_nothing_else(self, folder, trust, caplog):
        folder.root.parent.mkdir(exist_ok=True)
        folder.root.write_text("in the way")
        trust.reject(make().der)
        assert "PLC: was not kept" in caplog.text


FLOOD, PLC = "10.0.0.66", "10.0.0.7"


class TestFlood:
    """Strangers who make up certificates."""

    def test_an_address_has_a_few_the_latest_ones(self, folder, trust):
        sent = [stranger(n) for n in range(3 * MOST_OF_AN_ADDRESS)]
        for n, one in enumerate(sent):
            trust.reject(one.der, FLOOD)
            age(folder, one, 1_000.0 - n)
        assert waiting(folder) == {one.der for one in sent[-MOST_OF_AN_ADDRESS:]}

    def test_it_pushes_out_nobody_elses(self, folder, trust):
        plc, by_hand = stranger(0), stranger(1)
        trust.reject(plc.der, PLC)
        by_hand.put(folder.rejected, "by_hand.der")
        for one in (plc, by_hand):
            age(folder, one, 1e6)
        for n in range(2, 2 * MOST_OF_AN_ADDRESS):
            trust.reject(stranger(n).der, FLOOD)
        assert {plc.der, by_hand.der} <= waiting(folder)

    def test_not_even_where_the_folder_is_full(self, folder, trust):
        """What a server finds there when it starts has no address that it knows."""
        fill(folder, MOST_FILES - 2)
        plc = stranger(0)
        trust.reject(plc.der, PLC)
        age(folder, plc, 1e6)
        before = {one.name for one in folder.rejected.iterdir()}
        for n in range(1, 2 * MOST_OF_AN_ADDRESS):
            trust.reject(stranger(n).der, FLOOD)
        assert len(list(folder.rejected.iterdir())) == MOST_FILES
        assert before <= {one.name for one in folder.rejected.iterdir()}

    def test_of_many_addresses_the_one_with_most_gives_way(self, folder, trust):
        fill(folder, MOST_FILES - 4)
        trust.reject(stranger(0).der, PLC)
        crowd = MOST_FILES // 2 + 4
        for n in range(1, crowd):
            trust.reject(stranger(n).der, f"10.0.1.{n}")
        left = {one.name for one in folder.rejected.iterdir()}
        assert len(left) == MOST_FILES
        assert stranger(0).der in waiting(folder)
        assert len([name for name in left if name.startswith("old")]) == MOST_FILES - crowd

    def test_who_tries_again_from_elsewhere_takes_no_second_place(self, folder, trust):
        trust.reject(stranger(0).der, PLC)
        trust.reject(stranger(0).der, FLOOD)
        assert len(list(folder.rejected.iterdir())) == 1

    def test_a_place_that_was_decided_about_is_free(self, folder, trust):
        sent = [stranger(n) for n in range(MOST_OF_AN_ADDRESS)]
        for one in sent:
            trust.reject(one.der, FLOOD)
        trust.accept(sent[0].thumbprint)
        trust.reject(stranger(99).der, FLOOD)
        assert waiting(folder) == {stranger(99).der, *(one.der for one in sent[1:])}


@cache
def stranger(number):
    return make(f"Stranger {number}", key=rsa_key("PLC"))


def waiting(folder):
    return {one.read_bytes() for one in folder.rejected.iterdir()}


def age(folder, made, seconds):
    """Let a certificate lie there for so long already."""
    for one in folder.rejected.iterdir():
        if one.read_bytes() == made.der:
            then = time.time() - seconds
            os.utime(one, (then, then))


def fill(folder, count):
    """Put files there from a time before the server was started."""
    folder.rejected.mkdir(parents=True)
    for number in range(count):
        old = folder.rejected / f"old{number}.der"
        old.touch()
        os.utime(old, (1e9 + number, 1e9 + number))
