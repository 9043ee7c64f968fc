"""What a subscription counts for ServerDiagnostics: messages and requests, never single values."""

from dataclasses import dataclass


@dataclass(slots=True)
class SubscriptionCounts:
    """Since the subscription was created."""

    modified: int = 0
    enabled: int = 0  # times that publishing was switched on
    disabled: int = 0
    republish_requests: int = 0
    republished: int = 0  # of these, with the message that was asked for
    transfer_requests: int = 0
    transferred_to_other_client: int = 0
    transferred_to_same_client: int = 0
    publish_answers: int = 0  # Publish requests that it has answered
    values: int = 0  # sent
    events: int = 0  # sent
    late: int = 0  # intervals that ended without a Publish request, after one that did not
    discarded_messages: int = 0  # that were never acknowledged
