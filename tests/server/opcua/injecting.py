"""Faults as an engineer injects them."""

from asyncua import Client

from tests.server.opcua.asking import call_status, read_value


async def inject(
    client: Client, kind: str, target: str, amount: float = 1.0, seconds: float = 0.0
) -> None:
    """Let a protocol fault begin."""
    arguments = (kind, target, float(amount), float(seconds))
    assert await call_status(client, "Simulation.InjectProtocolFault", *arguments) == "Good"


async def clear(client: Client) -> None:
    """End all faults."""
    assert await call_status(client, "Simulation.ClearFaults") == "Good"


async def active(client: Client) -> list[str]:
    """The faults that act now."""
    texts = await read_value(client, "Simulation.ActiveFaults")
    assert await read_value(client, "Simulation.FaultCount") == len(texts)
    return list(texts)
