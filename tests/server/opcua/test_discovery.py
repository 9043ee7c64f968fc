"""Who finds this server: endpoints and descriptions with an address that the client can use."""

import pytest
from asyncua import ua
from asyncua.ua.ua_binary import struct_to_binary
from hypothesis import given
from hypothesis import strategies as st

from twincell.server.opcua.view.discovery import address_used, find_servers, get_endpoints

LOCAL = ("192.168.0.5", 4841)
LOCAL_URL = "opc.tcp://192.168.0.5:4841"
BINARY = "http://opcfoundation.org/UA-Profile/Transport/uatcp-uasc-uabinary"
OTHER = "http://opcfoundation.org/UA-Profile/Transport/wss-uasc-uabinary"

SERVER = ua.ApplicationDescription(
    ApplicationUri="urn:twincell:server", DiscoveryUrls=["opc.tcp://localhost:4841"]
)


def endpoint(profile: str = BINARY, level: int = 1) -> ua.EndpointDescription:
    return ua.EndpointDescription(
        "opc.tcp://localhost:4841", SERVER, TransportProfileUri=profile, SecurityLevel=level
    )


def answered(url: str | None, local: tuple[object, ...] = LOCAL) -> str:
    """The URL that a client gets who came with this one."""
    (found,) = get_endpoints(ua.GetEndpointsParameters(EndpointUrl=url), [endpoint()], local)
    assert found.Server.DiscoveryUrls == [found.EndpointUrl]
    (server,) = find_servers(ua.FindServersParameters(EndpointUrl=url), SERVER, local)
    assert server.DiscoveryUrls == [found.EndpointUrl]
    return str(found.EndpointUrl)


# ---------------------------------------------------------------- addresses


@pytest.mark.parametrize(
    "used, answer",
    [
        ("opc.tcp://10.0.0.7:4840", "opc.tcp://10.0.0.7:4840"),
        ("opc.tcp://10.0.0.7:4840/", "opc.tcp://10.0.0.7:4840"),
        ("opc.tcp://cell-1.plant_2.local:51210/any/path", "opc.tcp://cell-1.plant_2.local:51210"),
        ("OPC.TCP://Cell:1", "opc.tcp://Cell:1"),
        ("opc.tcp://cell", "opc.tcp://cell:4840"),
        ("opc.tcp://cell/", "opc.tcp://cell:4840"),
        ("opc.tcp://[::1]:4840", "opc.tcp://[::1]:4840"),
        ("opc.tcp://[FE80::1%eth0]", "opc.tcp://[fe80::1%eth0]:4840"),
        ("opc.tcp://prüfzelle:4840", "opc.tcp://prüfzelle:4840"),
        ("opc.tcp://" + "x" * 255 + ":4840", "opc.tcp://" + "x" * 255 + ":4840"),
    ],
)
def test_a_client_is_answered_with_the_address_it_used(used: str, answer: str):
    assert answered(used) == answer


@pytest.mark.parametrize(
    "used",
    [
        None,
        "",
        "x" * 10_000,
        "opc.tcp://" + "x" * 256 + ":4840",
        "opc.tcp://cell/" + "x" * 10_000,
        "http://x",
        "opc.tcp://",
        "opc.tcp:///path",
        "opc.tcp://:4840",
        "opc.tcp://cell:",
        "opc.tcp://cell:0",
        "opc.tcp://cell:65536",
        "opc.tcp://cell:999999",
        "opc.tcp://cell:-1",
        "opc.tcp://cell:٤٨٤٠",
        "opc.tcp://a b:4840",
        "opc.tcp://cell:4840\n",
        "opc.tcp://cell:4840/a\nb",
        " opc.tcp://cell:4840",
        "opc.tcp://cell\x00:4840",
        "opc.tcp://cell\udcff:4840",
        "opc.tcp://\u202ecell:4840",
        "opc.tcp://user@cell:4840",
        "opc.tcp://cell?x:4840",
        "opc.tcp://<b>:4840",
        "opc.tcp://::1:4840",
        "opc.tcp://[::g]:4840",
        "opc.tcp://[1:2:3]:4840",
        "opc.tcp://[cell]:4840",
    ],
)
def test_nonsense_is_answered_with_the_address_of_the_socket(used: str | None):
    assert answered(used) == LOCAL_URL


def test_a_socket_of_ip_version_6_has_brackets_around_its_address():
    assert answered(None, ("::1", 4841, 0, 0)) == "opc.tcp://[::1]:4841"


HOSTILE = st.one_of(
    st.none(),
    st.text(),
    st.text(max_size=300).map("opc.tcp://{}".format),
    st.from_regex(r"(?i)opc\.tcp://[^/]{0,20}(:[0-9]{0,6})?(/.*)?"),
    st.binary().map(lambda raw: raw.decode(errors="surrogateescape")),
)


@given(HOSTILE)
def test_whatever_a_client_says_the_answer_is_a_url_that_it_understands(url: str | None):
    answer = answered(url)
    assert answer.startswith("opc.tcp://")
    assert len(answer) <= len("opc.tcp://:65535") + 255
    assert answer.isprintable() and " " not in answer
    address = address_used(answer)
    assert address is not None and address.url == answer  # what was answered can be used
    struct_to_binary(ua.GetEndpointsParameters(EndpointUrl=answer))
    answer.encode()


# ---------------------------------------------------------------- who is asked for


def profiles(*asked: str) -> list[int]:
    """Security levels of the endpoints that a client finds who asks for these profiles."""
    offered = [endpoint(BINARY, 1), endpoint(OTHER, 2), endpoint(BINARY, 3)]
    params = ua.GetEndpointsParameters(ProfileUris=list(asked))
    return [found.SecurityLevel for found in get_endpoints(params, offered, LOCAL)]


def test_all_endpoints_are_found_in_their_order():
    assert profiles() == [1, 2, 3]
    params = ua.GetEndpointsParameters(ProfileUris=None)
    assert len(get_endpoints(params, [endpoint()], LOCAL)) == 1


def test_only_endpoints_with_a_wanted_profile_are_found():
    assert profiles(BINARY) == [1, 3]
    assert profiles(OTHER, BINARY) == [1, 2, 3]
    assert profiles("urn:none") == []
    assert profiles(BINARY + "/") == []


def test_the_server_is_found_by_its_exact_uri_only():
    def found(*uris: str | None) -> int:
        return len(find_servers(ua.FindServersParameters(ServerUris=list(uris)), SERVER, LOCAL))

    assert found() == 1
    assert found("urn:other", "urn:twincell:server") == 1
    assert found("urn:twincell") == 0
    assert found("URN:TWINCELL:SERVER") == 0
    assert found(None) == 0


def test_what_was_given_is_not_changed():
    given_ = endpoint()
    get_endpoints(ua.GetEndpointsParameters(EndpointUrl="opc.tcp://cell"), [given_], LOCAL)
    find_servers(ua.FindServersParameters(EndpointUrl="opc.tcp://cell"), SERVER, LOCAL)
    assert given_ == endpoint()
    assert SERVER.DiscoveryUrls == ["opc.tcp://localhost:4841"]
