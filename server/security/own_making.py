"""A key and a self-signed certificate as OPC UA Part 6, 6.2.2 wants them."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

KEY_BITS = 2048  # chosen: every PLC takes it, and it is enough for all our security policies
VALID_FOR = timedelta(days=5 * 365)  # chosen: longer than a commissioning, shorter than a plant
EARLY = timedelta(days=1)  # chosen: a client whose clock is behind must not refuse it


def make_key() -> rsa.RSAPrivateKey:
    """A new private key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=KEY_BITS)


def make_certificate(
    key: rsa.RSAPrivateKey, application_uri: str, host_names: Iterable[str]
) -> x509.Certificate:
    """Our certificate for this key: for a server and a client, valid from now on."""
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, "twincell"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "twincell"),
        ]
    )
    public = key.public_key()
    identifier = x509.SubjectKeyIdentifier.from_public_key(public)
    authority = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier)
    alternatives = [x509.UniformResourceIdentifier(application_uri), *map(_host, host_names)]
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLY)
        .not_valid_after(now + VALID_FOR)
        .add_extension(identifier, critical=False)
        .add_extension(authority, critical=False)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(), critical=True)
        .add_extension(
            x509.ExtendedKeyUsage(
                [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
            ),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )


def _usage() -> x509.KeyUsage:
    """What an OPC UA application does with its key; the signature on itself is one of them."""
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=True,
        key_encipherment=True,
        data_encipherment=True,
        key_cert_sign=True,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _host(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
