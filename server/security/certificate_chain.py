"""From a certificate to its authorities: who signed it, who signed that one, up to a root.

At each step the certificates of our own folder come before those that were sent along, and
trusted ones before others. Once a trusted authority is reached only our own folder counts:
what a stranger adds above it is of no interest.
"""

from collections.abc import Sequence
from datetime import datetime

from asyncua import ua
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from twincell.server.security.certificate import LONGEST_CHAIN, Certificate, printable
from twincell.server.security.certificate_refused import refusal
from twincell.server.security.trust_store import Known


def build_chain(sent: Sequence[Certificate], known: Known, now: datetime) -> list[Certificate]:
    """The certificate and its authorities, each of which signed the one before it.

    It may end before a root; whether that matters is the question of `check_complete`.
    """
    chain = [sent[0]]
    while not chain[-1].is_self_issued and len(chain) < LONGEST_CHAIN:
        may_be_sent = [] if known.trusts_one_of(chain[1:]) else sent[1:]
        candidates = _candidates(chain, [*known.trusted, *known.issuers, *may_be_sent], now)
        issuer = next((one for one in candidates if _signed(one, chain[-1])), None)
        if issuer is None and candidates:
            raise _forged(chain[-1])
        if issuer is None:
            break
        chain.append(issuer)
    if chain[-1].is_self_issued and not _signed(chain[-1], chain[-1]):
        raise _forged(chain[-1])
    return chain


def check_complete(chain: Sequence[Certificate], known: Known) -> None:
    """A chain must end at a root, or contain an authority that we trust."""
    if chain[-1].is_self_issued or known.trusts_one_of(chain[1:]):
        return
    authority = printable(chain[-1].issuer.rfc4514_string())
    problem = f"{chain[-1].name}: its authority is not known here ({authority})"
    remedy = "put the authority's certificate into pki/trusted or pki/issuers"
    also = "and its revocation list into pki/revoked"
    raise refusal(ua.StatusCodes.BadCertificateChainIncomplete, f"{problem}: {remedy}, {also}")


def _candidates(
    chain: Sequence[Certificate], pool: Sequence[Certificate], now: datetime
) -> list[Certificate]:
    """Who by name may have signed the last of a chain; those in force come first."""
    used = {one.der for one in chain}
    named = [one for one in pool if one.subject == chain[-1].issuer and one.der not in used]
    return sorted(named, key=lambda one: not one.begins <= now <= one.ends)


def _signed(issuer: Certificate, certificate: Certificate) -> bool:
    one = certificate.parsed
    try:
        if isinstance(certificate.hash, hashes.SHA1) and isinstance(issuer.key, RSAPublicKey):
            # the library refuses to look at these; that they are weak is for another check to say
            issuer.key.verify(one.signature, one.tbs_certificate_bytes, PKCS1v15(), hashes.SHA1())
        else:
            one.verify_directly_issued_by(issuer.parsed)
    except (InvalidSignature, UnsupportedAlgorithm, TypeError, ValueError):
        return False
    return True


def _forged(certificate: Certificate) -> Exception:
    problem = f"{certificate.name}: its signature is wrong: somebody changed it or made it up"
    return refusal(ua.StatusCodes.BadCertificateInvalid, problem)
