"""A security folder that nobody has used yet, and authorities that are not trusted there."""

import pytest

from server.security.folder import SecurityFolder
from server.security.trust import Trust
from tests.server.security.made_certificates import make_authority, make_list, put_list


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
