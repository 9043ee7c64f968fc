"""Each check of a certificate, what is logged, what its owner is told, and in which order."""

import warnings
from ipaddress import ip_address

import pytest
from asyncua import ua
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.server.security.made_certificates import (
    DAY,
    FOR_APPLICATIONS,
    NOW,
    URI,
    curve_key,
    make,
    make_authority,
    make_list,
    put_list,
    rsa_key,
    signed_with_sha1,
)
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.trust import CertificateRefused, Trust, check_host, check_uri

Codes = ua.StatusCodes
A_CA = x509.BasicConstraints(ca=True, path_length=0)
CONSTRAINED = x509.NameConstraints([x509.DNSName("plant.example")], None)


def refused(trust, *sent, **options):
    """How a certificate is refused; further ones are the authorities sent with it."""
    with pytest.raises(CertificateRefused) as caught:
        trust.check(b"".join(one.der for one in sent), now=NOW, **options)
    return caught.value


def statuses(trust, *sent, **options):
    refusal = refused(trust, *sent, **options)
    return refusal.status, refusal.told


def exactly(status):
    return status, status


def hidden(status):
    return status, Codes.BadSecurityChecksFailed


def test_a_trusted_certificate_passes(folder, trust):
    client = make()
    client.put(folder.trusted)
    trust.check(client.der, now=NOW)


def test_a_stranger_learns_only_that_the_checks_failed(trust):
    refusal = refused(trust, client := make())
    assert refusal.status == Codes.BadCertificateUntrusted
    assert refusal.told == Codes.BadSecurityChecksFailed
    assert f"PLC ({URI}): is not trusted here" in refusal.why
    assert f"twincell trust accept {client.thumbprint} --security" in refusal.why


def test_the_usual_folder_needs_no_option(folder, trust, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder.root.parent))
    usual = Trust(SecurityFolder(folder.root.parent / "twincell"))
    client = make()
    assert refused(usual, client).why.endswith(f"twincell trust accept {client.thumbprint}")


@pytest.mark.parametrize("sent", [b"", b"0", b"\x30\x82", b"\x30\x03\x02\x01\x05", b"x" * 500])
def test_bytes_that_are_no_certificate_are_invalid(trust, sent):
    with pytest.raises(CertificateRefused) as caught:
        trust.check(sent, now=NOW)
    assert caught.value.status == Codes.BadCertificateInvalid
    assert caught.value.told == Codes.BadSecurityChecksFailed


def test_something_after_the_certificate_is_invalid(folder, trust):
    client = make()
    client.put(folder.trusted)
    with pytest.raises(CertificateRefused, match="begin like a certificate"):
        trust.check(client.der + b"\0", now=NOW)


def test_a_very_long_chain_is_invalid(folder, trust):
    client = make()
    client.put(folder.trusted)
    assert statuses(trust, *[client] * 9) == hidden(Codes.BadCertificateInvalid)


@pytest.mark.parametrize("trusted", [True, False])
def test_a_forged_signature_is_invalid(folder, trust, trusted):
    forged = make(signed_with=rsa_key("Somebody else"))
    if trusted:
        forged.put(folder.trusted)
    assert statuses(trust, forged) == hidden(Codes.BadCertificateInvalid)


def test_a_critical_extension_that_we_do_not_know_is_invalid(folder, trust):
    client = make(more=[(CONSTRAINED, True)])
    client.put(folder.trusted)
    assert statuses(trust, client) == hidden(Codes.BadCertificateInvalid)


@pytest.mark.parametrize(
    ("weak", "why"),
    [
        (lambda: make(key=rsa_key("PLC", 1024)), "1024 bits"),
        (lambda: make(key=curve_key("PLC")), "not of the RSA kind"),
        (lambda: signed_with_sha1(make(), make()), "signed with sha1"),
    ],
    ids=["1024 bits", "curve", "SHA-1"],
)
def test_a_weak_certificate_is_refused_though_trusted(folder, trust, weak, why):
    client = weak()
    client.put(folder.trusted)
    refusal = refused(trust, client)
    assert (refusal.status, refusal.told) == hidden(Codes.BadCertificatePolicyCheckFailed)
    assert why in refusal.why


@pytest.mark.parametrize(
    ("dates", "why"),
    [
        ({"begins": NOW - 3 * DAY, "ends": NOW - DAY}, "expired on 2030-05-31"),
        ({"begins": NOW + DAY, "ends": NOW + 3 * DAY}, "only from 2030-06-02"),
    ],
    ids=["expired", "not yet"],
)
def test_a_certificate_out_of_its_time_is_told_so(folder, trust, dates, why):
    client = make(**dates)
    client.put(folder.trusted)
    refusal = refused(trust, client)
    assert (refusal.status, refusal.told) == exactly(Codes.BadCertificateTimeInvalid)
    assert why in refusal.why


@pytest.mark.parametrize("left_out", FOR_APPLICATIONS)
def test_each_use_of_an_application_is_asked_for(folder, trust, left_out):
    client = make(uses=[one for one in FOR_APPLICATIONS if one != left_out])
    client.put(folder.trusted)
    assert statuses(trust, client) == exactly(Codes.BadCertificateUseNotAllowed)


def test_a_certificate_without_uses_is_not_allowed(folder, trust):
    client = make(uses=None)
    client.put(folder.trusted)
    assert statuses(trust, client) == exactly(Codes.BadCertificateUseNotAllowed)


def test_a_certificate_for_servers_is_not_a_client_s(folder, trust):
    one = make(extended=[ExtendedKeyUsageOID.SERVER_AUTH])
    one.put(folder.trusted)
    trust.check(one.der, now=NOW, of_server=True)
    assert statuses(trust, one) == exactly(Codes.BadCertificateUseNotAllowed)


def test_a_certificate_for_clients_is_not_a_server_s(folder, trust):
    one = make(extended=[ExtendedKeyUsageOID.CLIENT_AUTH])
    one.put(folder.trusted)
    trust.check(one.der, now=NOW)
    assert statuses(trust, one, of_server=True) == exactly(Codes.BadCertificateUseNotAllowed)


@pytest.mark.parametrize("extended", [None, [ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE]])
def test_a_certificate_that_leaves_it_open_is_either(folder, trust, extended):
    one = make(extended=extended)
    one.put(folder.trusted)
    trust.check(one.der, now=NOW)
    trust.check(one.der, now=NOW, of_server=True)


def test_an_application_that_signed_itself_as_an_authority_passes(folder, trust):
    client = make(constraints=A_CA)  # as older stacks make them
    client.put(folder.trusted)
    trust.check(client.der, now=NOW)


def test_the_certificate_of_an_authority_is_no_application_s(folder, trust):
    authority = make_authority("Plant")
    authority.put(folder.trusted)
    assert statuses(trust, authority) == exactly(Codes.BadCertificateUseNotAllowed)


class TestOrder:
    """Of two faults, the one that Part 4 checks first is told."""

    def test_strength_before_trust(self, trust):
        weak = make(key=rsa_key("PLC", 1024))
        assert refused(trust, weak).status == Codes.BadCertificatePolicyCheckFailed

    def test_signature_before_strength(self, trust):
        forged = make(key=rsa_key("PLC", 1024), signed_with=rsa_key("Somebody else"))
        assert refused(trust, forged).status == Codes.BadCertificateInvalid

    def test_trust_before_time(self, trust):
        expired = make(begins=NOW - 3 * DAY, ends=NOW - DAY)
        assert refused(trust, expired).told == Codes.BadSecurityChecksFailed

    def test_time_before_use(self, folder, trust):
        client = make(begins=NOW - 3 * DAY, ends=NOW - DAY, uses=None)
        client.put(folder.trusted)
        assert refused(trust, client).status == Codes.BadCertificateTimeInvalid

    def test_use_before_revocation(self, folder, trust):
        authority = make_authority("Plant")
        authority.put(folder.trusted)
        client = make(by=authority, uses=None)
        put_list(folder.revoked, make_list(authority, client))
        assert refused(trust, client).status == Codes.BadCertificateUseNotAllowed


class TestLab:
    """A lab lets strangers in, but not everything."""

    @pytest.fixture
    def lab(self, folder):
        return Trust(folder, accepts_all=True)

    def test_strangers_come_in(self, lab):
        lab.check(make().der, now=NOW)

    def test_so_do_those_of_an_unknown_authority(self, lab):
        authority = make_authority("Plant")
        client = make(by=authority)
        lab.check(client.der, now=NOW)
        lab.check(client.der + authority.der, now=NOW)

    @pytest.mark.parametrize(
        ("bad", "status"),
        [
            (lambda: make(signed_with=rsa_key("Somebody else")), Codes.BadCertificateInvalid),
            (lambda: make(key=rsa_key("PLC", 1024)), Codes.BadCertificatePolicyCheckFailed),
            (lambda: make(begins=NOW - 3 * DAY, ends=NOW - DAY), Codes.BadCertificateTimeInvalid),
            (lambda: make(uses=None), Codes.BadCertificateUseNotAllowed),
        ],
        ids=["forged", "weak", "expired", "use"],
    )
    def test_bad_certificates_do_not(self, lab, bad, status):
        assert refused(lab, bad()).status == status

    def test_revoked_ones_do_not(self, folder, lab):
        authority = make_authority("Plant")
        authority.put(folder.issuers)
        client = make(by=authority)
        put_list(folder.revoked, make_list(authority, client))
        assert refused(lab, client).status == Codes.BadCertificateRevoked


def test_an_application_goes_by_the_name_in_its_certificate():
    check_uri(make().der, URI)


@pytest.mark.parametrize("uris", [(), ("urn:other",), ("urn:other", URI)])
def test_another_application_s_certificate_is_refused(uris):
    with pytest.raises(CertificateRefused) as caught:
        check_uri(make(uris=uris).der, URI)
    assert caught.value.status == caught.value.told == Codes.BadCertificateUriInvalid


@pytest.mark.parametrize("host", ["line1", "LINE1", "line1."])
def test_a_host_goes_by_a_name_in_its_certificate(host):
    check_host(make().der, host)


@pytest.mark.parametrize("host", ["::1", "[::1]", "0:0::1", "10.0.0.7"])
def test_a_host_goes_by_an_address_in_its_certificate(host):
    addresses = [x509.IPAddress(ip_address(one)) for one in ("::1", "10.0.0.7")]
    named = x509.SubjectAlternativeName(addresses)
    check_host(make(uris=(), hosts=(), more=[(named, False)]).der, host)


@pytest.mark.parametrize("host", ["line2", "", "10.0.0.8", "line1.evil.example"])
def test_another_host_s_certificate_is_refused(host):
    with pytest.raises(CertificateRefused) as caught:
        check_host(make().der, host)
    assert caught.value.status == caught.value.told == Codes.BadCertificateHostNameInvalid


def test_what_a_stranger_writes_into_a_name_cannot_fake_a_line_of_the_log(trust):
    why = refused(trust, make("PLC\n10:00 all is well\x1b[2J", key=rsa_key("PLC"))).why
    assert why.isprintable()


def test_an_odd_name_makes_no_noise(trust):
    with pytest.warns(UserWarning, match="length must be"):
        client = make("x" * 65, key=rsa_key("PLC"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert refused(trust, client).status == Codes.BadCertificateUntrusted


QUIETLY = settings(
    deadline=None,
    derandomize=True,
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def examine(trust, sent):
    """Only one kind of refusal may come out of a stranger's bytes."""
    for look in (
        lambda: trust.check(sent, now=NOW),
        lambda: check_uri(sent, URI),
        lambda: check_host(sent, "line1"),
    ):
        try:
            look()
        except CertificateRefused as refusal:
            assert refusal.why.isprintable()
    trust.reject(sent)


@QUIETLY
@given(sent=st.binary(max_size=200))
def test_no_bytes_break_the_checks(trust, sent):
    examine(trust, sent)


@pytest.fixture
def good(folder):
    """What a client of an authority sends that we trust."""
    authority = make_authority("Plant")
    authority.put(folder.trusted)
    put_list(folder.revoked, make_list(authority))
    return make(by=authority).der + authority.der


PLACE = st.floats(0, 1, exclude_max=True)  # from the first byte to the last


@QUIETLY
@given(changes=st.lists(st.tuples(PLACE, st.integers(0, 255)), max_size=8), end=PLACE)
def test_no_changed_certificate_breaks_the_checks(folder, trust, good, changes, end):
    sent = bytearray(good)
    for place, value in changes:
        sent[int(place * len(sent))] = value
    examine(trust, bytes(sent))
    examine(Trust(folder, accepts_all=True), bytes(sent))
    examine(trust, bytes(sent[: int(end * len(sent))]))
