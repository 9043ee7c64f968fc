"""The address space of a cell, built without a server."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from asyncua import ua
from asyncua.server.address_space import AddressSpace, NodeManagementService
from asyncua.server.standard_address_space.standard_address_space import fill_address_space

from twincell.server.opcua.space.namespaces import CELL, TYPES, cell_id
from twincell.server.opcua.space.space import CellSpace
from twincell.sim.build import compile_cell
from twincell.sim.signals import SignalTable
from twincell.sim.spec import load_cell, load_text
from twincell.sim.spec.cell import CellSpec

ROOT = Path(__file__).parents[3]
GANTRY = ROOT / "config" / "robots" / "gantry.toml"

# one of everything that the shipped tool changes do not have: slides, a drum, free joints
OTHER_KINDS = f"""
name = "Other kinds"

[frame.Floor]

[robot.Gantry]
model = "{GANTRY}"
drive = "ideal"

[body.Admission]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]

[body.Drawer]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]

[joint.Hinge]
type = "revolute"
parent = "Floor"
child = "Admission"

[joint.Slide]
type = "prismatic"
parent = "Floor"
child = "Drawer"

[body.Nut]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]

[joint.Screw]
type = "screw"
parent = "Drawer"
child = "Nut"
pitch_m = 0.005

[collision_object.Robots]
on = "Floor"
rectangle = {{ length_m = 0.1, width_m = 0.2 }}

[constrained_object.Latch]
on = "Admission"
radius_m = 0.1
eta = 30
transition = true
transition_s = 0.25
"""


@dataclass(frozen=True)
class Built:
    """A cell's nodes, and what they were made from."""

    aspace: AddressSpace
    space: CellSpace
    spec: CellSpec
    signals: SignalTable

    def attribute(self, node_id: ua.NodeId, attribute: ua.AttributeIds) -> Any:
        return self.aspace[node_id].attributes[attribute].value.Value.Value

    def value(self, name: str) -> Any:
        return self.attribute(cell_id(name), ua.AttributeIds.Value)

    def children(self, node_id: ua.NodeId) -> dict[str, ua.NodeId]:
        """Components, properties and what is organized, by browse name."""
        kinds = (ua.ObjectIds.HasComponent, ua.ObjectIds.HasProperty, ua.ObjectIds.Organizes)
        return {
            reference.BrowseName.Name: reference.NodeId
            for reference in self.aspace[node_id].references
            if reference.IsForward and reference.ReferenceTypeId.Identifier in kinds
        }

    def targets(self, node_id: ua.NodeId, kind: int, forward: bool = True) -> list[ua.NodeId]:
        return [
            reference.NodeId
            for reference in self.aspace[node_id].references
            if reference.IsForward is forward and reference.ReferenceTypeId == ua.NodeId(kind)
        ]

    def own_ids(self) -> list[ua.NodeId]:
        """Every node that is not the standard's."""
        return [i for i in list(self.aspace.keys()) if i.NamespaceIndex in (TYPES, CELL)]


def standard_space() -> AddressSpace:
    aspace = AddressSpace()
    fill_address_space(NodeManagementService(aspace))
    return aspace


def build(spec: CellSpec) -> Built:
    aspace, signals = standard_space(), compile_cell(spec).signals
    return Built(aspace, CellSpace(aspace, spec, signals), spec, signals)


@cache
def shipped(cell: str) -> Built:
    """Nodes of a shipped cell, built once; tests only look."""
    return build(load_cell(ROOT / "config" / "cells" / f"{cell}.toml"))


@cache
def other_kinds() -> Built:
    return build(load_text(OTHER_KINDS))
