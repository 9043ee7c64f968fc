"""What is told about a tool changer after a run: what it locked and let go, and its faults.

As its own controller saw it, not as it was.
"""

from collections.abc import Callable
from typing import Any


def event(before: str, value: Callable[[str], Any]) -> str:
    """What has happened, now that it has come into another state; empty if that is no news."""
    state = value("State")
    if state == "LockedTool":
        return f"locked tool {value('ToolId')}"
    if state == "LockedEmpty":
        return "locked without a tool"
    if state == "Fault":
        return f"fault: {value('FaultText')}"
    return "unlocked" if before == "Unlocking" else ""
