"""The client's side of logging in, with asyncua's own server: whom it tells a password, and what.

A server on another machine is one on this machine that the client takes for another.
"""

import pytest
from asyncua import ua
from asyncua.ua import SecurityPolicyType as Policy

from tests.server.security.listening_server import ALL_POLICIES, HOSTS, PASSWORD, USER, listening
from twincell.server.client.login import CarefulClient, Login
from twincell.server.client.mistake import Mistake
from twincell.server.client.session import connected
from twincell.server.security.folder import SecurityFolder
from twincell.server.security.own_certificate import OwnCertificate, load_or_make
from twincell.server.security.trust import Trust

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> OwnCertificate:
    """Another machine's certificate."""
    return load_or_make(SecurityFolder(tmp_path_factory.mktemp("other")), "urn:other:plc", HOSTS)


@pytest.fixture
def trusting(security: SecurityFolder, other: OwnCertificate):
    """A folder that trusts the other machine, as long as the test lasts."""
    trust = Trust(security)
    trust.reject(other.der)
    trust.accept(other.facts.thumbprint)
    yield security
    trust.reject_again(other.facts.thumbprint)


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CarefulClient, "_is_on_this_machine", lambda _: False)


async def policy_of(url: str, login: Login) -> tuple[str, ua.MessageSecurityMode]:
    async with connected(url, "test", login) as session:
        used = session.client.security_policy
        return used.URI.rpartition("#")[2], used.Mode


async def attempt(url: str, login: Login) -> Mistake:
    with pytest.raises(Mistake) as told:
        async with connected(url, "test", login):
            pass
    return told.value


async def test_without_a_login_the_client_is_nobody():
    async with listening() as there, connected(there.url, "test") as session:
        assert session.user == ""
        assert there.users.told == [(None, None)]


async def test_a_password_on_this_machine_needs_no_encryption():
    async with (
        listening(policies=(Policy.NoSecurity,)) as there,
        connected(there.url, "test", Login(USER, PASSWORD)) as session,
    ):
        assert session.user == USER
        assert there.users.told == [(USER, PASSWORD)]


async def test_a_login_does_not_show_its_password():
    assert PASSWORD not in repr(Login(USER, PASSWORD))


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (ALL_POLICIES, "Aes256_Sha256_RsaPss"),
        (ALL_POLICIES[:3], "Basic256Sha256"),
        ((Policy.NoSecurity, Policy.Aes128Sha256RsaOaep_SignAndEncrypt), "Aes128_Sha256_RsaOaep"),
    ],
)
async def test_a_secure_connection_takes_the_strongest_encryption(security, own, offered, taken):
    async with listening(own, offered) as there:
        used = await policy_of(there.url, Login(USER, PASSWORD, True, security))
        assert used == (taken, ua.MessageSecurityMode.SignAndEncrypt)
        assert there.users.told == [(USER, PASSWORD)]


async def test_a_secure_connection_may_be_anonymous(security, own):
    async with listening(own) as there:
        assert await policy_of(there.url, Login(secure=True, folder=security))
        assert there.users.told == [(None, None)]


@pytest.mark.parametrize("offered", [ALL_POLICIES[:1], (Policy.Basic256Sha256_Sign,)])
async def test_a_server_without_encryption_is_refused(security, own, offered):
    async with listening(own, (Policy.NoSecurity, *offered)) as there:
        told = await attempt(there.url, Login(USER, PASSWORD, True, security))
        assert str(told) == f"{there.url}: offers no encryption that we know"
        assert there.users.told == []


async def test_a_stranger_is_refused_until_it_is_accepted(security, other):
    login = Login(USER, PASSWORD, True, security)
    thumbprint = other.facts.thumbprint
    async with listening(other) as there:
        told = await attempt(there.url, login)
        assert "(urn:other:plc): is not trusted here" in str(told)
        assert f"twincell trust accept {thumbprint}" in str(told)
        assert there.users.told == []

        Trust(security).accept(thumbprint)
        await policy_of(there.url, login)
        Trust(security).reject_again(thumbprint)
        await attempt(there.url, login)


async def test_a_trusted_server_at_another_address_is_refused(security, tmp_path):
    elsewhere = load_or_make(SecurityFolder(tmp_path), "urn:other:plc", ["plc7"])
    trust = Trust(security)
    trust.reject(elsewhere.der)
    trust.accept(elsewhere.facts.thumbprint)
    async with listening(elsewhere) as there:
        told = await attempt(there.url, Login(USER, PASSWORD, True, security))
        assert "is the certificate of plc7, not of localhost" in str(told)
        assert str(told).endswith("twincell certificate renew --host localhost")
        assert there.users.told == []
    trust.reject_again(elsewhere.facts.thumbprint)


async def test_a_server_that_is_not_the_application_of_its_certificate_is_refused(security, own):
    async with listening(own) as there:
        for endpoint in there.server.iserver.endpoints:
            endpoint.Server.ApplicationUri = "urn:somebody:else"
        told = await attempt(there.url, Login(USER, PASSWORD, True, security))
        assert "urn:somebody:else" in str(told)
        assert there.users.told == []


async def test_an_offer_that_was_weakened_on_the_way_is_noticed(security, own, monkeypatch):
    async def weakened(client: CarefulClient) -> list[ua.EndpointDescription]:
        return [one for one in await whole(client) if "Aes256" not in one.SecurityPolicyUri]

    whole = CarefulClient.connect_and_get_server_endpoints
    monkeypatch.setattr(CarefulClient, "connect_and_get_server_endpoints", weakened)
    async with listening(own) as there:
        told = await attempt(there.url, Login(USER, PASSWORD, True, security))
        assert "offered less security than it has" in str(told)
        assert there.users.told == []


@pytest.mark.parametrize("offered", [(Policy.NoSecurity,), ALL_POLICIES])
async def test_no_password_goes_to_another_machine_in_plain(far_away, trusting, offered):
    """The second server would encrypt it, had it a certificate."""
    async with listening(None, offered) as there:
        told = await attempt(there.url, Login(USER, PASSWORD, folder=trusting))
        assert "would get the password as plain text" in str(told)
        assert "--secure" in told.hint
        assert there.users.told == []


async def test_no_password_is_encrypted_for_a_stranger(far_away, security, other):
    async with listening(other) as there:
        told = await attempt(there.url, Login(USER, PASSWORD, folder=security))
        assert "is not trusted here" in str(told)
        assert there.users.told == []


async def test_a_password_goes_to_another_machine_encrypted_for_one_we_trust(
    far_away, trusting, other
):
    async with listening(other) as there:
        used = await policy_of(there.url, Login(USER, PASSWORD, folder=trusting))
        assert used == ("None", ua.MessageSecurityMode.None_)
        assert there.users.told == [(USER, PASSWORD)]


@pytest.mark.parametrize(
    ("address", "is_here"), [("127.0.0.1", True), ("::1", True), ("192.168.0.7", False)]
)
async def test_this_machine_is_known_by_the_address_that_answers(address, is_here):
    class Transport:
        def get_extra_info(self, _: str) -> tuple[object, ...]:
            return (address, 4840)

    client = CarefulClient("opc.tcp://localhost:4840", 4.0, 1.0)
    client.uaclient.protocol = type("Protocol", (), {"transport": Transport()})
    assert client._is_on_this_machine() is is_here


async def test_a_wrong_password_is_told():
    async with listening() as there:
        told = await attempt(there.url, Login(USER, "wrong"))
        assert str(told) == f"{there.url}: does not let anna in"
        assert "twincell user add" in told.hint
        assert "After too many of them wait a minute" in told.hint


async def test_a_server_that_wants_a_name_is_told():
    async with listening(anonymous=False) as there:
        told = await attempt(there.url, Login())
        assert str(told) == f"{there.url}: lets nobody in without a name"
        assert "--user" in told.hint


async def test_a_server_that_wants_encryption_is_told(security, own):
    async with listening(own, ALL_POLICIES[1:]) as there:
        told = await attempt(there.url, Login(folder=security))
        assert str(told) == f"{there.url}: wants an encrypted connection"
        assert told.hint == "give --secure"


async def test_a_server_that_does_not_trust_us_is_told(security, own):
    async with listening(own, refuses=ua.StatusCodes.BadSecurityChecksFailed) as there:
        told = await attempt(there.url, Login(secure=True, folder=security))
        assert str(told) == f"{there.url}: does not trust our certificate"
        assert told.hint.endswith(f"twincell trust accept {own.facts.thumbprint}")


async def test_a_server_that_finds_fault_with_our_certificate_is_told(security, own):
    async with listening(own, refuses=ua.StatusCodes.BadCertificateTimeInvalid) as there:
        told = await attempt(there.url, Login(secure=True, folder=security))
        assert "refuses our certificate: BadCertificateTimeInvalid" in str(told)
        assert "twincell certificate show" in told.hint


async def test_another_refusal_stays_what_it_is(security, own):
    async with listening(own, refuses=ua.StatusCodes.BadTooManySessions) as there:
        with pytest.raises(ua.UaStatusCodeError) as raised:
            async with connected(there.url, "test", Login(secure=True, folder=security)):
                pass
        assert raised.value.code == ua.StatusCodes.BadTooManySessions
