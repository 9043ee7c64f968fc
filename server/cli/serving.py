"""What `twincell run` needs to serve a cell: our certificate, users, trust, limits."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from twincell.server.cli.cell_file import limits_of
from twincell.server.errors import Refusal

if TYPE_CHECKING:
    from twincell.server.config import Serving
    from twincell.server.security.folder import SecurityFolder
    from twincell.sim.spec import CellSpec


def serving_of(
    spec: CellSpec, folder: SecurityFolder, listen: str, port: int, lab: bool
) -> Serving:
    """How a cell file, the security folder and the options want a cell to be served."""
    from twincell.server.config import Serving
    from twincell.server.files.atomic import NotWritable
    from twincell.server.listening import EVERYWHERE
    from twincell.server.opcua.command.arbitration import BRIDGE_NAMES, DEMO_NAME
    from twincell.server.security.own_certificate import UnusableCertificate, load_or_make
    from twincell.server.security.own_names import default_application_uri, host_names
    from twincell.server.security.roles import Role
    from twincell.server.security.security import Security
    from twincell.server.security.trust import Trust
    from twincell.server.security.users import UserProblem, Users

    # a certificate can name nothing but ASCII
    reached_by = [listen] if listen != EVERYWHERE and listen.isascii() else []
    try:
        own = load_or_make(
            folder, default_application_uri(), dict.fromkeys([*host_names(), *reached_by])
        )
        users = Users(folder.users)
    except UserProblem as problem:
        raise Refusal(str(problem), problem.hint) from problem
    except (UnusableCertificate, NotWritable) as problem:
        raise Refusal(str(problem)) from problem
    demo_password, bridge_password = secrets.token_urlsafe(), secrets.token_urlsafe()
    users.admit(DEMO_NAME, demo_password, Role.ENGINEER)
    for bridge in spec.bridge:
        users.admit(f"{BRIDGE_NAMES}{bridge.name}", bridge_password, Role.OPERATOR)
    security = Security(
        own,
        Trust(folder, accepts_all=lab),
        users,
        Role.ENGINEER if lab else Role[spec.server.anonymous.upper()],
        Role.ENGINEER if lab else Role.NOBODY,
        lab or spec.server.unencrypted_network,
        lab,
    )
    return Serving(security, limits_of(spec), listen, port, demo_password, lab, bridge_password)
