"""Nobody gets into a session that is not his own."""

import secrets

import pytest
from asyncua import ua

from bench.attack_intruder import Intruder
from bench.ua_user import user_token
from tests.attack.besieged import PASSWORD, Besieged

TICK = ua.NodeId("Simulation.Tick", 3)


def read(intruder: Intruder) -> int:
    request = ua.ReadRequest()
    request.Parameters.NodesToRead = [ua.ReadValueId(TICK, ua.AttributeIds.Value)]
    (result,) = intruder.ask(request).Results
    return int(result.Value.Value)


def test_guessed_tokens_open_nothing(besieged: Besieged):
    with besieged.intruder() as owner, Intruder(besieged.endpoint) as thief:
        guesses = [ua.NodeId(n, 0) for n in (0, 1, 2, 1001, 1002, 2**32 - 1)]
        guesses += [ua.NodeId(secrets.token_bytes(32), 0) for _ in range(200)]
        own = bytes(owner.token.Identifier)
        guesses += [ua.NodeId(own[:-1] + bytes([own[-1] ^ bit]), 0) for bit in range(1, 256)]
        for guess in guesses:
            thief.token = guess
            with pytest.raises(ua.uaerrors.BadSessionIdInvalid):
                read(thief)
        assert read(owner) > 0


def test_tokens_do_not_follow_one_another(besieged: Besieged):
    tokens, ids = set(), set()
    with Intruder(besieged.endpoint) as intruder:
        for _ in range(5):
            made = intruder.create_session()
            tokens.add(bytes(made.AuthenticationToken.Identifier))
            ids.add(made.SessionId.Identifier)
    assert len(tokens) == len(ids) == 5
    assert all(len(token) == 32 for token in tokens)
    assert min(abs(a - b) for a in ids for b in ids if a != b) > 1


def test_the_right_token_is_worth_nothing_on_another_channel(besieged: Besieged):
    with besieged.intruder("engineer") as owner, Intruder(besieged.endpoint) as thief:
        thief.token = owner.token
        with pytest.raises(ua.uaerrors.BadSessionIdInvalid):
            read(thief)
        with pytest.raises(ua.uaerrors.BadSessionIdInvalid):
            thief.ask(ua.CloseSessionRequest())
        with pytest.raises(ua.UaStatusCodeError):  # an engineer's session, by somebody without name
            thief.activate()
        with pytest.raises(ua.UaStatusCodeError):
            read(thief)
        assert read(owner) > 0


def test_another_user_cannot_take_a_session_over(besieged: Besieged):
    with besieged.intruder("engineer") as owner, Intruder(besieged.endpoint) as thief:
        made = thief.create_session()
        thief.token = owner.token
        foreign = user_token(made.ServerCertificate, made.ServerNonce, "observer", PASSWORD)
        with pytest.raises(ua.UaStatusCodeError):
            thief.activate(foreign)
        assert read(owner) > 0


def test_a_session_that_was_not_activated_reads_nothing(besieged: Besieged):
    with Intruder(besieged.endpoint) as intruder:
        intruder.create_session()
        with pytest.raises(ua.uaerrors.BadSessionNotActivated):
            read(intruder)
        with pytest.raises(ua.uaerrors.BadSessionIdInvalid):
            intruder.activate()  # it is over


@pytest.mark.parametrize("nonce", ["none", "another", "half", "old"])
def test_a_password_with_a_wrong_nonce_logs_nobody_in(besieged: Besieged, nonce: str):
    with Intruder(besieged.endpoint) as intruder, Intruder(besieged.endpoint) as other:
        made, foreign = intruder.create_session(), other.create_session()
        wrong = {
            "none": b"",
            "another": foreign.ServerNonce,
            "half": made.ServerNonce[:16],
            "old": made.ServerNonce,
        }[nonce]
        token = user_token(made.ServerCertificate, wrong, "engineer", PASSWORD)
        if nonce == "old":
            intruder.activate(token)  # good once, and no second time
        with pytest.raises(ua.uaerrors.BadIdentityTokenInvalid):
            intruder.activate(token)


def test_a_recorded_connection_that_is_sent_again_logs_nobody_in(besieged: Besieged):
    recorded: list[bytes] = []

    class Recorded(Intruder):
        def send(self, body: bytes) -> int:
            recorded.append(body)
            return super().send(body)

    with Recorded(besieged.endpoint) as owner:
        owner.log_in("engineer", PASSWORD)
        read(owner)
    with Intruder(besieged.endpoint) as thief:
        answers = [thief.answer_to(thief.send(body)) for body in recorded]
    kinds = [int.from_bytes(answer[2:4], "little") for answer in answers]
    fault = ua.ObjectIds.ServiceFault_Encoding_DefaultBinary
    assert kinds == [ua.ObjectIds.CreateSessionResponse_Encoding_DefaultBinary, fault, fault]
