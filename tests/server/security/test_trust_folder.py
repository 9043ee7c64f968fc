"""The trust folder: files that come and go, and what is decided about them."""

import logging
import os
import time
from datetime import UTC, datetime

import pytest
from asyncua import ua

from tests.server.security.made_certificates import (
    DAY,
    make,
    rsa_key,
)
from tests.server.security.trust_answers import passes, status
from twincell.server.security.own_certificate import load_or_make
from twincell.server.security.trust_entries import CannotDecide

Codes = ua.StatusCodes


class TestFiles:
    """What lies in the folder counts as soon as it lies there."""

    def test_a_missing_folder_trusts_nobody(self, trust):
        assert status(trust, make()) == Codes.BadCertificateUntrusted

    @pytest.mark.parametrize("name", ["plc.der", "plc.cer", "plc.crt", "plc.pem", "PLC.DER"])
    def test_certificates_may_be_of_any_usual_kind(self, folder, trust, name):
        client = make()
        client.put(folder.trusted, name)
        assert passes(trust, client)

    def test_text_with_any_ending_is_read_as_text(self, folder, trust):
        client = make()
        folder.trusted.mkdir(parents=True)
        (folder.trusted / "plc.crt").write_bytes(client.pem)
        assert passes(trust, client)

    def test_a_file_may_hold_several(self, folder, trust):
        first, second = make("First"), make("Second")
        folder.trusted.mkdir(parents=True)
        (folder.trusted / "all.pem").write_bytes(first.pem + second.pem)
        assert passes(trust, first)
        assert passes(trust, second)

    def test_changes_count_at_once(self, folder, trust):
        client = make()
        assert status(trust, client) == Codes.BadCertificateUntrusted
        file = client.put(folder.trusted)
        assert passes(trust, client)
        file.unlink()
        assert status(trust, client) == Codes.BadCertificateUntrusted

    def test_a_file_that_only_changes_its_folder_counts_at_once(self, folder, trust):
        folder.issuers.mkdir(parents=True)
        client = make()
        file = client.put(folder.trusted)
        assert passes(trust, client)
        file.replace(folder.issuers / file.name)
        assert status(trust, client) == Codes.BadCertificateUntrusted

    def test_a_file_that_is_replaced_counts_at_once(self, folder, trust):
        first, second = make("First"), make("Second")
        first.put(folder.trusted, "plc.der")
        assert passes(trust, first)
        second.put(folder.trusted, "new.der").replace(folder.trusted / "plc.der")
        assert passes(trust, second)
        assert status(trust, first) == Codes.BadCertificateUntrusted

    def test_files_that_make_no_sense_are_named_once_and_left_out(self, folder, trust, caplog):
        client = make()
        client.put(folder.trusted)
        (folder.trusted / "broken.der").write_bytes(b"\x30\x82\x01")
        (folder.trusted / "broken.pem").write_text("-----BEGIN CERTIFICATE-----\n!\n")
        (folder.trusted / "notes.txt").write_text("call Anna")
        (folder.trusted / "a_folder.der").mkdir()
        os.mkfifo(folder.trusted / "pipe.der")  # reading it would wait for ever
        (folder.trusted / "nowhere.der").symlink_to("missing")
        folder.revoked.mkdir()
        (folder.revoked / "broken.crl").write_bytes(client.der)
        with caplog.at_level(logging.WARNING, "twincell.security"):
            assert passes(trust, client)
            make("Another").put(folder.trusted)  # so that all of them are read again
            assert passes(trust, client)
        told = sorted(record.getMessage().split(": ")[0] for record in caplog.records)
        assert [os.path.basename(path) for path in told] == [
            "broken.crl",
            "a_folder.der",
            "broken.der",
            "broken.pem",
            "notes.txt",
            "nowhere.der",
            "pipe.der",
        ]

    def test_a_file_in_place_of_a_folder_trusts_nobody(self, folder, trust, caplog):
        folder.pki.mkdir(parents=True)
        folder.trusted.write_text("")
        assert status(trust, make()) == Codes.BadCertificateUntrusted
        assert "Not a directory" in caplog.text

    def test_our_own_certificate_is_trusted(self, folder, trust):
        own = load_or_make(folder, "urn:us", ["localhost"])
        trust.check(own.der)
        trust.check(own.der, of_server=True)

    def test_looking_again_costs_well_below_a_millisecond(self, folder, trust, root):
        root.put(folder.trusted)
        for number in range(20):
            make(f"PLC {number}", key=rsa_key("PLC")).put(folder.trusted)
        client = make(by=root)
        passes(trust, client)
        times = []
        for _ in range(50):
            before = time.perf_counter()
            passes(trust, client)
            times.append(time.perf_counter() - before)
        assert min(times) < 1e-3  # about 0.4 ms; the least: others use this machine too


class TestDecisions:
    """Somebody accepts or rejects."""

    def test_an_accepted_certificate_passes_and_a_rejected_one_does_not(self, folder, trust):
        client = make()
        trust.reject(client.der)
        entry = trust.accept(client.thumbprint)
        assert (entry.state, entry.path.parent) == ("trusted", folder.trusted)
        assert passes(trust, client)
        assert not list(folder.rejected.iterdir())
        trust.reject_again(client.thumbprint)
        assert status(trust, client) == Codes.BadCertificateUntrusted
        assert not list(folder.trusted.iterdir())

    @pytest.mark.parametrize(
        "spelled", [str.lower, str.upper, lambda text: f"{text[:2]}:{text[2:]}"]
    )
    def test_six_digits_are_enough(self, trust, spelled):
        client = make()
        trust.reject(client.der)
        trust.accept(spelled(client.thumbprint[:6]))
        assert passes(trust, client)

    def test_accepting_twice_changes_nothing(self, trust):
        client = make()
        trust.reject(client.der)
        trust.accept(client.thumbprint)
        assert trust.accept(client.thumbprint).state == "trusted"
        assert passes(trust, client)

    def test_every_copy_of_a_rejected_one_goes(self, folder, trust):
        client = make()
        client.put(folder.trusted, "a.der")
        client.put(folder.trusted, "b.pem")
        trust.reject_again(client.thumbprint)
        assert status(trust, client) == Codes.BadCertificateUntrusted

    @pytest.mark.parametrize("wrong", ["", "12345", "12345x", "A" * 41, "../../", "*" * 6])
    def test_what_is_no_thumbprint_is_refused(self, trust, wrong):
        with pytest.raises(CannotDecide, match="is not the beginning of a thumbprint"):
            trust.accept(wrong)

    def test_an_unknown_one_is_refused(self, trust):
        with pytest.raises(CannotDecide, match="there is no such certificate"):
            trust.accept("ABCDEF")

    def test_one_that_may_mean_two_is_refused(self, trust, monkeypatch):
        monkeypatch.setattr("twincell.server.security.trust_entries.LEAST_DIGITS", 0)
        for name in ("First", "Second"):
            trust.reject(make(name).der)
        with pytest.raises(CannotDecide, match="more than one"):
            trust.accept("")
        assert {one.state for one in trust.entries()} == {"rejected"}

    def test_a_file_with_several_is_left_to_a_person(self, folder, trust):
        first, second = make("First"), make("Second")
        folder.trusted.mkdir(parents=True)
        (folder.trusted / "all.pem").write_bytes(first.pem + second.pem)
        with pytest.raises(CannotDecide, match="holds more than one"):
            trust.reject_again(first.thumbprint)
        assert passes(trust, first)

    def test_the_entries_tell_all_that_lies_there(self, folder, trust, root):
        root.put(folder.issuers)
        accepted, rejected = make("Accepted"), make("Rejected")
        accepted.put(folder.trusted)
        trust.reject(rejected.der)
        listed = [(one.state, one.certificate.name) for one in trust.entries()]
        assert listed == [("trusted", "Accepted"), ("issuer", "Root"), ("rejected", "Rejected")]


def test_without_a_date_it_is_today(folder, trust):
    now = datetime.now(UTC)
    client = make(begins=now - DAY, ends=now + DAY)
    client.put(folder.trusted)
    trust.check(client.der)
