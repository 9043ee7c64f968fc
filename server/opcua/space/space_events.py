"""Types of the events that a cell sends."""

from asyncua import ua
from asyncua.ua import ObjectIds

from twincell.server.opcua.space.namespaces import base_id, type_id
from twincell.server.opcua.space.node_store import (
    HAS_PROPERTY,
    PROPERTY,
    Facts,
    Name,
    NodeStore,
    Place,
)
from twincell.server.opcua.space.space_members import MANDATORY

Field = tuple[str, int, str]  # name, data type, description

BASE_EVENT = "TwincellEventType"
TICK: Field = ("Tick", ObjectIds.Int64, "The tick in which it happened")

TOOL_FIELDS: tuple[Field, ...] = (
    ("Object", ObjectIds.String, "Constrained object"),
    ("Partner", ObjectIds.String, "Collision object that holds it now, empty when free"),
    ("PreviousPartner", ObjectIds.String, "Collision object that held it before, empty if free"),
    ("Force", ObjectIds.ThreeDVector, "Constraint force on it, own axes [N]"),
    ("Torque", ObjectIds.ThreeDVector, "Constraint torque on it, own axes [N.m]"),
)
FAULT_FIELDS: tuple[Field, ...] = (
    ("Name", ObjectIds.String, "Of the lever, or kind and target of a protocol fault"),
    ("Value", ObjectIds.Double, "Where the lever stands now, or the amount of the fault"),
)
EVENTS: dict[str, tuple[str, tuple[Field, ...]]] = {
    "ToolAttachedEventType": ("A free object was caught", TOOL_FIELDS),
    "ToolReleasedEventType": ("An object was let go", TOOL_FIELDS),
    "PartnerChangedEventType": ("An object went from one partner to another", TOOL_FIELDS),
    "OverloadEventType": (
        "A drive reached its greatest force or torque",
        (
            ("Robot", ObjectIds.String, "Whose drive"),
            ("Joint", ObjectIds.Int32, "Number of the joint, from 1"),
        ),
    ),
    "LoopOverrunEventType": (
        "Ticks took longer than the step",
        (
            ("Overruns", ObjectIds.Int64, "How many since the last such event"),
            ("LatenessUs", ObjectIds.Double, "How late the latest tick began [us]"),
        ),
    ),
    "ControllerLostEventType": (
        "Who commanded the cell is gone, or says nothing any more",
        (
            ("Controller", ObjectIds.String, "Who it was"),
            ("SilentFor", ObjectIds.Double, "Time since its last command [s]"),
            ("Reaction", ObjectIds.String, "nothing, stop, pause, or stands still"),
        ),
    ),
    "FaultInjectedEventType": ("Something was broken on purpose", FAULT_FIELDS),
    "FaultClearedEventType": ("A fault that was injected is over", FAULT_FIELDS),
}


def add_event_types(store: NodeStore) -> dict[str, ua.NodeId]:
    """The types by name; one that has only what all have stands above the others."""
    base = _add(
        store, BASE_EVENT, base_id(ObjectIds.BaseEventType), "An event of the cell", (TICK,)
    )
    own = {name: _add(store, name, base, *about) for name, about in EVENTS.items()}
    return {BASE_EVENT: base, **own}


def _add(
    store: NodeStore, name: str, parent: ua.NodeId, description: str, fields: tuple[Field, ...]
) -> ua.NodeId:
    node_id = type_id(name)
    store.add_object_type(node_id, Name(name), parent, description, abstract=name == BASE_EVENT)
    for field, data_type, text in fields:
        store.add_variable(
            type_id(f"{name}.{field}"),
            Name(field),
            Place(node_id, HAS_PROPERTY, MANDATORY),
            Facts(base_id(data_type)),
            PROPERTY,
            text,
        )
    return node_id
