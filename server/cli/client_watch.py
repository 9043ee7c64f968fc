"""What twincell watch does: subscribe, and print a line for every change."""

import typer
from asyncua import ua
from asyncua.common.subscription import DataChangeEvent

from twincell.server.client.mistake import Mistake
from twincell.server.client.nodes import facts_of
from twincell.server.client.session import Session
from twincell.server.client.values import shown, time_of
from twincell.server.logging.log_line import printable

QUEUE = 1_000  # samples that the server keeps for a line that is slow
KEPT = 100_000  # changes that we keep for a terminal that is slow


async def print_changes(session: Session, names: list[str], interval_ms: float) -> None:
    """Print changes until the connection is lost."""
    facts = {one.node: one for one in await facts_of(session, names)}
    widest = max(len(one.name) for one in facts.values())
    subscription = await session.client.create_subscription(interval_ms, queue_maxsize=KEPT)
    nodes = [session.client.get_node(node) for node in facts]
    taken = await subscription.subscribe_data_change(
        nodes, queuesize=QUEUE, sampling_interval=interval_ms
    )
    for one, result in zip(facts.values(), taken, strict=True):
        if isinstance(result, ua.StatusCode):
            raise Mistake(f"{one.name}: the server refused to watch it: {result.name}")
    while True:
        event = await session.unless_lost(subscription.next_event())
        if not isinstance(event, DataChangeEvent):
            continue
        one, value = facts[event.node.nodeid], event.data.monitored_item.Value
        time = time_of(value.SourceTimestamp)
        _print(printable(f"{time}  {one.name:<{widest}}  {shown(value)} {one.unit}").rstrip())


def _print(line: str) -> None:
    try:
        print(line, flush=True)
    except BrokenPipeError:  # such as head: it has seen enough
        raise typer.Exit from None
