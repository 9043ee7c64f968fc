"""What the trust folder says about certificates on a made up day."""

import pytest

from tests.server.security.made_certificates import NOW, Made
from twincell.server.security.trust import CertificateRefused, Trust


def passes(trust: Trust, *sent: Made) -> bool:
    """Whether a certificate passes; further ones are the authorities sent with it."""
    trust.check(b"".join(one.der for one in sent), now=NOW)
    return True


def status(trust: Trust, *sent: Made) -> int:
    """How it is refused."""
    with pytest.raises(CertificateRefused) as caught:
        passes(trust, *sent)
    return int(caught.value.status)
