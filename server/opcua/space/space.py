"""The address space of a cell: every signal a node, with the groups, objects and folders above it.

    Objects/Cell
        Simulation, Bulk
        CollisionObjects/<name>, ConstrainedObjects/<name>, Robots/<name>, Bodies/<name>, ...
        Bridges/<name>

A node's id is its name: `Tool1`, `Tool1.Pose`, `Tool1.Pose.X`, `Simulation.Time`. Folders are
called `Cell.Robots`, so that an object of the cell may be called Robots; the names Cell, Simulation
and Bulk are ours.
"""

from itertools import chain

from asyncua import ua
from asyncua.server.address_space import AddressSpace
from asyncua.ua import ObjectIds

from twincell.server.opcua.space.namespaces import CELL, base_id, cell_id, type_id
from twincell.server.opcua.space.node_store import ORGANIZES, Name, NodeStore, Place
from twincell.server.opcua.space.space_bridges import FOLDER_NAME, TYPE_NAME, add_bridge
from twincell.server.opcua.space.space_bulk import find_blocks
from twincell.server.opcua.space.space_events import add_event_types
from twincell.server.opcua.space.space_groups import Group, find_groups
from twincell.server.opcua.space.space_kinds import KINDS, ObjectKind
from twincell.server.opcua.space.space_members import FOLDER, Members
from twincell.server.opcua.space.space_namespaces import add_namespaces
from twincell.server.opcua.space.space_simulation import add_simulation
from twincell.server.opcua.space.space_types import CONTROL, add_types
from twincell.server.opcua.space.variable import Variable
from twincell.sim.signals import Signal, SignalTable
from twincell.sim.spec.cell import CellSpec

OBJECTS = base_id(ObjectIds.ObjectsFolder)
SERVER = base_id(ObjectIds.Server)
HAS_NOTIFIER = base_id(ObjectIds.HasNotifier)
MS = 1000.0


class CellSpace:
    """The nodes of a cell, and what each of them shows."""

    def __init__(self, aspace: AddressSpace, spec: CellSpec, signals: SignalTable) -> None:
        self.variables: dict[ua.NodeId, Variable] = {}  # nodes whose values come from rows
        self.slow: dict[str, ua.NodeId] = {}  # other values that change, by name
        self.methods: dict[str, ua.NodeId] = {}  # by name: Simulation.Pause, Robot1.MoveJoint
        self.nodes: dict[str, ua.NodeId] = {}  # objects of the cell, by name
        self.cell = cell_id("Cell")
        self._store = NodeStore(aspace)
        self._members = Members(self._store, CELL, spec.step_s * MS)
        add_namespaces(self._store)
        self.event_types = add_event_types(self._store)
        add_types(self._store, self.event_types.values())

        objects = {name: find_groups(own) for name, own in _by_object(signals).items()}
        groups = sorted(chain(*objects.values()), key=lambda group: group.columns)
        self._add_cell(spec)
        self._add_simulation(len(signals))
        self._add_folders(spec, objects)
        self._add_bulk(groups)
        self._add_bridges(spec)

    def node_id(self, name: str) -> ua.NodeId:
        """Id of an object, a signal, a group of signals, or another member."""
        return cell_id(name)

    def _add_cell(self, spec: CellSpec) -> None:
        place, cell_type = Place(OBJECTS, ORGANIZES), type_id("CellType")
        about = spec.description.strip() or spec.name
        self._store.add_object(
            self.cell, Name("Cell", CELL), place, cell_type, about, notifies=True
        )
        self._store.refer(SERVER, HAS_NOTIFIER, self.cell)
        self.slow["Cell.Control"] = self._members.add_value(self.cell, "Cell", CONTROL)

    def _add_simulation(self, n_signal: int) -> None:
        node_id = cell_id("Simulation")
        place, simulation_type = Place(self.cell), type_id("SimulationType")
        self._store.add_object(node_id, Name("Simulation"), place, simulation_type)
        clock, slow, methods = add_simulation(self._members, node_id, "Simulation", n_signal)
        self._show(clock)
        self.slow |= slow
        self.methods |= methods

    def _add_folders(self, spec: CellSpec, objects: dict[str, list[Group]]) -> None:
        """Every object in the folder of its kind; a folder without objects is left out."""
        for kind in KINDS:
            names = [name for name in kind.names(spec) if name in objects]
            folder = cell_id(f"Cell.{kind.folder}")
            if names:
                self._store.add_object(folder, Name(kind.folder), Place(self.cell), FOLDER)
            for name in names:
                self._add_object(spec, kind, folder, name, objects[name])
        if lost := objects.keys() - self.nodes.keys():
            raise LookupError(f"no folder for {', '.join(sorted(lost))}")

    def _add_object(
        self, spec: CellSpec, kind: ObjectKind, folder: ua.NodeId, name: str, groups: list[Group]
    ) -> None:
        node_id = self.nodes[name] = cell_id(name)
        self._store.add_object(node_id, Name(name, CELL), Place(folder), type_id(kind.type))
        for group in groups:
            self._show(self._members.add_group(node_id, group))
        for value, constant in zip(kind.values, kind.constants(spec, name), strict=True):
            self._members.add_value(node_id, name, value, constant)
        model = spec.robot_models.get(name)
        for method in kind.methods(len(model.axes) if model else 0):
            added = self._members.add_method(node_id, name, method)
            self.methods[f"{name}.{method.name}"] = added

    def _add_bulk(self, groups: list[Group]) -> None:
        node_id = cell_id("Bulk")
        self._store.add_object(node_id, Name("Bulk"), Place(self.cell), type_id("BulkType"))
        for block in find_blocks("Bulk", groups):
            if block.variable.columns:
                self._members.add_block(node_id, *block)
                self._show([block.variable])

    def _add_bridges(self, spec: CellSpec) -> None:
        folder = cell_id(f"Cell.{FOLDER_NAME}")
        if spec.bridge:
            self._store.add_object(folder, Name(FOLDER_NAME), Place(self.cell), FOLDER)
        for bridge in spec.bridge:
            name, node_id = bridge.name, cell_id(bridge.name)
            self._store.add_object(node_id, Name(name, CELL), Place(folder), type_id(TYPE_NAME))
            self.slow |= add_bridge(self._members, node_id, name, bridge.endpoint)

    def _show(self, variables: list[Variable]) -> None:
        self.variables |= {cell_id(variable.name): variable for variable in variables}


def _by_object(signals: SignalTable) -> dict[str, list[Signal]]:
    """Signals by the object they belong to, in the order of the row."""
    found: dict[str, list[Signal]] = {}
    for signal in signals:
        found.setdefault(signal.name.partition(".")[0], []).append(signal)
    return found
