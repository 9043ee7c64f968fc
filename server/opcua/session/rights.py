"""What each role may do with a node.

read a value        observer; what other sessions do: engineer
write a command     operator
call a method       engineer
"""

from dataclasses import replace

from asyncua import ua

from server.opcua.diagnostic.diagnostics import PROTECTED
from server.security.roles import Role

WRITER = Role.OPERATOR
CALLER = Role.ENGINEER
WRITE = ua.AccessLevel.CurrentWrite.mask
READ = ua.AccessLevel.CurrentRead.mask


def may_read(role: Role, node: ua.NodeId) -> bool:
    """Whether a role may see a node's value."""
    return role >= (Role.ENGINEER if node in PROTECTED else Role.OBSERVER)


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
        may_call = bool(held.Value.Value) and role >= CALLER
        return replace(held, Value=ua.Variant(may_call, ua.VariantType.Boolean))
    return held
