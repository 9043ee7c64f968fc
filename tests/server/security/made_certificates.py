"""Certificates, authorities and revocation lists as tests need them, right or wrong.

Keys are made once per process, as that is slow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime(2030, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)
URI = "urn:line1:plc"

FOR_APPLICATIONS = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
)
FOR_AUTHORITIES = ("key_cert_sign", "crl_sign")
NO_AUTHORITY = x509.BasicConstraints(ca=False, path_length=None)

# how a certificate names what it is signed with: 1.2.840.113549.1.1.11, and .5
SHA256_WITH_RSA = bytes.fromhex("06092a864886f70d01010b")
SHA1_WITH_RSA = bytes.fromhex("06092a864886f70d010105")


@dataclass(frozen=True)
class Made:
    """A certificate with its key."""

    certificate: x509.Certificate
    key: Any

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(Encoding.PEM)

    @property
    def thumbprint(self) -> str:
        return self.certificate.fingerprint(hashes.SHA1()).hex().upper()

    def put(self, folder: Path, name: str = "") -> Path:
        """Write it into a folder as an administrator would."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (name or f"{self.thumbprint}.der")
        path.write_bytes(self.pem if path.suffix == ".pem" else self.der)
        return path


@cache
def rsa_key(who: str, bits: int = 2048) -> rsa.RSAPrivateKey:
    """The key of somebody, always the same one."""
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


@cache
def curve_key(who: str) -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def named(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name, _validate=False)])


def usage(*uses: str) -> x509.KeyUsage:
    names = (*FOR_APPLICATIONS, *FOR_AUTHORITIES, "key_agreement", "encipher_only", "decipher_only")
    return x509.KeyUsage(**{name: name in uses for name in names})


def make(
    name: str = "PLC",
    *,
    by: Made | None = None,
    key: Any = None,
    uris: Sequence[str] = (URI,),
    hosts: Sequence[str] = ("line1",),
    begins: datetime = NOW - DAY,
    ends: datetime = NOW + DAY,
    uses: Sequence[str] | None = FOR_APPLICATIONS,
    extended: Sequence[x509.ObjectIdentifier] | None = (
        ExtendedKeyUsageOID.CLIENT_AUTH,
        ExtendedKeyUsageOID.SERVER_AUTH,
    ),
    constraints: x509.BasicConstraints | None = NO_AUTHORITY,
    more: Sequence[tuple[x509.ExtensionType, bool]] = (),
    signed_with: Any = None,
) -> Made:
    """A client's certificate, signed by itself or by an authority."""
    key = key or rsa_key(name)
    builder = (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(by.certificate.subject if by else named(name))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
    )
    alternatives = [*map(x509.UniformResourceIdentifier, uris), *map(x509.DNSName, hosts)]
    extensions: list[tuple[x509.ExtensionType, bool]] = [*more]
    if alternatives:
        extensions.append((x509.SubjectAlternativeName(alternatives), False))
    if uses is not None:
        extensions.append((usage(*uses), True))
    if extended is not None:
        extensions.append((x509.ExtendedKeyUsage(extended), False))
    if constraints is not None:
        extensions.append((constraints, True))
    for extension, is_critical in extensions:
        builder = builder.add_extension(extension, is_critical)
    signer = signed_with or (by.key if by else key)
    return Made(builder.sign(signer, hashes.SHA256()), key)


def signed_with_sha1(made: Made, signer: Made) -> Made:
    """The same certificate as it was made twenty years ago: nobody lets us do so any more."""
    whole = made.der.replace(SHA256_WITH_RSA, SHA1_WITH_RSA)
    to_sign = made.certificate.tbs_certificate_bytes.replace(SHA256_WITH_RSA, SHA1_WITH_RSA)
    signature = signer.key.sign(to_sign, padding.PKCS1v15(), hashes.SHA1())
    der = whole[: -len(signature)] + signature
    return Made(x509.load_der_x509_certificate(der), made.key)


def make_authority(name: str, *, by: Made | None = None, **changed: Any) -> Made:
    """An authority's certificate."""
    usual: dict[str, Any] = {
        "uris": (),
        "hosts": (),
        "ends": NOW + 10 * DAY,
        "uses": FOR_AUTHORITIES,
        "extended": None,
        "constraints": x509.BasicConstraints(ca=True, path_length=None),
    }
    return make(name, by=by, **(usual | changed))


def make_list(
    authority: Made,
    *revoked: Made,
    begins: datetime = NOW - DAY,
    ends: datetime = NOW + DAY,
    signed_with: Any = None,
    more: Sequence[tuple[x509.ExtensionType, bool]] = (),
) -> x509.CertificateRevocationList:
    """What an authority has taken back."""
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(authority.certificate.subject)
        .last_update(begins)
        .next_update(ends)
    )
    for extension, is_critical in more:
        builder = builder.add_extension(extension, is_critical)
    for one in revoked:
        builder = builder.add_revoked_certificate(
            x509.RevokedCertificateBuilder()
            .serial_number(one.certificate.serial_number)
            .revocation_date(begins)
            .build()
        )
    return builder.sign(signed_with or authority.key, hashes.SHA256())


def put_list(folder: Path, made: x509.CertificateRevocationList, name: str = "list.crl") -> Path:
    """Write a revocation list into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(made.public_bytes(Encoding.PEM if path.suffix == ".pem" else Encoding.DER))
    return path
