"""The Call service: finds the method, checks its arguments, calls it, wraps what it gives back.

A method is a coroutine that gets the session and the checked values of its arguments, and returns
the values of its outputs. It refuses with `ua.uaerrors.Bad...` or `ArgumentsRefused`.

    OPC UA part 4, 5.12.2
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from asyncua import ua
from asyncua.server.address_space import AddressSpace, MethodService, NodeData
from asyncua.ua.object_ids import ObjectIds

from twincell.server.opcua.command.arbitration import Commander
from twincell.server.opcua.limits import Limits
from twincell.server.opcua.method.arguments import ArgumentsRefused, checked, variant_type
from twincell.server.opcua.operations import check_count, in_portions
from twincell.server.opcua.session.rights import may_call

Method = Callable[[Commander, list[Any]], Awaitable[Sequence[Any]]]


class Callee(NamedTuple):
    """What a client calls."""

    node: ua.NodeId
    method: Method
    takes: list[ua.Argument]
    gives: list[ua.Argument]


HAS_COMPONENT = ua.NodeId(ObjectIds.HasComponent)
HAS_PROPERTY = ua.NodeId(ObjectIds.HasProperty)
HAS_SUBTYPE = ua.NodeId(ObjectIds.HasSubtype)
HAS_TYPE_DEFINITION = ua.NodeId(ObjectIds.HasTypeDefinition)

log = logging.getLogger("twincell.opcua")


class CellMethods(MethodService):
    """The method service of a cell."""

    def __init__(
        self, aspace: AddressSpace, methods: Mapping[ua.NodeId, Method], limits: Limits
    ) -> None:
        super().__init__(aspace)
        self._methods = methods
        self._limits = limits
        # by object and method as they were called: nodes stay, and looking for them takes a while
        self._known: dict[tuple[ua.NodeId, ua.NodeId], Callee] = {}

    async def call_for(
        self, session: Commander, methods: list[ua.CallMethodRequest]
    ) -> list[ua.CallMethodResult]:
        """Call one method after the other for a client."""
        check_count(methods, self._limits.call_methods)
        return [await self._answer(request, session) async for request in in_portions(methods)]

    async def _answer(
        self, request: ua.CallMethodRequest, session: Commander
    ) -> ua.CallMethodResult:
        try:
            callee = self._callee(request)
            if not may_call(session.role, callee.node):
                raise ua.uaerrors.BadUserAccessDenied
            values = checked(callee.takes, request.InputArguments or [])
            outputs = await callee.method(session, values)
            return _result(
                ua.StatusCodes.Good,
                outputs=[
                    ua.Variant(value, variant_type(output))
                    for output, value in zip(callee.gives, outputs, strict=True)
                ],
            )
        except ArgumentsRefused as refusal:
            return _result(ua.StatusCodes.BadInvalidArgument, refusal.codes)
        except ua.uaerrors.UaStatusCodeError as refusal:
            return _result(refusal.code)
        except Exception:
            log.exception("the call of %s failed", request.MethodId.to_string())
            return _result(ua.StatusCodes.BadInternalError)

    def _callee(self, request: ua.CallMethodRequest) -> Callee:
        """What a request calls; raises Bad... when there is no such thing."""
        called = (request.ObjectId, request.MethodId)
        known = self._known.get(called)
        if known is None:
            found = self._find(request)
            method = self._methods.get(found)
            if method is None:
                raise ua.uaerrors.BadNotImplemented  # a method of the standard
            takes = self._arguments(found, "InputArguments")
            known = Callee(found, method, takes, self._arguments(found, "OutputArguments"))
            self._known[called] = known  # only what exists: clients cannot make it grow
        return known

    def _find(self, request: ua.CallMethodRequest) -> ua.NodeId:
        """The object's method, named by its own id or by that of its type's declaration."""
        thing = self._aspace.get(request.ObjectId)
        if thing is None:
            raise ua.uaerrors.BadNodeIdUnknown
        own = list(_methods_of(thing))
        for method in own:
            if method.NodeId == request.MethodId:
                return request.MethodId
        for declaration in self._declared_by_types(thing):
            if declaration.NodeId != request.MethodId:
                continue
            for method in own:
                if method.BrowseName == declaration.BrowseName:
                    return method.NodeId
        raise ua.uaerrors.BadMethodInvalid

    def _declared_by_types(self, thing: NodeData) -> Iterator[ua.ReferenceDescription]:
        """Methods of a thing's type, and of the types that it refines."""
        type_ = next(_targets(thing, HAS_TYPE_DEFINITION), None)
        while type_ is not None:
            node = self._aspace[type_.NodeId]
            yield from _methods_of(node)
            type_ = next(_targets(node, HAS_SUBTYPE, forward=False), None)

    def _arguments(self, method: ua.NodeId, which: str) -> list[ua.Argument]:
        """What a method declares: a list, empty when it has no such property."""
        for reference in _targets(self._aspace[method], HAS_PROPERTY):
            if reference.BrowseName.Name == which:
                value = self._aspace.read_attribute_value(reference.NodeId, ua.AttributeIds.Value)
                return list(value.Value.Value or ()) if value.Value is not None else []
        return []


def _result(
    code: int, argument_codes: Sequence[int] = (), outputs: Sequence[ua.Variant] = ()
) -> ua.CallMethodResult:
    return ua.CallMethodResult(
        StatusCode=ua.StatusCode(code),
        InputArgumentResults=[ua.StatusCode(one) for one in argument_codes],
        OutputArguments=list(outputs),
    )


def _targets(
    node: NodeData, reference: ua.NodeId, forward: bool = True
) -> Iterator[ua.ReferenceDescription]:
    for one in node.references:
        if one.ReferenceTypeId == reference and one.IsForward == forward:
            yield one


def _methods_of(node: NodeData) -> Iterator[ua.ReferenceDescription]:
    for one in _targets(node, HAS_COMPONENT):
        if one.NodeClass == ua.NodeClass.Method:
            yield one
