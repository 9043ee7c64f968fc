"""What a certificate must be by itself, whoever trusts it: OPC UA Part 4, 6.1.3, and Part 6, 6.2.2.

Each check raises CertificateRefused. Who calls them, and in which order, is in trust.py.
"""

import shlex
from collections.abc import Sequence
from datetime import datetime
from ipaddress import ip_address

from asyncua import ua
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID

from twincell.server.security.certificate import Certificate, Unreadable, printable, read_chain
from twincell.server.security.certificate_refused import refusal

_Codes = ua.StatusCodes

# what all our security policies ask of keys and signatures (OPC UA Part 7)
LEAST_KEY_BITS = 2048
MOST_KEY_BITS = 4096
STRONG_HASHES = (hashes.SHA256, hashes.SHA384, hashes.SHA512)

# extensions whose meaning is checked here; another one that is critical must not be ignored
UNDERSTOOD = {
    ExtensionOID.BASIC_CONSTRAINTS,
    ExtensionOID.KEY_USAGE,
    ExtensionOID.EXTENDED_KEY_USAGE,
    ExtensionOID.SUBJECT_ALTERNATIVE_NAME,
    ExtensionOID.SUBJECT_KEY_IDENTIFIER,
    ExtensionOID.AUTHORITY_KEY_IDENTIFIER,
}


def read_sent(encoded: bytes) -> list[Certificate]:
    """The certificate that somebody sent, followed by those of authorities if there are any."""
    try:
        return read_chain(encoded)
    except Unreadable as error:
        problem = f"the certificate cannot be read ({error}): give the client a new one"
        raise refusal(_Codes.BadCertificateInvalid, problem) from error


def check_structure(chain: Sequence[Certificate]) -> None:
    """Nothing in it may be beyond us and yet binding."""
    for one in chain:
        for unknown in one.critical - UNDERSTOOD:
            problem = f"{one.name}: has a critical extension {unknown.dotted_string}"
            remedy = "use a certificate without it"
            raise refusal(_Codes.BadCertificateInvalid, f"{problem}: {remedy}")


def check_strength(chain: Sequence[Certificate]) -> None:
    """Keys and signatures must be as strong as our security policies."""
    for place, one in enumerate(chain):
        # nobody relies on what a root says of itself: it is trusted for being in our folder
        weakness = _weak_key(one) or ("" if place and one.is_self_issued else _weak_hash(one))
        if weakness:
            remedy = f"make a new one with RSA of {LEAST_KEY_BITS} bits and SHA-256"
            problem = f"{one.name}: {weakness}: {remedy}"
            raise refusal(_Codes.BadCertificatePolicyCheckFailed, problem)


def check_validity(chain: Sequence[Certificate], now: datetime) -> None:
    """It must be in force, and so must the certificates of its authorities."""
    for place, one in enumerate(chain):
        status = (
            _Codes.BadCertificateIssuerTimeInvalid if place else _Codes.BadCertificateTimeInvalid
        )
        if now > one.ends:
            problem = f"{one.name}: expired on {one.ends:%Y-%m-%d}: renew this certificate"
            raise refusal(status, problem)
        if now < one.begins:
            problem = f"{one.name}: is valid only from {one.begins:%Y-%m-%d %H:%M} UTC on"
            raise refusal(status, f"{problem}: set the clocks of both machines")


def check_usage(chain: Sequence[Certificate], *, of_server: bool) -> None:
    """It must be made for what is done with it: an application's, and below it authorities'."""
    missing = _missing_uses(chain[0], of_server)
    if missing:
        problem = f"{chain[0].name}: is not made for {', '.join(missing)}"
        remedy = "make a new one for an OPC UA application"
        raise refusal(_Codes.BadCertificateUseNotAllowed, f"{problem}: {remedy}")
    for n_below, one in enumerate(chain[1:]):
        if not _may_issue(one, n_below):
            problem = f"{one.name}: is not made for issuing {chain[n_below].name}"
            remedy = "have the certificate issued by an authority that may"
            raise refusal(_Codes.BadCertificateIssuerUseNotAllowed, f"{problem}: {remedy}")


def check_uri(der: bytes, application_uri: str) -> None:
    """The application must be the one that the certificate was made for."""
    certificate = read_sent(der)[0]
    if certificate.uris[:1] != (application_uri,):
        named = printable(certificate.uris[0]) if certificate.uris else "no application"
        problem = f"{certificate.name}: is the certificate of {named}"
        remedy = f"use one of {printable(application_uri)}"
        raise refusal(_Codes.BadCertificateUriInvalid, f"{problem}: {remedy}")


def check_host(der: bytes, host: str) -> None:
    """The machine must be one that the certificate names; a name may have capitals."""
    certificate = read_sent(der)[0]
    wanted = _plain(host)
    if wanted not in map(_plain, certificate.hosts):
        named = printable(", ".join(certificate.hosts)) or "no host"
        problem = f"{certificate.name}: is the certificate of {named}, not of {printable(host)}"
        renewing = shlex.join(["twincell", "certificate", "renew", "--host", printable(host)])
        remedy = f"connect by one of its names, or on the server's machine: {renewing}"
        raise refusal(_Codes.BadCertificateHostNameInvalid, f"{problem}: {remedy}")


def _weak_key(certificate: Certificate) -> str:
    if not isinstance(certificate.key, RSAPublicKey):
        return "its key is not of the RSA kind"
    if not LEAST_KEY_BITS <= certificate.key.key_size <= MOST_KEY_BITS:
        return f"its key has {certificate.key.key_size} bits"
    return ""


def _weak_hash(certificate: Certificate) -> str:
    if isinstance(certificate.hash, STRONG_HASHES):
        return ""
    return f"it is signed with {certificate.hash.name if certificate.hash else 'no hash'}"


def _missing_uses(certificate: Certificate, of_server: bool) -> list[str]:
    usage = certificate.usage
    has = {
        "signing": usage is not None and usage.digital_signature,
        "proof (nonRepudiation)": usage is not None and usage.content_commitment,
        "encrypting keys": usage is not None and usage.key_encipherment,
        "encrypting data": usage is not None and usage.data_encipherment,
        "servers" if of_server else "clients": _serves(certificate.extended_usage, of_server),
        # Part 6 lets only a self-signed application say so, as older stacks do
        "applications (it is an authority's)": not certificate.is_authority
        or certificate.is_self_issued,
    }
    return [use for use, given in has.items() if not given]


def _serves(extended: x509.ExtendedKeyUsage | None, of_server: bool) -> bool:
    """Whether it may be a server's or client's; one that does not say so may be either."""
    wanted = ExtendedKeyUsageOID.SERVER_AUTH if of_server else ExtendedKeyUsageOID.CLIENT_AUTH
    any_of_them = ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE
    return extended is None or wanted in extended or any_of_them in extended


def _may_issue(authority: Certificate, n_below: int) -> bool:
    """Whether it may sign certificates, with this many authorities between it and the last."""
    if authority.constraints is None or not authority.constraints.ca:
        return False
    if authority.usage is not None and not authority.usage.key_cert_sign:
        return False
    most = authority.constraints.path_length
    return most is None or n_below <= most


def _plain(host: str) -> str:
    """One spelling for one host: addresses in their short form, names without capitals."""
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        return host.lower().rstrip(".")
