"""Log in to a server: who we are, whether the connection is encrypted, and whom we trust with it.

asyncua's client believes every server. This one looks at the server's certificate before it sends
anything that is worth having:

    --secure     the certificate must be trusted, and be that of the host and application
    a password   goes over such a connection, to this machine, or encrypted for such a certificate

What discovery said came over an open connection; the server says it once more when the session is
created, and it must be the same.

Relies on asyncua: Client.connect calls create_session, which keeps the server's certificate in
security_policy.peer_certificate, and then activate_session, which sends the password; what it sends
and hears goes through Client.uaclient, which Client.nodes and _wait_until_ready belong to.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from asyncua import Client, ua
from asyncua.common.shortcuts import Shortcuts
from asyncua.crypto import uacrypto
from asyncua.crypto.security_policies import (
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
)

from twincell.server.client.bounded_protocol import BoundedUaClient
from twincell.server.client.mistake import Mistake
from twincell.server.security.certificate import thumbprint_of
from twincell.server.security.folder import SecurityFolder, default_folder
from twincell.server.security.origin import is_loopback
from twincell.server.security.own_certificate import OwnCertificate, load_or_make
from twincell.server.security.own_names import default_application_uri, host_names
from twincell.server.security.trust import CertificateRefused, Trust, check_host, check_uri

ENCRYPTED = ua.MessageSecurityMode.SignAndEncrypt
POLICIES = {  # the strongest first
    policy.URI: policy
    for policy in (
        SecurityPolicyAes256Sha256RsaPss,
        SecurityPolicyBasic256Sha256,
        SecurityPolicyAes128Sha256RsaOaep,
    )
}
NOT_LET_IN = {
    ua.StatusCodes.BadUserAccessDenied,
    ua.StatusCodes.BadIdentityTokenInvalid,
    ua.StatusCodes.BadIdentityTokenRejected,
}
NOT_TRUSTED = {ua.StatusCodes.BadSecurityChecksFailed, ua.StatusCodes.BadCertificateUntrusted}
NOT_WITHOUT_SECURITY = {
    ua.StatusCodes.BadSecurityChecksFailed,
    ua.StatusCodes.BadSecurityModeInsufficient,
    ua.StatusCodes.BadSecurityModeRejected,
    ua.StatusCodes.BadSecurityPolicyRejected,
}


class Advice(NamedTuple):
    """What to tell whoever has to mend a login."""

    user: str  # how to log in with a name
    adding: str  # how the server gets to know that name
    encrypt: str  # how to encrypt the connection
    plain: str  # what to do about a server that offers no encryption
    trust_us: str  # how the server gets to trust us; behind it stands our thumbprint


TYPED = Advice(
    "give --user NAME",
    "on the server's machine: twincell user add NAME --role operator",
    "give --secure",
    "without --secure, it is good enough on one machine",
    "on the server's machine: twincell trust accept",
)


@dataclass(frozen=True)
class Login:
    """Who we say we are, and how."""

    user: str = ""  # "" to give no name
    password: str = field(default="", repr=False)
    secure: bool = False  # encrypt the connection
    folder: SecurityFolder | None = None  # with our certificate and those we trust; None: the usual
    policy: str = ""  # URI of the security policy; "" for the strongest that both know
    mode: ua.MessageSecurityMode = ENCRYPTED
    advice: Advice = TYPED


class CarefulClient(Client):
    """A client that tells nothing to a server it has no reason to trust."""

    login = Login()

    def __init__(self, url: str, timeout: float, watchdog_intervall: float) -> None:
        super().__init__(url, timeout, watchdog_intervall)
        self.uaclient = BoundedUaClient(timeout)
        self.uaclient.pre_request_hook = self._wait_until_ready
        self.nodes = Shortcuts(self.uaclient.session)

    async def create_session(self) -> ua.CreateSessionResult:
        created = await super().create_session()
        if self.login.secure:
            promised = strongest(created.ServerEndpoints, self.login)
            if promised is None or promised.SecurityPolicyUri != self.security_policy.URI:
                hint = "somebody on the way may have changed it: look at the network"
                raise Mistake(f"{_url(self)}: offered less security than it has", hint)
        return created

    async def activate_session(
        self, username: str | None = None, password: str | None = None, certificate: object = None
    ) -> ua.ActivateSessionResult:
        if password and not (self.login.secure or self._is_on_this_machine()):
            self._check_that_only_the_server_can_read_it()
        return await super().activate_session(username, password, certificate)

    def _is_on_this_machine(self) -> bool:
        address, *_ = self.uaclient.protocol.transport.get_extra_info("peername")
        return is_loopback(address)

    def _check_that_only_the_server_can_read_it(self) -> None:
        """Before a password goes to another machine, over a connection that is not encrypted."""
        policy = self.server_policy(ua.UserTokenType.UserName)
        if policy.SecurityPolicyUri not in POLICIES:
            problem = f"{_url(self)}: would get the password as plain text, for all to read"
            raise Mistake(problem, self.login.advice.encrypt)
        check_server(self, self.security_policy.peer_certificate or b"", _own(self.login))


async def connect(client: CarefulClient, login: Login) -> None:
    """Connect and log in, or say in plain words why that cannot be done."""
    client.login = login
    if login.user:
        client.set_user(login.user)
        client.set_password(login.password)
    try:
        if login.secure:
            await _encrypt(client, _own(login))
        await client.connect()
    except ua.UaStatusCodeError as error:
        raise _refused(client, ua.StatusCode(error.code)) or error from None
    except Mistake:
        raise
    except ua.UaError:
        if not login.secure and not await _offers_plain(client):
            raise _needs_encryption(client) from None
        raise


async def _encrypt(client: CarefulClient, own: OwnCertificate) -> None:
    """Choose the strongest encryption that both know, with a server that we trust."""
    offered = await client.connect_and_get_server_endpoints()
    endpoint = strongest(offered, client.login)
    if endpoint is None:
        asked = client.login.policy.rpartition("#")[2]
        what = f"{asked} with {client.login.mode.name}" if asked else "encryption that we know"
        raise Mistake(f"{_url(client)}: offers no {what}", client.login.advice.plain)
    encoded = endpoint.ServerCertificate or b""
    check_server(client, encoded, own, endpoint.Server.ApplicationUri)
    policy = POLICIES[endpoint.SecurityPolicyUri]
    client.application_uri = own.application_uri
    client.security_policy = policy(
        uacrypto.x509_from_der(encoded), own.certificate, own.key, client.login.mode
    )
    client.uaclient.set_security(client.security_policy)


def strongest(
    endpoints: Iterable[ua.EndpointDescription], login: Login
) -> ua.EndpointDescription | None:
    """The endpoint with the best encryption that a login allows; None when there is no good one."""
    order = list(POLICIES)
    allowed = [login.policy] if login.policy else order
    encrypted = [
        endpoint
        for endpoint in endpoints
        if endpoint.SecurityMode == login.mode and endpoint.SecurityPolicyUri in allowed
    ]
    return min(encrypted, key=lambda one: order.index(one.SecurityPolicyUri), default=None)


def check_server(
    client: CarefulClient, chain: bytes, own: OwnCertificate, application_uri: str = ""
) -> None:
    """Refuse a server whose certificate we do not trust, or which is not that of the address."""
    trust = Trust(_folder(client.login))
    try:
        if chain != own.der:  # a server of this machine has the same as we
            trust.check(chain, of_server=True)
        check_host(chain, client.server_url.hostname)
        if application_uri:
            check_uri(chain, application_uri)
    except CertificateRefused as refused:
        if refused.status == ua.StatusCodes.BadCertificateUntrusted:
            trust.reject(chain)  # where it waits to be accepted
        raise Mistake(f"{_url(client)}: {refused.why}") from None


def _refused(client: CarefulClient, status: ua.StatusCode) -> Mistake | None:
    """What to say when the server does not let us in; None when it is about something else."""
    url, login = _url(client), client.login
    advice = login.advice
    if status.value in NOT_LET_IN and login.user:
        hint = "a wrong password? After too many of them wait a minute. No user yet?"
        return Mistake(f"{url}: does not let {login.user} in", f"{hint} {advice.adding}")
    if status.value in NOT_LET_IN:
        return Mistake(f"{url}: lets nobody in without a name", f"{advice.user}; {advice.adding}")
    if not login.secure and status.value in NOT_WITHOUT_SECURITY:
        return _needs_encryption(client)
    if status.value in NOT_TRUSTED:
        accept = f"{advice.trust_us} {thumbprint_of(_own(login).der)}"
        return Mistake(f"{url}: does not trust our certificate", accept)
    if status.name.startswith("BadCertificate"):
        hint = f"look at it: {_folder(login).command('certificate', 'show')}"
        return Mistake(f"{url}: refuses our certificate: {status.name}: {status.doc}", hint)
    return None


async def _offers_plain(client: CarefulClient) -> bool:
    """Whether a server has an endpoint without security; asyncua only says that it found none."""
    endpoints = await client.connect_and_get_server_endpoints()
    return any(one.SecurityMode == ua.MessageSecurityMode.None_ for one in endpoints)


def _needs_encryption(client: CarefulClient) -> Mistake:
    return Mistake(f"{_url(client)}: wants an encrypted connection", client.login.advice.encrypt)


def _own(login: Login) -> OwnCertificate:
    return load_or_make(_folder(login), default_application_uri(), host_names())


def _folder(login: Login) -> SecurityFolder:
    return login.folder or default_folder()


def _url(client: CarefulClient) -> str:
    return client.server_url.geturl()
