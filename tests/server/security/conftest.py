"""Security folders: one that nobody has used yet, with authorities for it, and a client's own."""

import pytest

from tests.server.security.listening_server import HOSTS
from tests.server.security.made_certificates import make_authority, make_list, put_list
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_certificate import OwnCertificate, load_or_make
from twincell.server.security.trust import Trust


@pytest.fixture
def folder(tmp_path):
    return SecurityFolder(tmp_path / "security")


@pytest.fixture
def trust(folder):
    return Trust(folder)


@pytest.fixture
def root(folder):
    """An authority with an empty list, which we do not trust yet."""
    made = make_authority("Root")
    put_list(folder.revoked, make_list(made), "root.crl")
    return made


@pytest.fixture
def middle(folder, root):
    """An authority below the root, with an empty list."""
    made = make_authority("Middle", by=root)
    put_list(folder.revoked, make_list(made), "middle.crl")
    return made


@pytest.fixture(scope="session")
def security(tmp_path_factory: pytest.TempPathFactory) -> SecurityFolder:
    """The client's folder, with its certificate: making keys is slow."""
    folder = SecurityFolder(tmp_path_factory.mktemp("security"))
    load_or_make(folder, "urn:this:twincell", HOSTS)
    return folder


@pytest.fixture
def own(security: SecurityFolder) -> OwnCertificate:
    return load_or_make(security, "", [])
