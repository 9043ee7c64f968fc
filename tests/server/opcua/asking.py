"""Requests to a server as a client sends them, with everything that can be wrong in them."""

from collections.abc import Awaitable
from typing import Any

from asyncua import Client, ua

from twincell.server.opcua.space.namespaces import cell_id

Node = ua.NodeId | str  # a string is the name of something in the cell


def node_id(node: Node) -> ua.NodeId:
    return cell_id(node) if isinstance(node, str) else node


def wanted(
    node: Node,
    attribute: int = ua.AttributeIds.Value,
    index_range: str | None = None,
    encoding: ua.QualifiedName | None = None,
) -> ua.ReadValueId:
    return ua.ReadValueId(node_id(node), attribute, index_range, encoding or ua.QualifiedName())


async def read(
    client: Client,
    *nodes: ua.ReadValueId | Node,
    stamps: ua.TimestampsToReturn = ua.TimestampsToReturn.Source,
    max_age: float = 0.0,
) -> list[ua.DataValue]:
    """The answer to one Read request."""
    values = [n if isinstance(n, ua.ReadValueId) else wanted(n) for n in nodes]
    return list(await client.uaclient.read(ua.ReadParameters(max_age, stamps, values)))


async def read_value(client: Client, node: Node) -> Any:
    """A good value."""
    (value,) = await read(client, node)
    value.StatusCode.check()
    return value.Value.Value


async def read_status(client: Client, *args: Any, **named: Any) -> str:
    """How reading one attribute ends; arguments as `wanted` takes them."""
    (value,) = await read(client, wanted(*args, **named))
    return str(value.StatusCode.name)


def change(
    node: Node,
    value: Any,
    type_: ua.VariantType | None = None,
    index_range: str | None = None,
    attribute: int = ua.AttributeIds.Value,
    status: int = ua.StatusCodes.Good,
) -> ua.WriteValue:
    """A value to write; its type is guessed from Python's if it is not given."""
    variant = value if isinstance(value, ua.Variant) else ua.Variant(value, type_)
    data = ua.DataValue(variant, StatusCode=ua.StatusCode(status))
    return ua.WriteValue(node_id(node), attribute, index_range, data)


async def write(client: Client, *changes: ua.WriteValue) -> list[str]:
    """How each value of one Write request ends."""
    results = await client.uaclient.write(ua.WriteParameters(list(changes)))
    return [str(result.name) for result in results]


async def call(client: Client, method: str, *arguments: Any) -> ua.CallMethodResult:
    """Call `Object.Method` with Variants, or values whose type is guessed from Python's."""
    thing, _ = method.rsplit(".", 1)
    return await call_on(client, thing, method, *arguments)


async def call_on(
    client: Client, thing: Node, method: Node, *arguments: Any
) -> ua.CallMethodResult:
    """Call a method of an object, which need not have it."""
    variants = [a if isinstance(a, ua.Variant) else ua.Variant(a) for a in arguments]
    request = ua.CallMethodRequest(node_id(thing), node_id(method), variants)
    (result,) = await client.uaclient.call([request])
    return result


async def call_status(client: Client, method: str, *arguments: Any) -> str:
    """How a call ends."""
    return str((await call(client, method, *arguments)).StatusCode.name)


async def status_of(asked: Awaitable[Any]) -> str:
    """How something that was asked for ends; what it tells, if that is a status."""
    try:
        told = await asked
    except ua.UaStatusCodeError as error:
        return str(ua.StatusCode(error.code).name)
    except ConnectionError:
        return "ConnectionError"
    return told if isinstance(told, str) else "Good"
