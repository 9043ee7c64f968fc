"""Who may log in: the users of a file, and those that this server knows by itself.

    [[user]]
    name = "anna"
    role = "operator"
    password = "$argon2id$v=19$..."    # a hash
    certificate = "0f3c..."            # SHA-256 of her certificate; either or both

The file is read again when it has changed, so users come and go while the server runs. A damaged
file changes nothing: the last good one stays in force.
"""

import fcntl
import hashlib
import hmac
import json
import logging
import os
import re
import threading
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.security import passwords, private_file
from server.security.folder import SecurityFolder
from server.security.roles import Identity, Role
from server.whole_file import blamed

ROLES = {"observer": Role.OBSERVER, "operator": Role.OPERATOR, "engineer": Role.ENGINEER}
LONGEST_NAME = 64  # characters; chosen
SHORTEST_PASSWORD = 8  # characters; the least that NIST SP 800-63B allows
OURS = "twincell "  # how the names begin that the server gives
OTHERS = 0o077  # what group and world may do with a file
THUMBPRINT = re.compile(r"[0-9a-f]{64}")
HEAD = "# Users of twincell. Change them with `twincell user`, which writes this file anew.\n"

log = logging.getLogger("twincell.security")


class UserProblem(Exception):
    """A user or the file of users is not as it must be; the hint says what would help."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem)
        self.hint = hint


@dataclass(frozen=True)
class Entry:
    """A user of the file."""

    name: str
    role: Role
    password: str = ""  # its hash; "" for a user who has none
    certificate: str = ""  # its SHA-256 in hexadecimal digits; "" for a user who has none

    def identity(self, proof: str) -> Identity:
        """The user, who showed the password or certificate of this hash."""
        return Identity(self.name, self.role, proof)


class Users:
    """The users of a file, which need not be there yet."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._admitted: dict[str, tuple[bytes, Identity]] = {}
        self._seen = _stamp(path)
        self._entries = _read(path)

    def entries(self) -> list[Entry]:
        """The users of the file, by name."""
        return list(self._current().values())

    def by_password(self, name: str, password: str) -> Identity | None:
        """Who logs in with a name and a password; it takes a while, so call it in a thread."""
        if name in self._admitted:
            wanted, identity = self._admitted[name]
            return identity if hmac.compare_digest(wanted, _octets(password)) else None
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

    def check_new(self, name: str) -> None:
        """Refuse a name that no new user can have."""
        _check_name(name)
        self._check_new(name, self._current())

    def add(
        self, name: str, role: Role, password: str | None = None, certificate: bytes | None = None
    ) -> Entry:
        """Put a user into the file."""
        _check_name(name)
        _check_password(password)
        if password is None and certificate is None:
            raise UserProblem(f"{name}: has neither password nor certificate", "give one of them")
        entry = Entry(
            name,
            role,
            passwords.hashed(password) if password is not None else "",
            hashlib.sha256(certificate).hexdigest() if certificate is not None else "",
        )
        with _alone(self._path):
            entries = _read(self._path)
            self._check_new(name, entries)
            for other in entries.values():
                if entry.certificate and other.certificate == entry.certificate:
                    raise UserProblem(f"{name}: the certificate is {other.name}'s", "take another")
            _write(self._path, [*entries.values(), entry])
        return entry

    def remove(self, name: str) -> None:
        """Take a user out of the file."""
        with _alone(self._path):
            entries = _read(self._path)
            if name not in entries:
                raise UserProblem(f"{name}: is no user", f"see them with: {self._command('list')}")
            del entries[name]
            _write(self._path, entries.values())

    def _check_new(self, name: str, entries: dict[str, Entry]) -> None:
        if name in entries:
            hint = f"remove it first: {self._command('remove', name)}"
            raise UserProblem(f"{name}: is a user already", hint)

    def _command(self, *words: str) -> str:
        return SecurityFolder(self._path.parent).command("user", *words)

    def _current(self) -> dict[str, Entry]:
        """The users by name, after a look at the file."""
        with self._lock:
            stamp = _stamp(self._path)
            if stamp != self._seen:
                self._seen = stamp
                try:
                    self._entries = _read(self._path)
                except UserProblem as problem:
                    log.warning("%s; the users from before stay (%s)", problem, problem.hint)
            return self._entries


def _stamp(path: Path) -> tuple[int, ...]:
    """What is different when the file is."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode


def _read(path: Path) -> dict[str, Entry]:
    """The users of a file by name; none when there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
        mode = path.stat().st_mode
    except FileNotFoundError:
        return {}
    except OSError as error:
        problem = f"{path}: cannot be read: {error.strerror}"
        raise UserProblem(problem, "let the user who runs twincell read it") from None
    except UnicodeDecodeError:
        raise UserProblem(f"{path}: is not UTF-8", "write it in UTF-8, or remove it") from None
    if mode & OTHERS:
        log.warning("%s: others can read or change it; run: chmod 600 '%s'", path, path)
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _at(path, *_line_of(str(error)), "correct it, or remove it") from None
    return _entries(path, text, tables)


def _entries(path: Path, text: str, tables: dict[str, Any]) -> dict[str, Entry]:
    listed = tables.get("user", [])
    if tables.keys() - {"user"} or not isinstance(listed, list):
        raise _at(path, 1, "there is something else than [[user]]", "remove it")
    # only a list of tables has heads; one written as user = [...] has all its users in one place
    heads = [n for n, line in enumerate(text.splitlines(), 1) if re.match(r"\s*\[\[", line)]
    entries: dict[str, Entry] = {}
    for place, fields in enumerate(listed):
        line = heads[place] if place < len(heads) else 1
        try:
            entry = _entry(path, fields)
            if entry.name in entries:
                raise UserProblem(f"{entry.name}: is there twice", "remove one of them")
        except UserProblem as problem:
            raise _at(path, line, str(problem), problem.hint) from None
        entries[entry.name] = entry
    return entries


def _entry(path: Path, fields: Any) -> Entry:
    if not isinstance(fields, dict) or not all(isinstance(x, str) for x in fields.values()):
        raise UserProblem("a user has texts only", 'such as name = "anna"')
    unknown = fields.keys() - {"name", "role", "password", "certificate"}
    if unknown:
        known = "a user has name, role, password, certificate"
        raise UserProblem(f"{min(unknown)}: is no such key", known)
    name, role = fields.get("name", ""), fields.get("role", "")
    password, certificate = fields.get("password", ""), fields.get("certificate", "").lower()
    _check_name(name)
    if role not in ROLES:
        raise UserProblem(f"{name}: {role!r} is no role", "observer, operator or engineer")
    again = f"remove these lines from {path}, then add {name} again"
    if password and not passwords.is_hash(password):
        raise UserProblem(f"{name}: its password is no Argon2id hash", again)
    if certificate and not THUMBPRINT.fullmatch(certificate):
        raise UserProblem(f"{name}: its certificate is no SHA-256 thumbprint", again)
    return Entry(name, ROLES[role], password, certificate)


def _write(path: Path, entries: Iterable[Entry]) -> None:
    """Write the whole file."""
    tables = [HEAD]
    for entry in sorted(entries, key=lambda entry: entry.name):
        fields = {
            "name": entry.name,
            "role": entry.role.name.lower(),
            "password": entry.password,
            "certificate": entry.certificate,
        }
        # names are printable, so a JSON text is a TOML text
        lines = (f"{k} = {json.dumps(v, ensure_ascii=False)}\n" for k, v in fields.items() if v)
        tables.append("[[user]]\n" + "".join(lines))
    private_file.write(path, "\n".join(tables).encode())


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Keep others from changing the file in the meantime."""
    private_file.make_folder(path.parent)
    with blamed(path):
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _check_name(name: str) -> None:
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        hint = f"1 to {LONGEST_NAME} printable characters, none of them a space at the ends"
        raise UserProblem(f"{name!r}: is no name", hint)
    if name.lower().startswith(OURS):
        raise UserProblem(f"{name}: names that begin so are the server's own", "take another")


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


def _line_of(text: str) -> tuple[int, str]:
    """Line and problem of what tomllib says: such as "Invalid value (at line 3, column 8)"."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", text, re.DOTALL)
    return (int(found[2]), found[1]) if found else (1, text)


def _at(path: Path, line: int, problem: str, hint: str) -> UserProblem:
    return UserProblem(f"{path}:{line}: {problem}", hint)
