"""A certificate as we use it: everything we ask of it, read once.

A certificate may come from a stranger, so reading it either gives all of these fields or raises
Unreadable; nothing that is read later can fail. Names are cut and freed of control characters
before anybody prints them.
"""

import hashlib
import warnings
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes

LONGEST_TEXT = 200  # characters of a stranger that we print; chosen
LONGEST_CHAIN = 8  # certificates in one message or file; chosen: plants use two or three

Extension = TypeVar("Extension", bound=x509.ExtensionType)


class Unreadable(Exception):
    """These bytes are no certificate; the text says why."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """What a certificate says, and its bytes."""

    der: bytes
    parsed: x509.Certificate
    thumbprint: str  # SHA-1 in hexadecimal digits, as OPC UA names certificates
    name: str  # common name, safe to print
    subject: x509.Name
    issuer: x509.Name
    key: CertificatePublicKeyTypes
    hash: hashes.HashAlgorithm | None  # what its signature was made with
    begins: datetime
    ends: datetime
    uris: tuple[str, ...]  # application URI; OPC UA wants exactly one
    hosts: tuple[str, ...]  # names and addresses
    constraints: x509.BasicConstraints | None
    usage: x509.KeyUsage | None
    extended_usage: x509.ExtendedKeyUsage | None
    critical: frozenset[x509.ObjectIdentifier]  # extensions that nobody may ignore

    @property
    def is_self_issued(self) -> bool:
        return self.subject == self.issuer

    @property
    def is_authority(self) -> bool:
        return self.constraints is not None and self.constraints.ca


def read(der: bytes) -> Certificate:
    """One certificate from its DER encoding."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a stranger must not write to our standard error
            return _read(der)
    except Exception as error:  # strangers' bytes: parsers know many ways to complain
        raise Unreadable(f"no X.509 certificate: {printable(str(error))}") from error


def read_chain(encoded: bytes) -> list[Certificate]:
    """The certificates of a chain, as they are sent: the sender's comes first."""
    certificates: list[Certificate] = []
    rest = memoryview(encoded)
    while rest:
        if len(certificates) == LONGEST_CHAIN:
            raise Unreadable(f"a chain of more than {LONGEST_CHAIN} certificates")
        length = _length(rest)
        certificates.append(read(bytes(rest[:length])))
        rest = rest[length:]
    if not certificates:
        raise Unreadable("no certificate at all")
    return certificates


def read_content(content: bytes) -> list[Certificate]:
    """The certificates of a file, PEM or DER."""
    if b"-----BEGIN" not in content:
        return read_chain(content)
    try:
        found = x509.load_pem_x509_certificates(content)
        encoded = [one.public_bytes(serialization.Encoding.DER) for one in found]
    except ValueError as error:
        raise Unreadable(f"no PEM certificate: {printable(str(error))}") from error
    return [read(der) for der in encoded]


def thumbprint_of(der: bytes) -> str:
    """OPC UA's name of a certificate."""
    return hashlib.sha1(der, usedforsecurity=False).hexdigest().upper()


def printable(text: str) -> str:
    """A stranger's text, on one line and not long."""
    return "".join(one if one.isprintable() else "?" for one in text[:LONGEST_TEXT])


def _read(der: bytes) -> Certificate:
    made = x509.load_der_x509_certificate(der)
    if made.version is not x509.Version.v3:
        raise ValueError("not version 3")
    alternatives = _extension(made, x509.SubjectAlternativeName)
    uris: list[str] = []
    hosts: list[str] = []
    if alternatives is not None:
        uris = alternatives.get_values_for_type(x509.UniformResourceIdentifier)
        addresses = alternatives.get_values_for_type(x509.IPAddress)
        hosts = [*alternatives.get_values_for_type(x509.DNSName), *map(str, addresses)]
    return Certificate(
        der=der,
        parsed=made,
        thumbprint=thumbprint_of(der),
        name=_name(made.subject),
        subject=made.subject,
        issuer=made.issuer,
        key=made.public_key(),
        hash=made.signature_hash_algorithm,
        begins=made.not_valid_before_utc,
        ends=made.not_valid_after_utc,
        uris=tuple(uris),
        hosts=tuple(hosts),
        constraints=_extension(made, x509.BasicConstraints),
        usage=_extension(made, x509.KeyUsage),
        extended_usage=_extension(made, x509.ExtendedKeyUsage),
        critical=frozenset(one.oid for one in made.extensions if one.critical),
    )


def _extension(made: x509.Certificate, kind: type[Extension]) -> Extension | None:
    try:
        return made.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def _name(subject: x509.Name) -> str:
    """The common name, or all of the subject if it has none."""
    common = subject.get_attributes_for_oid(x509.NameOID.COMMON_NAME)
    named = common[0].value if common else subject.rfc4514_string()
    text = named.decode("utf-8", "replace") if isinstance(named, bytes) else named
    return printable(text) or "(no name)"


def _length(encoded: memoryview) -> int:
    """How many bytes the first certificate takes: a DER sequence begins with its length."""
    if len(encoded) < 2 or encoded[0] != 0x30:
        raise Unreadable("does not begin like a certificate")
    if encoded[1] < 0x80:
        return 2 + encoded[1]
    n_digit = encoded[1] - 0x80
    length = 2 + n_digit + int.from_bytes(encoded[2 : 2 + n_digit], "big")
    if n_digit > 4 or length > len(encoded):
        raise Unreadable("ends before its end")
    return length
