"""A server for benches: at any port of this machine, everybody may do everything."""

from pathlib import Path

from twincell.server.config import Serving
from twincell.server.opcua.limits import Limits
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_certificate import load_or_make
from twincell.server.security.roles import Role
from twincell.server.security.security import Security
from twincell.server.security.trust import Trust
from twincell.server.security.users import Users

FOLDER = SecurityFolder(Path(__file__).parents[1] / "out" / "security")


def lab_serving() -> Serving:
    """How a bench wants its cell to be served."""
    own = load_or_make(FOLDER, "urn:twincell:bench", ["localhost", "127.0.0.1"])
    users, trust = Users(FOLDER.users), Trust(FOLDER, accepts_all=True)
    security = Security(own, trust, users, anonymous_here=Role.ENGINEER)
    return Serving(security, Limits(), "127.0.0.1", 0, "", lab=True)
