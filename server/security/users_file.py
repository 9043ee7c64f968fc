"""The file of users: what is in it, how it is read, and how it is written.

[[user]]
name = "anna"
role = "operator"
password = "$argon2id$v=19$..."    # a hash
certificate = "0f3c..."            # SHA-256 of her certificate; either or both
"""

import fcntl
import json
import logging
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from twincell.server.files.atomic import blamed
from twincell.server.security import passwords, private_file
from twincell.server.security.roles import Identity, Role

ROLES = {"observer": Role.OBSERVER, "operator": Role.OPERATOR, "engineer": Role.ENGINEER}
LONGEST_NAME = 64  # characters; chosen
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


def stamp(path: Path) -> tuple[int, ...]:
    """What is different when the file is."""
    try:
        found = path.stat()
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino, found.st_mode


def read(path: Path) -> dict[str, Entry]:
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
    check_name(name)
    if role not in ROLES:
        raise UserProblem(f"{name}: {role!r} is no role", "observer, operator or engineer")
    again = f"remove these lines from {path}, then add {name} again"
    if password and not passwords.is_hash(password):
        raise UserProblem(f"{name}: its password is no Argon2id hash", again)
    if certificate and not THUMBPRINT.fullmatch(certificate):
        raise UserProblem(f"{name}: its certificate is no SHA-256 thumbprint", again)
    return Entry(name, ROLES[role], password, certificate)


def write(path: Path, entries: Iterable[Entry]) -> None:
    """Write the whole file anew."""
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
def alone(path: Path) -> Iterator[None]:
    """Keep others from changing the file in the meantime."""
    private_file.make_folder(path.parent)
    with blamed(path):
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def check_name(name: str) -> None:
    """Refuse what can be nobody's name."""
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        hint = f"1 to {LONGEST_NAME} printable characters, none of them a space at the ends"
        raise UserProblem(f"{name!r}: is no name", hint)
    if name.lower().startswith(OURS):
        raise UserProblem(f"{name}: names that begin so are the server's own", "take another")


def _line_of(text: str) -> tuple[int, str]:
    """Line and problem of what tomllib says: such as "Invalid value (at line 3, column 8)"."""
    found = re.fullmatch(r"(.*) \(at line (\d+), column \d+\)", text, re.DOTALL)
    return (int(found[2]), found[1]) if found else (1, text)


def _at(path: Path, line: int, problem: str, hint: str) -> UserProblem:
    return UserProblem(f"{path}:{line}: {problem}", hint)
