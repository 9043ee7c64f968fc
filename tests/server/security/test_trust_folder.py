"""The trust folder: authorities, revocation lists, files that come and go, and strangers' files."""

import logging
import os
import time
from datetime import UTC, datetime

import pytest
from asyncua import ua
from cryptography import x509

from server.security.folder import SecurityFolder
from server.security.own_certificate import load_or_make
from server.security.rejected import MOST_FILES
from server.security.trust import CertificateRefused, Trust
from server.security.trust_entries import CannotDecide
from tests.server.security.made_certificates import (
    DAY,
    FOR_APPLICATIONS,
    NOW,
    make,
    make_authority,
    make_list,
    put_list,
    rsa_key,
    signed_with_sha1,
)

Codes = ua.StatusCodes


@pytest.fixture
def folder(tmp_path):
    return SecurityFolder(tmp_path / "security")


@pytest.fixture
def trust(folder):
    return Trust(folder)


@pytest.fixture
def root(folder):
    """An authority with an empty list, which we do not trust yet."""
    made = make_authority("Root")
    put_list(folder.revoked, make_list(made), "root.crl")
    return made


@pytest.fixture
def middle(folder, root):
    """An authority below the root, with an empty list."""
    made = make_authority("Middle", by=root)
    put_list(folder.revoked, make_list(made), "middle.crl")
    return made


def passes(trust, *sent):
    trust.check(b"".join(one.der for one in sent), now=NOW)
    return True


def status(trust, *sent):
    with pytest.raises(CertificateRefused) as caught:
        passes(trust, *sent)
    return caught.value.status


class TestAuthorities:
    """A certificate is trusted for who signed it."""

    def test_who_is_signed_by_a_trusted_authority_passes(self, folder, trust, root):
        root.put(folder.trusted)
        assert passes(trust, make(by=root))

    def test_so_does_who_is_signed_by_one_below_it(self, folder, trust, root, middle):
        root.put(folder.trusted)
        middle.put(folder.issuers)
        assert passes(trust, make(by=middle))

    def test_the_one_between_may_be_sent_along(self, folder, trust, root, middle):
        root.put(folder.trusted)
        client = make(by=middle)
        assert status(trust, client) == Codes.BadCertificateChainIncomplete
        assert passes(trust, client, middle)
        assert passes(trust, client, root, middle)  # in whatever order

    def test_a_trusted_authority_needs_no_root(self, folder, trust, middle):
        middle.put(folder.trusted)
        assert passes(trust, make(by=middle))

    def test_what_is_sent_above_a_trusted_authority_does_not_matter(self, folder, trust, middle):
        middle.put(folder.trusted)
        unknown_root = make_authority("Root", key=rsa_key("Root"))
        assert passes(trust, make(by=middle), middle, unknown_root)

    def test_an_authority_that_may_stand_between_is_not_trusted_itself(self, folder, trust, root):
        root.put(folder.issuers)
        assert status(trust, make(by=root)) == Codes.BadCertificateUntrusted

    def test_an_authority_that_only_the_sender_knows_is_not_trusted(self, trust, root):
        assert status(trust, make(by=root), root) == Codes.BadCertificateUntrusted

    def test_a_single_certificate_of_such_an_authority_may_be_trusted(self, folder, trust, root):
        client = make(by=root)
        client.put(folder.trusted)
        assert status(trust, client) == Codes.BadCertificateChainIncomplete
        root.put(folder.issuers)
        assert passes(trust, client)

    def test_the_name_of_an_authority_does_not_help_without_its_key(self, folder, trust, root):
        root.put(folder.trusted)
        impostor = make_authority("Root", key=rsa_key("Impostor"))
        client = make(by=impostor)
        assert status(trust, client) == Codes.BadCertificateInvalid
        assert status(trust, client, impostor) == Codes.BadCertificateUntrusted

    def test_authorities_that_sign_each_other_in_a_ring_end(self, trust):
        first = make_authority("First", by=make_authority("Second"))
        second = make_authority("Second", by=first)
        assert status(trust, make(by=first), first, second) == Codes.BadCertificateChainIncomplete

    def test_a_renewed_authority_is_preferred_to_the_expired_one(self, folder, trust, root):
        expired = make_authority("Root", begins=NOW - 9 * DAY, ends=NOW - DAY)
        expired.put(folder.trusted, "a.der")
        assert status(trust, make(by=root)) == Codes.BadCertificateIssuerTimeInvalid
        root.put(folder.trusted, "b.der")
        assert passes(trust, make(by=root))

    def test_an_expired_authority_is_told(self, folder, trust):
        authority = make_authority("Old", begins=NOW - 9 * DAY, ends=NOW - DAY)
        authority.put(folder.trusted)
        assert status(trust, make(by=authority)) == Codes.BadCertificateIssuerTimeInvalid

    @pytest.mark.parametrize(
        "wrong",
        [
            {"constraints": None},
            {"constraints": x509.BasicConstraints(ca=False, path_length=None)},
            {"uses": FOR_APPLICATIONS},
        ],
        ids=["unsaid", "denied", "other uses"],
    )
    def test_an_application_is_no_authority(self, folder, trust, wrong):
        application = make_authority("Other PLC", **wrong)
        application.put(folder.trusted)
        assert status(trust, make(by=application)) == Codes.BadCertificateIssuerUseNotAllowed

    def test_an_authority_may_forbid_others_below_it(self, folder, trust):
        alone = x509.BasicConstraints(ca=True, path_length=0)
        root = make_authority("Root", constraints=alone)
        root.put(folder.trusted)
        put_list(folder.revoked, make_list(root))
        assert passes(trust, make(by=root))
        below = make_authority("Middle", by=root)
        client = make(by=below)
        assert status(trust, client, below) == Codes.BadCertificateIssuerUseNotAllowed

    def test_an_application_may_not_be_issued_as_an_authority(self, folder, trust, root):
        root.put(folder.trusted)
        client = make(by=root, constraints=x509.BasicConstraints(ca=True, path_length=0))
        assert status(trust, client) == Codes.BadCertificateUseNotAllowed

    def test_limits_that_we_do_not_check_make_an_authority_useless(self, folder, trust):
        limited = x509.NameConstraints([x509.DNSName("plant.example")], None)
        authority = make_authority("Limited", more=[(limited, True)])
        authority.put(folder.trusted)
        assert status(trust, make(by=authority)) == Codes.BadCertificateInvalid

    def test_a_weak_authority_is_refused(self, folder, trust):
        weak = make_authority("Weak", key=rsa_key("Weak", 1024))
        weak.put(folder.trusted)
        assert status(trust, make(by=weak)) == Codes.BadCertificatePolicyCheckFailed

    def test_an_old_hash_matters_between_but_not_at_the_root(self, folder, trust, root, middle):
        signed_with_sha1(root, root).put(folder.trusted)
        assert passes(trust, make(by=root))
        signed_with_sha1(middle, root).put(folder.issuers)
        assert status(trust, make(by=middle)) == Codes.BadCertificatePolicyCheckFailed


class TestRevocation:
    """An authority may take back what it signed."""

    def test_without_a_list_nobody_knows(self, folder, trust):
        authority = make_authority("Plant")
        authority.put(folder.trusted)
        assert status(trust, make(by=authority)) == Codes.BadCertificateRevocationUnknown

    @pytest.mark.parametrize("name", ["root.crl", "root.pem", "root.der"])
    def test_a_revoked_certificate_is_told_so(self, folder, trust, root, name):
        root.put(folder.trusted)
        client = make(by=root)
        assert passes(trust, client)
        put_list(folder.revoked, make_list(root, client), name)
        assert status(trust, client) == Codes.BadCertificateRevoked
        assert passes(trust, make(by=root))

    def test_a_revoked_authority_is_told_so(self, folder, trust, root, middle):
        root.put(folder.trusted)
        client = make(by=middle)
        assert passes(trust, client, middle)
        put_list(folder.revoked, make_list(root, middle), "root.crl")
        assert status(trust, client, middle) == Codes.BadCertificateIssuerRevoked

    def test_so_is_an_authority_without_a_list_above_it(self, folder, trust, root, middle):
        root.put(folder.trusted)
        (folder.revoked / "root.crl").unlink()
        unknown = Codes.BadCertificateIssuerRevocationUnknown
        assert status(trust, make(by=middle), middle) == unknown

    def test_a_list_that_somebody_else_signed_does_not_count(self, folder, trust, root):
        root.put(folder.trusted)
        client = make(by=root)
        forged = make_list(root, signed_with=rsa_key("Impostor"))
        put_list(folder.revoked, forged, "root.crl")
        assert status(trust, client) == Codes.BadCertificateRevocationUnknown

    @pytest.mark.parametrize(
        "dates",
        [
            {"begins": NOW - 3 * DAY, "ends": NOW - DAY},
            {"begins": NOW + DAY, "ends": NOW + 3 * DAY},
        ],
        ids=["out of date", "not yet"],
    )
    def test_a_list_that_is_not_in_force_does_not_clear_anybody(self, folder, trust, root, dates):
        root.put(folder.trusted)
        put_list(folder.revoked, make_list(root, **dates), "root.crl")
        assert status(trust, make(by=root)) == Codes.BadCertificateRevocationUnknown

    def test_but_an_old_list_beside_a_new_one_still_revokes(self, folder, trust, root):
        root.put(folder.trusted)
        client = make(by=root)
        old = make_list(root, client, begins=NOW - 3 * DAY, ends=NOW - DAY)
        put_list(folder.revoked, old, "old.crl")
        assert status(trust, client) == Codes.BadCertificateRevoked

    def test_a_list_of_changes_only_is_left_out(self, folder, trust, root, caplog):
        root.put(folder.trusted)
        changes = make_list(root, more=[(x509.DeltaCRLIndicator(1), True)])
        put_list(folder.revoked, changes, "root.crl")
        assert status(trust, make(by=root)) == Codes.BadCertificateRevocationUnknown
        assert "covers only a part" in caplog.text


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
        monkeypatch.setattr("server.security.trust_entries.LEAST_DIGITS", 0)
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
