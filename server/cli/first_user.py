"""The first user of a server that nobody has set up: as a container starts it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

from twincell.server.client.password import PASSWORD
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.security.folder import SecurityFolder

RANDOM_BYTES = 12  # 16 characters: nobody guesses them


def first_user(folder: SecurityFolder, name: str) -> Iterator[str]:
    """Make an engineer where there are no users yet; what a person has to know about it, once.

    His password is that of the environment, as clients use it, or one that is made up and told.
    """
    from twincell.server.security.roles import Role
    from twincell.server.security.users import UserProblem, Users

    try:
        users = Users(folder.users)
        if users.entries():
            return
        given = os.environ.get(PASSWORD)
        password = given or secrets.token_urlsafe(RANDOM_BYTES)
        users.add(name, Role.ENGINEER, password)
    except UserProblem as problem:
        raise Refusal(f"--first-user {name}: {problem}", problem.hint) from None
    shown = f"the one in ${PASSWORD}" if given else password
    yield f"first user: {name}, an engineer, with the password {shown}"
    if not given:
        yield "            it is shown this once and kept nowhere: write it down"
