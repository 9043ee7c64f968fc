"""SubscriptionDiagnostics: what a subscription has done, as ServerDiagnostics tells it.

OPC UA part 5, 12.15
"""

from typing import Any

from asyncua import ua

from twincell.server.opcua.subscription.subscription import Subscription


def uint32(count: int) -> int:
    """A count as it fits into 32 bits: it begins again at 0, as values at 1 kHz are soon many."""
    return count & 0xFFFF_FFFF


def subscription_diagnostics(subscription: Subscription) -> Any:
    """One element of SubscriptionDiagnosticsArray."""
    terms, counts = subscription.terms, subscription.counts
    told = ua.SubscriptionDiagnosticsDataType()
    told.SessionId = subscription.session_id
    told.SubscriptionId = subscription.number
    told.Priority = terms.priority
    told.PublishingInterval = terms.interval_ms
    told.MaxKeepAliveCount = terms.keep_alive
    told.MaxLifetimeCount = terms.lifetime
    told.MaxNotificationsPerPublish = terms.most_notifications
    told.PublishingEnabled = subscription.enabled
    told.ModifyCount = uint32(counts.modified)
    told.EnableCount = uint32(counts.enabled)
    told.DisableCount = uint32(counts.disabled)
    told.RepublishRequestCount = uint32(counts.republish_requests)
    told.RepublishMessageRequestCount = uint32(counts.republish_requests)
    told.RepublishMessageCount = uint32(counts.republished)
    told.TransferRequestCount = uint32(counts.transfer_requests)
    told.TransferredToAltClientCount = uint32(counts.transferred_to_other_client)
    told.TransferredToSameClientCount = uint32(counts.transferred_to_same_client)
    told.PublishRequestCount = uint32(counts.publish_answers)
    told.DataChangeNotificationsCount = uint32(counts.values)
    told.EventNotificationsCount = uint32(counts.events)
    told.NotificationsCount = uint32(counts.values + counts.events)
    told.LatePublishRequestCount = uint32(counts.late)
    told.CurrentKeepAliveCount = subscription.idle
    told.CurrentLifetimeCount = subscription.unheard
    told.UnacknowledgedMessageCount = len(subscription.kept_numbers)
    told.DiscardedMessageCount = uint32(counts.discarded_messages)
    told.MonitoredItemCount = len(subscription.items)
    told.DisabledMonitoredItemCount = subscription.items.n_disabled
    told.NextSequenceNumber = subscription.next_number
    return told
