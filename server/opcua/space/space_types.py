"""The types of a cell's objects, declared from the same lists of signals as the objects.

They are the same for every cell, so a client that knows them knows every cell.
"""

from collections.abc import Iterable

from asyncua import ua
from asyncua.ua import ObjectIds, VariantType

from twincell.server.opcua.space.namespaces import TYPES, base_id, type_id
from twincell.server.opcua.space.node_store import Name, NodeStore, Place
from twincell.server.opcua.space.space_bridges import FOLDER_NAME, TYPE_NAME, add_bridge
from twincell.server.opcua.space.space_bulk import find_blocks
from twincell.server.opcua.space.space_groups import find_groups, last_part
from twincell.server.opcua.space.space_kinds import KINDS, ObjectKind
from twincell.server.opcua.space.space_members import FOLDER, MANDATORY, OPTIONAL, Members, Value
from twincell.server.opcua.space.space_simulation import add_simulation

BASE_OBJECT = base_id(ObjectIds.BaseObjectType)
GENERATES_EVENT = base_id(ObjectIds.GeneratesEvent)

CONTROL = Value(
    "Control", VariantType.String, "Who commands: nobody, timeline, demo, a bridge or session"
)


def add_types(store: NodeStore, event_types: Iterable[ua.NodeId]) -> None:
    """All object types."""
    members = Members(store, TYPES)
    for kind in KINDS:
        _add_kind(store, members, kind)
    _add_type(store, "SimulationType", "The clock of a cell, and how well it keeps time")
    add_simulation(members, type_id("SimulationType"), "SimulationType", 0)
    _add_type(store, "BulkType", "A whole cell in a few arrays")
    for block in find_blocks("BulkType", ()):
        members.add_block(type_id("BulkType"), *block)
    _add_type(store, TYPE_NAME, "A connection to a controller that is an OPC UA server")
    add_bridge(members, type_id(TYPE_NAME), TYPE_NAME)
    _add_cell_type(store, members, event_types)


def _add_kind(store: NodeStore, members: Members, kind: ObjectKind) -> None:
    node_id = _add_type(store, kind.type, kind.description)
    for group in find_groups(kind.declared_signals()):
        members.add_group(node_id, group, last_part(group.name) in kind.optional)
    for value in kind.values:
        members.add_value(node_id, kind.type, value)
    for method in kind.methods(0):
        members.add_method(node_id, kind.type, method)


def _add_cell_type(store: NodeStore, members: Members, events: Iterable[ua.NodeId]) -> None:
    """A cell always has a simulation and a bulk; its folders depend on what is in it."""
    cell = _add_type(store, "CellType", "A robot cell")
    members.add_value(cell, "CellType", CONTROL)
    mandatory, optional = Place(cell, rule=MANDATORY), Place(cell, rule=OPTIONAL)
    simulation = type_id("CellType.Simulation")
    store.add_object(simulation, Name("Simulation"), mandatory, type_id("SimulationType"))
    add_simulation(members, simulation, "CellType.Simulation", 0)
    store.add_object(type_id("CellType.Bulk"), Name("Bulk"), mandatory, type_id("BulkType"))
    for folder in (*(kind.folder for kind in KINDS), FOLDER_NAME):
        store.add_object(type_id(f"CellType.{folder}"), Name(folder), optional, FOLDER)
    for event in events:
        store.refer(cell, GENERATES_EVENT, event)


def _add_type(store: NodeStore, name: str, description: str) -> ua.NodeId:
    node_id = type_id(name)
    store.add_object_type(node_id, Name(name), BASE_OBJECT, description)
    return node_id
