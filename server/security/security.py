"""Everything that decides who may connect and what they may do."""

from dataclasses import dataclass

from twincell.server.security.own_certificate import OwnCertificate
from twincell.server.security.roles import Role
from twincell.server.security.trust import Trust
from twincell.server.security.users import Users


@dataclass(frozen=True)
class Security:
    """What a server needs to know about itself and others."""

    own: OwnCertificate
    trust: Trust
    users: Users
    anonymous_here: Role = Role.OBSERVER  # a client on this machine that gives no name
    anonymous_elsewhere: Role = Role.NOBODY
    plain_elsewhere: bool = False  # whether clients on other machines may do without encryption
    lets_everybody_in: bool = False  # whatever name and password somebody gives

    def anonymous(self, is_local: bool) -> Role:
        """What a client without a name may do."""
        return self.anonymous_here if is_local else self.anonymous_elsewhere

    def allows_plain(self, is_local: bool) -> bool:
        """Whether a client may have a session without encryption."""
        return is_local or self.plain_elsewhere
