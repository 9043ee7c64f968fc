"""Who may log in: the users of a file, and those that this server knows by itself.

The file is read again when it has changed, so users come and go while the server runs. A damaged
file changes nothing: the last good one stays in force.
"""

import hashlib
import hmac
import logging
import threading
from pathlib import Path

from twincell.server.security import passwords, users_file
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.roles import Identity, Role
from twincell.server.security.users_file import Entry, UserProblem

__all__ = ["Entry", "UserProblem", "Users"]

SHORTEST_PASSWORD = 8  # characters; the least that NIST SP 800-63B allows

log = logging.getLogger("twincell.security")


class Users:
    """The users of a file, which need not be there yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._admitted: dict[str, tuple[bytes, Identity]] = {}
        self._seen = users_file.stamp(path)
        self._entries = users_file.read(path)

    def entries(self) -> list[Entry]:
        """The users of the file, by name."""
        return list(self._current().values())

    def by_password(self, name: str, password: str) -> Identity | None:
        """Who logs in with a name and a password; it takes a while, so call it in a thread."""
        if name in self._admitted:
            wanted, identity = self._admitted[name]
            if hmac.compare_digest(wanted, _octets(password)):
                return identity
            passwords.matches(passwords.NOBODYS, password)  # names are not told by their time
            return None
        entry = self._current().get(name)
        hash_ = entry.password if entry else ""
        is_right = passwords.matches(hash_ or passwords.NOBODYS, password)
        return entry.identity(hash_) if entry and hash_ and is_right else None

    def by_certificate(self, der: bytes) -> Identity | None:
        """Who has a certificate; that the client has its key, and it is in force, was checked."""
        thumbprint = hashlib.sha256(der).hexdigest()
        for entry in self._current().values():
            if entry.certificate == thumbprint:
                return entry.identity(thumbprint)
        return None

    def now(self, identity: Identity) -> Identity | None:
        """Somebody who logged in before, as he is now; None when he could not log in so again."""
        if not identity.proof:
            return identity  # is in no file
        entry = self._current().get(identity.name)
        if entry is None or identity.proof not in (entry.password, entry.certificate):
            return None
        return entry.identity(identity.proof)

    def admit(self, name: str, password: str, role: Role) -> None:
        """Let a user in who is in no file, with a password that a program made up."""
        self._admitted[name] = (_octets(password), Identity(name, role))

    def is_ours(self, name: str) -> bool:
        """Whether a name is that of a program of ours, with a password that nobody guesses."""
        return name.startswith(users_file.OURS)

    def is_our_program(self, name: str, password: str) -> bool:
        """Whether it is a program of ours: whoever guesses its password must not lock it out."""
        if not self.is_ours(name) or name not in self._admitted:
            return False
        return hmac.compare_digest(self._admitted[name][0], _octets(password))

    def check_new(self, name: str) -> None:
        """Refuse a name that no new user can have."""
        users_file.check_name(name)
        self._check_new(name, self._current())

    def add(
        self, name: str, role: Role, password: str | None = None, certificate: bytes | None = None
    ) -> Entry:
        """Put a user into the file."""
        users_file.check_name(name)
        _check_password(password)
        if password is None and certificate is None:
            raise UserProblem(f"{name}: has neither password nor certificate", "give one of them")
        entry = Entry(
            name,
            role,
            passwords.hashed(password) if password is not None else "",
            hashlib.sha256(certificate).hexdigest() if certificate is not None else "",
        )
        with users_file.alone(self._path):
            entries = users_file.read(self._path)
            self._check_new(name, entries)
            for other in entries.values():
                if entry.certificate and other.certificate == entry.certificate:
                    raise UserProblem(f"{name}: the certificate is {other.name}'s", "take another")
            users_file.write(self._path, [*entries.values(), entry])
        return entry

    def remove(self, name: str) -> None:
        """Take a user out of the file."""
        with users_file.alone(self._path):
            entries = users_file.read(self._path)
            if name not in entries:
                raise UserProblem(f"{name}: is no user", f"see them with: {self._command('list')}")
            del entries[name]
            users_file.write(self._path, entries.values())

    def _check_new(self, name: str, entries: dict[str, Entry]) -> None:
        if name in entries:
            hint = f"remove it first: {self._command('remove', name)}"
            raise UserProblem(f"{name}: is a user already", hint)

    def _command(self, *words: str) -> str:
        return SecurityFolder(self._path.parent).command("user", *words)

    def _current(self) -> dict[str, Entry]:
        """The users by name, after a look at the file."""
        with self._lock:
            stamp = users_file.stamp(self._path)
            if stamp != self._seen:
                self._seen = stamp
                try:
                    self._entries = users_file.read(self._path)
                except UserProblem as problem:
                    log.warning("%s; the users from before stay (%s)", problem, problem.hint)
            return self._entries


def _check_password(password: str | None) -> None:
    if password is None:
        return
    if len(password) < SHORTEST_PASSWORD:
        hint = f"at least {SHORTEST_PASSWORD} characters"
        raise UserProblem("the password is too short", hint)
    if passwords.octets_of(password) is None:
        raise UserProblem("the password is too long", f"at most {passwords.LONGEST} bytes of UTF-8")


def _octets(password: str) -> bytes:
    return password.encode("utf-8", "surrogatepass")
