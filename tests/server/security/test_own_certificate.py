"""Our own certificate: what is in it, how it is kept, and what is said when it is no good."""

import logging
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.server.security.made_certificates import curve_key, make, rsa_key
from tests.server.twincell_command import environment
from twincell.server.files.atomic import NotWritable
from twincell.server.security import own_certificate, private_file
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_certificate import UnusableCertificate, load, load_or_make, renew
from twincell.server.security.own_files import certificate_file, key_file
from twincell.server.security.own_names import default_application_uri, host_names

URI = "urn:here:twincell"
HOSTS = ["here", "10.0.0.7", "::1"]
DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def _quick_keys(monkeypatch):
    """A new key takes long to make: these tests take turns with two."""
    turns = 0

    def next_key():
        nonlocal turns
        turns += 1
        return rsa_key(f"own {turns % 2}")

    monkeypatch.setattr(own_certificate, "make_key", next_key)


@pytest.fixture
def folder(tmp_path):
    return SecurityFolder(tmp_path / "settings" / "twincell")


@pytest.fixture
def own(folder):
    return load_or_make(folder, URI, HOSTS)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def put_certificate(folder, **changed):
    """Replace the certificate, not the key, by one that is like it but for some things."""
    made = make("twincell", key=load(folder).key, uris=[URI], **changed)
    certificate_file(folder).write_bytes(made.der)


def put_key(folder, key, encryption=None):
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or NoEncryption())
    key_file(folder).write_bytes(content)


class TestMaking:
    """The certificate of a first start."""

    def test_it_says_what_opc_ua_wants(self, own):
        made = own.certificate
        assert made.version is x509.Version.v3
        assert made.issuer == made.subject
        assert made.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "twincell"
        assert isinstance(made.signature_hash_algorithm, hashes.SHA256)
        assert own.key.key_size >= 2048
        assert own.application_uri == URI
        assert own.facts.uris == (URI,)
        assert own.facts.hosts == tuple(HOSTS)
        assert made.not_valid_before_utc < datetime.now(UTC) < made.not_valid_after_utc - 365 * DAY
        made.verify_directly_issued_by(made)

    def test_it_is_made_for_both_ends_of_a_connection(self, own):
        given = own.certificate.extensions
        usage = given.get_extension_for_class(x509.KeyUsage).value
        assert usage.digital_signature and usage.content_commitment
        assert usage.key_encipherment and usage.data_encipherment and usage.key_cert_sign
        assert not usage.crl_sign and not usage.key_agreement
        extended = given.get_extension_for_class(x509.ExtendedKeyUsage).value
        assert {*extended} == {ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH}
        assert not given.get_extension_for_class(x509.BasicConstraints).value.ca
        identifier = given.get_extension_for_class(x509.SubjectKeyIdentifier).value
        authority = given.get_extension_for_class(x509.AuthorityKeyIdentifier).value
        assert authority.key_identifier == identifier.digest

    def test_the_next_start_finds_the_same(self, folder, own):
        again = load_or_make(folder, "urn:another", HOSTS)
        assert again.der == own.der
        assert again.application_uri == URI

    def test_a_start_that_was_cut_short_is_finished_by_the_next(self, folder, own):
        certificate_file(folder).unlink()
        again = load_or_make(folder, URI, HOSTS)
        assert again.key.private_numbers() == own.key.private_numbers()

    def test_two_starts_at_once_end_with_one_pair(self, folder):
        start = (
            "import sys; from pathlib import Path;"
            "from twincell.server.security.folder import SecurityFolder;"
            "from twincell.server.security.own_certificate import load_or_make;"
            "folder = SecurityFolder(Path(sys.argv[1])); sys.stdin.readline();"
            "print(load_or_make(folder, 'urn:here', ['here']).facts.thumbprint)"
        )
        starts = [
            subprocess.Popen(
                [sys.executable, "-c", start, str(folder.root)],
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(3)
        ]
        for one in starts:
            one.stdin.write("\n")
            one.stdin.flush()
        said = {one.communicate(timeout=60)[0].strip() for one in starts}
        assert said == {load(folder).facts.thumbprint}
        assert sorted(one.name for one in folder.own.iterdir()) == [
            "certificate.der",
            "private_key.pem",
        ]

    def test_this_machine_has_a_name_and_addresses(self):
        assert {"localhost", "127.0.0.1", "::1"} < set(host_names())
        assert default_application_uri() == f"urn:{host_names()[0]}:twincell"


class TestKeeping:
    """Nobody else may read the key."""

    def test_files_and_folders_are_closed_to_others(self, folder, own):
        assert mode(key_file(folder)) == mode(certificate_file(folder)) == 0o600
        assert mode(folder.own) == mode(folder.pki) == mode(folder.root) == 0o700

    def test_a_key_is_closed_before_its_first_byte(self, tmp_path, monkeypatch):
        opened = []
        open_file = os.open

        def note(path, flags, *permissions):
            opened.append((flags & os.O_EXCL, *permissions))
            return open_file(path, flags, *permissions)

        monkeypatch.setattr(private_file.os, "open", note)
        private_file.write(tmp_path / "key.pem", b"secret")
        assert (os.O_EXCL, 0o600) in opened

    @pytest.mark.parametrize("open_to", [0o604, 0o640, 0o660, 0o610])
    def test_a_key_that_is_open_to_others_is_refused(self, folder, own, open_to):
        key_file(folder).chmod(open_to)
        with pytest.raises(UnusableCertificate, match=f"hint: run: chmod 600 {key_file(folder)}"):
            load_or_make(folder, URI, HOSTS)

    def test_a_folder_that_cannot_be_made_is_told(self, folder):
        folder.root.parent.mkdir()
        folder.root.write_text("in the way")
        with pytest.raises(UnusableCertificate, match="cannot be used"):
            load_or_make(folder, URI, HOSTS)

    def test_a_file_that_cannot_be_written_is_told(self, folder, monkeypatch):
        def full(*_, **__):
            raise NotWritable("private_key.pem: could not be written: No space left on device")

        monkeypatch.setattr(private_file, "write", full)
        with pytest.raises(UnusableCertificate, match="No space left on device"):
            load_or_make(folder, URI, HOSTS)


class TestTrouble:
    """Each trouble is told with its file and its remedy."""

    def refused(self, folder, file, why):
        with pytest.raises(UnusableCertificate, match=why) as caught:
            load_or_make(folder, URI, HOSTS)
        first, hint = str(caught.value).splitlines()
        assert first.startswith(f"{file(folder)}: ")
        assert hint.startswith("  hint: ")
        assert f"twincell certificate renew --security {folder.root}" in hint

    @pytest.mark.parametrize("content", [b"", b"nonsense", b"-----BEGIN CERTIFICATE-----\n"])
    def test_a_damaged_certificate(self, folder, own, content):
        certificate_file(folder).write_bytes(content)
        self.refused(folder, certificate_file, "is damaged")

    @pytest.mark.parametrize("content", [b"", b"nonsense", b"-----BEGIN PRIVATE KEY-----\n"])
    def test_a_damaged_key(self, folder, own, content):
        key_file(folder).write_bytes(content)
        self.refused(folder, key_file, "is damaged")

    def test_a_missing_key(self, folder, own):
        key_file(folder).unlink()
        self.refused(folder, key_file, "there is a certificate, but not its key")

    def test_the_key_of_another_certificate(self, folder, own):
        put_key(folder, rsa_key("Somebody else"))
        self.refused(folder, key_file, "is not the key of certificate.der")

    def test_a_key_of_another_kind(self, folder, own):
        put_key(folder, curve_key("own"))
        self.refused(folder, key_file, "is not an RSA key")

    def test_a_key_with_a_password(self, folder, own):
        put_key(folder, own.key, BestAvailableEncryption(b"secret"))
        self.refused(folder, key_file, "is locked by a password")

    def test_a_certificate_without_a_name_of_the_application(self, folder, own):
        certificate_file(folder).write_bytes(make("twincell", key=own.key, uris=()).der)
        self.refused(folder, certificate_file, "names no application URI")

    def test_an_expired_certificate(self, folder, own):
        now = datetime.now(UTC)
        put_certificate(folder, begins=now - 9 * DAY, ends=now - DAY)
        self.refused(folder, certificate_file, "expired on")
        assert load(folder).application_uri == URI  # it can still be shown

    def test_a_certificate_of_the_future(self, folder, own):
        now = datetime.now(UTC)
        put_certificate(folder, begins=now + DAY, ends=now + 9 * DAY)
        self.refused(folder, certificate_file, "is valid only from")

    def test_a_certificate_that_expires_soon_is_warned_of(self, folder, own, caplog):
        now = datetime.now(UTC)
        put_certificate(folder, begins=now - DAY, ends=now + 29 * DAY)
        with caplog.at_level(logging.WARNING, "twincell.security"):
            load_or_make(folder, URI, ["line1"])
        assert "expires on" in caplog.text
        assert "twincell certificate renew" in caplog.text

    def test_a_host_that_it_does_not_name_is_warned_of(self, folder, own, caplog):
        load_or_make(folder, URI, [*HOSTS, "moved"])
        assert "does not name moved" in caplog.text
        renewing = "twincell certificate renew --host moved --security"
        assert caplog.messages[0].endswith(f"{renewing} {folder.root}")

    def test_a_good_one_is_not_warned_of(self, folder, own, caplog):
        load_or_make(folder, URI, HOSTS)
        assert not caplog.records


class TestRenewing:
    """A new pair, and the old one beside it."""

    def test_key_and_certificate_are_new(self, folder, own):
        new = renew(folder, URI, HOSTS)
        assert new.der != own.der
        assert new.key.private_numbers() != own.key.private_numbers()
        assert load_or_make(folder, URI, HOSTS).der == new.der

    def test_the_old_pair_is_kept_under_a_name_with_the_date(self, folder, own):
        old_key = key_file(folder).read_bytes()
        renew(folder, URI, HOSTS)
        mark = f"{datetime.now(UTC):%Y-%m-%d}_{own.facts.thumbprint[:8]}"
        assert (folder.own / f"certificate_{mark}.der").read_bytes() == own.der
        kept_key = folder.own / f"private_key_{mark}.pem"
        assert kept_key.read_bytes() == old_key
        assert mode(kept_key) == mode(key_file(folder)) == 0o600

    def test_every_renewal_keeps_its_own(self, folder, own):
        for _ in range(3):
            renew(folder, URI, HOSTS)
        assert len(list(folder.own.glob("certificate_*.der"))) == 3
        assert len(list(folder.own.glob("private_key_*.pem"))) == 3

    def test_a_damaged_pair_can_be_renewed(self, folder, own):
        certificate_file(folder).write_bytes(b"nonsense")
        key_file(folder).unlink()
        assert renew(folder, URI, HOSTS).application_uri == URI

    def test_so_can_one_that_is_not_there(self, folder):
        assert renew(folder, URI, HOSTS).application_uri == URI
