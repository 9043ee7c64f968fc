"""node-opcua gets the same refusals of whole requests as asyncua's client: tests/conformance."""

import pytest

from tests.conformance.secured_cell import SecuredCell

pytestmark = pytest.mark.asyncio(loop_scope="session")

TICK = {"nodeId": "ns=3;s=Simulation.Tick", "attributeId": 13}
NOTHING, TOO_MUCH = "BadNothingToDo", "BadTooManyOperations"
UNSERVED = (
    "AddNodes",
    "AddReferences",
    "DeleteNodes",
    "DeleteReferences",
    "QueryFirst",
    "QueryNext",
    "HistoryUpdate",
    "FindServersOnNetwork",
    "RegisterServer",
    "RegisterServer2",
)
# service, the field with its operations, one of them; as many as may be in a request
OPERATIONS = [
    ("Read", "nodesToRead", TICK, 1_000),
    ("Write", "nodesToWrite", TICK, 1_000),
    ("HistoryRead", "nodesToRead", {"nodeId": TICK["nodeId"]}, 1_000),
    ("Call", "methodsToCall", {}, 1_000),
    ("Browse", "nodesToBrowse", {"nodeId": "i=84"}, 1_000),
    ("BrowseNext", "continuationPoints", None, 1_000),
    ("TranslateBrowsePathsToNodeIds", "browsePaths", {}, 1_000),
    ("RegisterNodes", "nodesToRegister", "i=84", 1_000),
    ("UnregisterNodes", "nodesToUnregister", "i=84", 1_000),
    ("DeleteSubscriptions", "subscriptionIds", 1, 100),
    ("SetPublishingMode", "subscriptionIds", 1, 100),
    ("TransferSubscriptions", "subscriptionIds", 1, 100),
]
OF_ITEMS = [
    ("CreateMonitoredItems", "itemsToCreate", {"itemToMonitor": TICK, "requestedParameters": {}}),
    ("ModifyMonitoredItems", "itemsToModify", {"requestedParameters": {}}),
    ("DeleteMonitoredItems", "monitoredItemIds", 1),
    ("SetMonitoringMode", "monitoredItemIds", 1),
    ("SetTriggering", "linksToAdd", 1),
]


async def test_services_that_are_not_there_are_unsupported(tell):
    told = await tell("requests", who="engineer", requests=[[name, {}] for name in UNSERVED])
    assert told["outcomes"] == [["BadServiceUnsupported"]] * len(UNSERVED)


async def test_requests_for_nothing_or_too_much_are_refused(tell):
    requests = []
    for service, field, one, most in OPERATIONS:
        requests.append([service, {field: []}])
        requests.append([service, {field: {"one": one, "times": most + 1}}])
    told = await tell("requests", who="engineer", requests=requests)
    assert told["outcomes"] == [[NOTHING], [TOO_MUCH]] * len(OPERATIONS)


async def test_requests_about_no_or_too_many_items_are_refused(cell: SecuredCell, tell):
    number = cell.server.subscriptions._counter + 1  # of the one that the story creates
    requests = []
    for service, field, one in OF_ITEMS:
        requests.append([service, {"subscriptionId": number, field: []}])
        requests.append([service, {"subscriptionId": number, field: {"one": one, "times": 1_001}}])
        requests.append([service, {"subscriptionId": 4711, field: [one]}])
    told = await tell("requests", who="engineer", subscribed=True, requests=requests)
    unknown = "BadSubscriptionIdInvalid"
    assert told["outcomes"] == [[NOTHING], [TOO_MUCH], [unknown]] * len(OF_ITEMS)


async def test_nothing_is_published_cancelled_or_changed_that_is_not_there(tell):
    requests = [
        ["Publish", {}],
        ["Republish", {"subscriptionId": 4711}],
        ["ModifySubscription", {"subscriptionId": 4711}],
        ["DeleteSubscriptions", {"subscriptionIds": [4711]}],
        ["Cancel", {"requestHandle": 4711}],
        ["HistoryRead", {"nodesToRead": [{"nodeId": TICK["nodeId"]}]}],
        ["BrowseNext", {"continuationPoints": [None]}],
    ]
    told = await tell("requests", who="engineer", requests=requests)
    assert told["outcomes"] == [
        ["BadNoSubscription"],
        ["BadSubscriptionIdInvalid"],
        ["BadSubscriptionIdInvalid"],
        ["Good", "BadSubscriptionIdInvalid"],
        ["Good"],
        ["Good", "BadHistoryOperationUnsupported"],
        ["Good", "BadContinuationPointInvalid"],
    ]


async def test_whole_requests_with_wrong_parameters_are_refused(tell):
    requests = [
        ["Read", {"maxAge": -1, "nodesToRead": [TICK]}],
        ["Browse", {"view": {"viewId": "i=84"}, "nodesToBrowse": [{"nodeId": "i=84"}]}],
        ["Call", {"methodsToCall": [{"objectId": "ns=3;s=Nothing"}]}],
    ]
    told = await tell("requests", who="engineer", requests=requests)
    assert told["outcomes"] == [
        ["BadMaxAgeInvalid"],
        ["BadViewIdUnknown"],
        ["Good", "BadNodeIdUnknown"],
    ]
