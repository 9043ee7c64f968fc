"""The endpoints that the server offers: policies, modes, and how users prove who they are.

None is for this machine, unless the cell file insists; there a password is encrypted with
Basic256Sha256 all the same.
"""

from asyncua import ua
from asyncua.crypto.security_policies import (
    SecurityPolicy,
    SecurityPolicyAes128Sha256RsaOaep,
    SecurityPolicyAes256Sha256RsaPss,
    SecurityPolicyBasic256Sha256,
    SecurityPolicyFactory,
    SecurityPolicyNone,
)

from twincell.server.security.own_certificate import OwnCertificate

ANONYMOUS, USER_NAME, CERTIFICATE = "anonymous", "username", "certificate"  # token policies
TRANSPORT = "http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary"
SIGN, ENCRYPT = ua.MessageSecurityMode.Sign, ua.MessageSecurityMode.SignAndEncrypt
UNSECURED = ua.MessageSecurityMode.None_

# policy, mode, and how secure it is compared with the others
OFFERED = (
    (SecurityPolicyNone, UNSECURED, 0),
    (SecurityPolicyBasic256Sha256, SIGN, 50),
    (SecurityPolicyAes128Sha256RsaOaep, SIGN, 55),
    (SecurityPolicyAes256Sha256RsaPss, SIGN, 60),
    (SecurityPolicyBasic256Sha256, ENCRYPT, 70),
    (SecurityPolicyAes128Sha256RsaOaep, ENCRYPT, 75),
    (SecurityPolicyAes256Sha256RsaPss, ENCRYPT, 80),
)


def factories(own: OwnCertificate) -> list[SecurityPolicyFactory]:
    """Policies for channels."""
    return [
        SecurityPolicyFactory(policy, mode, own.certificate, own.key) for policy, mode, _ in OFFERED
    ]


def token_policy(channel: SecurityPolicy | type[SecurityPolicy]) -> type[SecurityPolicy]:
    """The policy that protects user tokens on a channel: its own, or one where it has none."""
    for policy, _, _ in OFFERED:
        if policy.URI == channel.URI and policy is not SecurityPolicyNone:
            return policy
    return SecurityPolicyBasic256Sha256


def endpoints(
    server: ua.ApplicationDescription, url: str, own: OwnCertificate, anonymous: bool, plain: bool
) -> list[ua.EndpointDescription]:
    """What is offered to a client that may, or may not, be anonymous and without encryption."""
    return [
        ua.EndpointDescription(
            EndpointUrl=url,
            Server=server,
            ServerCertificate=own.der,
            SecurityMode=mode,
            SecurityPolicyUri=policy.URI,
            UserIdentityTokens=_token_policies(policy, anonymous),
            TransportProfileUri=TRANSPORT,
            SecurityLevel=level,
        )
        for policy, mode, level in OFFERED
        if plain or mode != UNSECURED
    ]


def _token_policies(channel: type[SecurityPolicy], anonymous: bool) -> list[ua.UserTokenPolicy]:
    uri = token_policy(channel).URI
    policies = [
        ua.UserTokenPolicy(USER_NAME, ua.UserTokenType.UserName, None, None, uri),
        ua.UserTokenPolicy(CERTIFICATE, ua.UserTokenType.Certificate, None, None, uri),
    ]
    if anonymous:
        none = SecurityPolicyNone.URI
        policies.insert(
            0, ua.UserTokenPolicy(ANONYMOUS, ua.UserTokenType.Anonymous, None, None, none)
        )
    return policies
