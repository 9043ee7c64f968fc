"""What decides who may connect, for tests: one key for all, and a user for each role."""

import tempfile
from functools import cache
from pathlib import Path

from twincell.server.opcua.command.arbitration import DEMO_NAME
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_certificate import OwnCertificate, load_or_make
from twincell.server.security.roles import Role
from twincell.server.security.security import Security
from twincell.server.security.trust import Trust
from twincell.server.security.users import Users

PASSWORD = "correct horse"
URI = "urn:twincell:test"


def made_security(
    folder: SecurityFolder | None = None, *, anonymous: Role = Role.OBSERVER, lab: bool = False
) -> Security:
    """Users observer, operator and engineer, all with the same password.

    Without a folder nobody's certificate is trusted, and nothing is left behind.
    """
    own = _own()
    folder = folder or SecurityFolder(Path("/nonexistent"))
    users = Users(folder.users)
    for role in (Role.OBSERVER, Role.OPERATOR, Role.ENGINEER):
        users.admit(role.name.lower(), PASSWORD, role)
    users.admit(DEMO_NAME, PASSWORD, Role.ENGINEER)
    return Security(own, Trust(folder, accepts_all=lab), users, anonymous_here=anonymous)


@cache
def _own() -> OwnCertificate:
    with tempfile.TemporaryDirectory() as folder:
        return load_or_make(SecurityFolder(Path(folder)), URI, ["localhost", "127.0.0.1"])
