"""Kinds of events, as people filter them: several types of OPC UA, and of recordings, are one."""

OVERRUNS = "Overruns"  # how punctual the cell is; of no interest to who wants to know what it did
KINDS = {
    "Tools": ("ToolAttached", "ToolReleased", "PartnerChanged"),
    "Drives": ("Overload",),
    "Faults": ("FaultInjected", "FaultCleared"),
    "Control": ("ControllerLost", "ControlChanged"),
    "Recording": ("RowsLost", "OrdersLost"),
    OVERRUNS: ("LoopOverrun",),
}
KIND_OF_TYPE = {name: kind for kind, names in KINDS.items() for name in names}
SERIOUS, WARNING = "serious", "warning"
LEVEL_OF_TYPE = {
    "Overload": SERIOUS,
    "ControllerLost": SERIOUS,
    "RowsLost": SERIOUS,
    "OrdersLost": SERIOUS,
    "FaultInjected": WARNING,
}


def kind_of(type_name: str) -> str:
    """The kind of a type."""
    return KIND_OF_TYPE.get(type_name.removesuffix("EventType"), "Other")


def level_of(type_name: str) -> str:
    """How much it matters: serious, warning, or nothing."""
    return LEVEL_OF_TYPE.get(type_name.removesuffix("EventType"), "")
