"""Nobody touches, reads or takes away a subscription of somebody else."""

import pytest
from asyncua import ua

from bench.attack_intruder import Intruder
from tests.attack.besieged import Besieged
from tests.attack.test_memory_attack import items, subscribe

UNKNOWN = "BadSubscriptionIdInvalid"
USERS = [(None, None), ("engineer", None), ("engineer", "observer"), ("operator", "engineer")]


def of_a_subscription(number: int) -> list[object]:
    """Requests that name one subscription, and fail as a whole when it is not there."""
    modify, republish = ua.ModifySubscriptionRequest(), ua.RepublishRequest()
    modify.Parameters.SubscriptionId = number
    republish.Parameters = ua.RepublishParameters(number, 1)
    change, delete = ua.ModifyMonitoredItemsRequest(), ua.DeleteMonitoredItemsRequest()
    changed = ua.MonitoredItemModifyRequest(1, ua.MonitoringParameters(9, 1.0, None, 1, True))
    change.Parameters = ua.ModifyMonitoredItemsParameters(number, 2, [changed])
    delete.Parameters = ua.DeleteMonitoredItemsParameters(number, [1])
    mode, trigger = ua.SetMonitoringModeRequest(), ua.SetTriggeringRequest()
    mode.Parameters = ua.SetMonitoringModeParameters(number, ua.MonitoringMode.Disabled, [1])
    trigger.Parameters = ua.SetTriggeringParameters(number, 1, [1], [])
    return [modify, republish, change, delete, mode, trigger, items(number, 1, 1)]


@pytest.mark.parametrize(("owner", "thief"), USERS)
def test_a_foreign_subscription_is_not_there(
    besieged: Besieged, owner: str | None, thief: str | None
):
    with besieged.intruder(owner) as one, besieged.intruder(thief) as other:
        number = subscribe(one, 50.0)
        one.ask(items(number, 3, 10))
        subscribe(other, 1000.0)
        for request in of_a_subscription(number):
            with pytest.raises(ua.uaerrors.BadSubscriptionIdInvalid):
                other.ask(request)
        delete, enable = ua.DeleteSubscriptionsRequest(), ua.SetPublishingModeRequest()
        delete.Parameters.SubscriptionIds = [number]
        enable.Parameters = ua.SetPublishingModeParameters(False, [number])
        assert [one.name for one in other.ask(delete).Results] == [UNKNOWN]
        assert [one.name for one in other.ask(enable).Parameters.Results] == [UNKNOWN]
        assert other_transfer(other, number) == "BadUserAccessDenied"
        # it goes on as if nothing had happened
        message = one.ask(ua.PublishRequest()).Parameters
        assert message.SubscriptionId == number
        assert message.NotificationMessage.NotificationData


def other_transfer(thief: Intruder, number: int) -> str:
    request = ua.TransferSubscriptionsRequest()
    request.Parameters = ua.TransferSubscriptionsParameters([number], True)
    (result,) = thief.ask(request).Parameters.Results
    return str(result.StatusCode.name)


def test_acknowledging_foreign_messages_does_nothing(besieged: Besieged):
    with besieged.intruder() as one, besieged.intruder() as other:
        number = subscribe(one, 50.0)
        one.ask(items(number, 1, 10))
        sent = one.ask(ua.PublishRequest()).Parameters.NotificationMessage.SequenceNumber
        subscribe(other, 5.0)
        publish = ua.PublishRequest()
        foreign = ua.SubscriptionAcknowledgement(number, sent)
        publish.Parameters.SubscriptionAcknowledgements = [foreign]
        answer = other.ask(publish).Parameters
        assert [status.name for status in answer.Results] == [UNKNOWN]
        again = ua.RepublishRequest()
        again.Parameters = ua.RepublishParameters(number, sent)
        assert one.ask(again).NotificationMessage.SequenceNumber == sent


def test_subscriptions_of_those_who_left_can_be_had_by_no_stranger(besieged: Besieged):
    with besieged.intruder("engineer") as one:
        number = subscribe(one, 1000.0)
        one.ask(ua.CloseSessionRequest(DeleteSubscriptions=False))
    for thief in (None, "observer"):
        with besieged.intruder(thief) as other:
            assert other_transfer(other, number) == "BadUserAccessDenied"
    with besieged.intruder("engineer") as same:
        assert other_transfer(same, number) == "Good"
