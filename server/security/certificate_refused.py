"""Why a certificate is refused: the exact status for the log, and what its owner is told.

OPC UA Part 4, 6.1.3: who may be a stranger learns only that the security checks failed; from
the validity period on the certificate is a trusted one, and its owner is told what to mend.
"""

from asyncua import ua

_Codes = ua.StatusCodes
TOLD_EXACTLY = frozenset(
    {
        _Codes.BadCertificateTimeInvalid,
        _Codes.BadCertificateIssuerTimeInvalid,
        _Codes.BadCertificateHostNameInvalid,
        _Codes.BadCertificateUriInvalid,
        _Codes.BadCertificateUseNotAllowed,
        _Codes.BadCertificateIssuerUseNotAllowed,
        _Codes.BadCertificateRevocationUnknown,
        _Codes.BadCertificateIssuerRevocationUnknown,
        _Codes.BadCertificateRevoked,
        _Codes.BadCertificateIssuerRevoked,
    }
)


class CertificateRefused(Exception):
    """A certificate that is not accepted; the text says why and what to do."""

    def __init__(self, status: int, told: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.told = told
        self.why = why


def refusal(status: int, why: str) -> CertificateRefused:
    """A refusal whose owner is told as much as Part 4 allows."""
    told = status if status in TOLD_EXACTLY else _Codes.BadSecurityChecksFailed
    return CertificateRefused(status, told, why)
