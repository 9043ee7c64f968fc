"""Who somebody wants to be, and the password that goes with it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from twincell.server.client.password import PASSWORD, asked
from twincell.server.errors import Refusal
from twincell.server.security.named_folder import security_folder

if TYPE_CHECKING:
    from twincell.server.client.login import Login


class LoginOptions(NamedTuple):
    """What was typed."""

    user: str
    secure: bool
    security: Path | None


def login_of(options: LoginOptions) -> Login:
    """A login from the options, once the password is known."""
    from twincell.server.client.login import Login

    password = _password_of(options.user) if options.user else ""
    # without encryption the usual folder is hardly ever needed: a bad one does no harm
    folder = security_folder(options.security) if options.secure or options.security else None
    return Login(options.user, password, options.secure, folder)


def _password_of(user: str) -> str:
    password = os.environ.get(PASSWORD)
    if password is None and not sys.stdin.isatty():
        hint = f"put it into the environment variable {PASSWORD}"
        raise Refusal("there is no terminal to ask for the password", hint)
    return password if password is not None else asked(f"Password of {user}: ")
