"""Whether an authority has taken a certificate back.

A list counts when the authority itself signed it. Any list revokes, even one that is out of
date; but to know that a certificate is not revoked takes a list that is in force.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from asyncua import ua
from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm

from twincell.server.security.certificate import Certificate
from twincell.server.security.certificate_refused import refusal
from twincell.server.security.trust_store import Known

_Codes = ua.StatusCodes


def check_lists(chain: Sequence[Certificate], known: Known, now: datetime) -> None:
    """There must be a list in force of every authority."""
    for place, (one, issuer) in enumerate(pairwise(chain)):
        status = (
            _Codes.BadCertificateIssuerRevocationUnknown
            if place
            else _Codes.BadCertificateRevocationUnknown
        )
        lists = _lists_of(issuer, known)
        if not lists:
            problem = f"{one.name}: there is no revocation list of its authority {issuer.name}"
            raise refusal(status, f"{problem}: put one into pki/revoked")
        if not any(_in_force(listed, now) for listed in lists):
            problem = f"{one.name}: the revocation list of {issuer.name} is out of date"
            raise refusal(status, f"{problem}: put a new one into pki/revoked")


def check_not_revoked(chain: Sequence[Certificate], known: Known) -> None:
    """No authority may have taken back what it signed."""
    for place, (one, issuer) in enumerate(pairwise(chain)):
        serial = one.parsed.serial_number
        for listed in _lists_of(issuer, known):
            if listed.get_revoked_certificate_by_serial_number(serial) is not None:
                status = (
                    _Codes.BadCertificateIssuerRevoked if place else _Codes.BadCertificateRevoked
                )
                problem = f"{one.name}: was revoked by {issuer.name}: ask there for a new one"
                raise refusal(status, problem)


def _lists_of(issuer: Certificate, known: Known) -> list[x509.CertificateRevocationList]:
    """The lists that this authority signed; for one of our folder that is verified only once."""
    found = known.lists_of.get(issuer.der)
    if found is None:
        found = [one for one in known.lists if _signed(issuer, one)]
        if issuer in known.trusted or issuer in known.issuers:
            known.lists_of[issuer.der] = found
    return found


def _signed(issuer: Certificate, listed: x509.CertificateRevocationList) -> bool:
    try:
        # the types that cannot sign a list are refused by the method itself
        return listed.issuer == issuer.subject and listed.is_signature_valid(issuer.key)  # type: ignore[arg-type]
    except (TypeError, ValueError, UnsupportedAlgorithm):
        return False


def _in_force(listed: x509.CertificateRevocationList, now: datetime) -> bool:
    ends = listed.next_update_utc
    return listed.last_update_utc <= now and (ends is None or now <= ends)
