"""Whom we let in: the checks of a certificate, in the order of OPC UA Part 4, 6.1.3."""

from datetime import UTC, datetime

from asyncua import ua

from twincell.server.security import certificate_checks as checks
from twincell.server.security import trust_entries
from twincell.server.security.certificate import Certificate, printable
from twincell.server.security.certificate_chain import build_chain, check_complete
from twincell.server.security.certificate_refused import CertificateRefused, refusal
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.rejected import Rejected
from twincell.server.security.revocation import check_lists, check_not_revoked
from twincell.server.security.trust_entries import Entry
from twincell.server.security.trust_store import Known, TrustStore

__all__ = ["CertificateRefused", "Entry", "Trust", "check_host", "check_uri"]

check_uri = checks.check_uri
check_host = checks.check_host


class Trust:
    """The trust folder, and what follows from it for a certificate."""

    def __init__(self, folder: SecurityFolder, *, accepts_all: bool = False) -> None:
        self.folder = folder
        self._accepts_all = accepts_all  # lab mode: whoever is not trusted is let in as well
        self._store = TrustStore(folder)
        self._rejected = Rejected(folder)

    def check(
        self, der_chain: bytes, *, now: datetime | None = None, of_server: bool = False
    ) -> None:
        """Raise CertificateRefused unless the sender of this certificate may come in.

        A lab mode lets strangers in, but nobody whose certificate is broken, weak, out of date,
        made for something else, or revoked.
        """
        now = now or datetime.now(UTC)
        known = self._store.known()
        sent = checks.read_sent(der_chain)
        checks.check_structure(sent[:1])
        chain = build_chain(sent, known, now)
        if not self._accepts_all:
            check_complete(chain, known)
        checks.check_structure(chain[1:])
        checks.check_strength(chain)
        if not self._accepts_all:
            self._check_trusted(chain, known)
        checks.check_validity(chain, now)
        checks.check_usage(chain, of_server=of_server)
        if not self._accepts_all:
            check_lists(chain, known, now)
        check_not_revoked(chain, known)

    def reject(self, der_chain: bytes, address: str = "") -> None:
        """Keep a refused certificate where `twincell trust accept` finds it.

        The address is that of a client; there is none when we are the client.
        """
        self._rejected.keep(der_chain, address)

    def entries(self) -> list[Entry]:
        """All certificates of the folder with what we think of them."""
        return trust_entries.entries(self.folder)

    def accept(self, thumbprint: str) -> Entry:
        """Trust a rejected certificate, named by the beginning of its thumbprint."""
        return trust_entries.move(self.folder, thumbprint, "trusted")

    def reject_again(self, thumbprint: str) -> Entry:
        """Trust a certificate no longer, named by the beginning of its thumbprint."""
        return trust_entries.move(self.folder, thumbprint, "rejected")

    def _check_trusted(self, chain: list[Certificate], known: Known) -> None:
        if known.trusts_one_of(chain):
            return
        one = chain[0]
        uri = f" ({printable(one.uris[0])})" if one.uris else ""
        command = self.folder.command("trust", "accept", one.thumbprint)
        problem = f"{one.name}{uri}: is not trusted here: to let it in, run: {command}"
        raise refusal(ua.StatusCodes.BadCertificateUntrusted, problem)
