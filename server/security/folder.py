"""The folder with everything that must not be in a cell file: users, keys, trusted certificates.

users.toml      names, roles, hashes of passwords, thumbprints of user certificates
pki/own         our certificate and private key
pki/trusted     certificates of applications that may connect
pki/rejected    certificates that tried to
pki/issuers     authorities that may stand between a certificate and a trusted authority
pki/revoked     revocation lists of authorities
"""

import os
import shlex
from pathlib import Path

VARIABLE = "TWINCELL_SECURITY"
OWNER = "let the user who runs twincell own this folder, or choose one with --security"


class UnusableFolder(Exception):
    """The folder cannot be looked into; the hint says what would help."""

    hint = OWNER


class SecurityFolder:
    """Where things lie; a folder is made when something is put into it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.users = root / "users.toml"
        self.pki = root / "pki"
        self.own = self.pki / "own"
        self.trusted = self.pki / "trusted"
        self.rejected = self.pki / "rejected"
        self.issuers = self.pki / "issuers"
        self.revoked = self.pki / "revoked"

    def check(self) -> None:
        """Refuse one that cannot be looked into; one that is not there yet is good."""
        try:
            self.pki.stat()
        except FileNotFoundError:
            pass
        except OSError as error:
            path, problem = blocked(self.root, error)
            raise UnusableFolder(f"{path}: {problem}") from error

    def command(self, *words: str) -> str:
        """A command for a person to type, in whatever shell: it acts on this folder."""
        option = [] if self.root == _usual() else ["--security", str(self.root.absolute())]
        return shlex.join(["twincell", *words, *option])


def blocked(folder: Path, error: OSError) -> tuple[Path, str]:
    """What is in the way of looking into a folder, and what is wrong with it."""
    for one in (folder, *folder.parents):
        if isinstance(error, NotADirectoryError) and one.is_file():
            return one, "is a file, not a folder"
    return folder, f"cannot be read: {error.strerror}"


def default_folder() -> SecurityFolder:
    """$TWINCELL_SECURITY, or twincell's folder among the user's settings."""
    named = os.environ.get(VARIABLE)
    return SecurityFolder(Path(named) if named else _usual())


def _usual() -> Path:
    settings = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(settings) / "twincell"
