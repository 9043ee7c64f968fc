"""What helps a user who may not do what he asked for."""

import shlex


def who_may(user: str, role: str) -> str:
    """How to become somebody with a role; `user` is "" for a client without a name."""
    if not user:
        return f"give --user NAME; on the server's machine: twincell user add NAME --role {role}"
    name = shlex.quote(user)
    again = f"twincell user remove {name}, then twincell user add {name} --role {role}"
    return f"on the server's machine: {again}"
