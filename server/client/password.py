"""A password that is typed at a terminal."""

import sys

from twincell.server.errors import Refusal

PASSWORD = "TWINCELL_PASSWORD"  # the environment variable in which clients find theirs


def asked(question: str) -> str:
    """Ask, without showing what is typed."""
    from getpass import getpass

    try:
        return getpass(question)
    except EOFError:  # Ctrl-D
        print(file=sys.stderr)  # the question stands in this line
        raise Refusal("no password was given", "type it, then Enter") from None
