"""Certificates that are trusted for who signed them, and those that were taken back."""

import pytest
from asyncua import ua
from cryptography import x509

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
from tests.server.security.trust_answers import passes, status

Codes = ua.StatusCodes


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
