"""Who a client of the bench is, where it has a name."""

import struct
from typing import Any

from asyncua import ua
from asyncua.crypto import uacrypto
from cryptography import x509

OAEP = "http://www.w3.org/2001/04/xmlenc#rsa-oaep"
User = tuple[str, str]  # name and password


def user_token(certificate: bytes, nonce: bytes, name: str, password: str) -> Any:
    """A user name token: the password and a nonce, encrypted for the server."""
    plain = password.encode() + nonce
    key = x509.load_der_x509_certificate(certificate).public_key()
    secret = uacrypto.encrypt_rsa_oaep(key, struct.pack("<I", len(plain)) + plain)
    return ua.UserNameIdentityToken("username", name, secret, OAEP)
