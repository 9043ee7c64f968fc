"""What is told about an indicator lamp after a run: its faults."""

from collections.abc import Callable
from typing import Any


def event(before: str, value: Callable[[str], Any]) -> str:
    """What has happened, now that it has come into another state; empty if that is no news."""
    return f"fault: {value('FaultText')}" if value("State") == "Fault" else ""
