"""What each role may do with a node.

read a value        observer; what other sessions do: engineer
write a command     operator
call a method       engineer; one that is about the caller's own subscriptions: observer
"""

from dataclasses import replace

from asyncua import ua
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.diagnostic.diagnostics import PROTECTED
from twincell.server.security.roles import Role

WRITER = Role.OPERATOR
CALLER = Role.ENGINEER
WRITE = ua.AccessLevel.CurrentWrite.mask
READ = ua.AccessLevel.CurrentRead.mask

GET_MONITORED_ITEMS = ua.NodeId(ObjectIds.Server_GetMonitoredItems)
RESEND_DATA = ua.NodeId(ObjectIds.Server_ResendData)


def may_read(role: Role, node: ua.NodeId) -> bool:
    """Whether a role may see a node's value."""
    return role >= (Role.ENGINEER if node in PROTECTED else Role.OBSERVER)


def may_call(role: Role, method: ua.NodeId) -> bool:
    """Whether a role may call a method."""
    is_about_own = method in (GET_MONITORED_ITEMS, RESEND_DATA)
    return role >= (Role.OBSERVER if is_about_own else CALLER)


def for_user(
    held: ua.DataValue, attribute: ua.AttributeIds, node: ua.NodeId, role: Role
) -> ua.DataValue:
    """An attribute as a user sees it: some tell what this user may do."""
    if attribute == ua.AttributeIds.UserAccessLevel and held.Value is not None:
        level = held.Value.Value or 0
        if role < WRITER:
            level &= ~WRITE
        if not may_read(role, node):
            level &= ~READ
        return replace(held, Value=ua.Variant(level, ua.VariantType.Byte))
    if attribute == ua.AttributeIds.UserExecutable and held.Value is not None:
        is_callable = bool(held.Value.Value) and may_call(role, node)
        return replace(held, Value=ua.Variant(is_callable, ua.VariantType.Boolean))
    return held
