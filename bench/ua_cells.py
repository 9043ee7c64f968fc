"""Cells to serve: tools in their holders, as many as there shall be variables."""

import math
from pathlib import Path

from asyncua import ua
from asyncua.server.address_space import AddressSpace, NodeManagementService
from asyncua.server.standard_address_space.standard_address_space import fill_address_space

from twincell.server.opcua.space.namespaces import CELL
from twincell.server.opcua.space.space import CellSpace
from twincell.sim.cell import Cell
from twincell.sim.signals import Kind
from twincell.sim.spec import load_cell

APART_M = 0.5
CLOCK = "Simulation.Time"

# a flange stands over a tool in its holder: closed it has the tool, open the holder has it
WAITING_FLANGE = """
name = "A flange over a tool"
[frame.Rack]
[frame.Hand]
[body.ToolBody]
mass_kg = 1.0
inertia_kg_m2 = [0.01, 0.01, 0.01]
[collision_object.Holder1]
on = "Rack"
mode = "passive"
sphere = { radius_m = 0.1 }
[collision_object.Robot1Flange]
on = "Hand"
mode = "control"
sphere = { radius_m = 0.1 }
[constrained_object.Tool1]
on = "ToolBody"
radius_m = 0.1
eta = 50
"""
ITEMS_A_REQUEST = 2_000


def many_tools(n: int) -> str:
    """A cell file of n tools, each of which swings into its holder at the start.

    All items can be created with one request, so that they begin with the same sample.
    """
    head = f'name = "{n} tools"\nserver.limits.monitored_item_calls = {ITEMS_A_REQUEST}\n'
    return head + "".join(_tool(k, n) for k in range(n))


def doubles(file: Path, n: int) -> list[str]:
    """Names of the cell's first n variables with one Double each, the clock before them."""
    # the four numbers of a quaternion are one variable
    names = [s.name for s in Cell(load_cell(file)).signals if s.kind is Kind.DOUBLE]
    found = [CLOCK, *(name for name in names if ".Quaternion." not in name)]
    if len(found) < n:
        raise LookupError(f"{file.name} has {len(found)} variables of one Double, not {n}")
    return found[:n]


def nodes(cell: Cell) -> tuple[list[ua.NodeId], list[ua.NodeId]]:
    """All nodes that a server has of a cell, and those of them whose values come from ticks."""
    aspace = AddressSpace()
    fill_address_space(NodeManagementService(aspace))
    space = CellSpace(aspace, cell.spec, cell.signals)
    own = [node for node in list(aspace.keys()) if node.NamespaceIndex == CELL]
    return own, list(space.variables)


def _tool(k: int, n: int) -> str:
    side = math.ceil(math.sqrt(n))
    x, y = APART_M * (k % side), APART_M * (k // side)
    return f"""
[frame.Place{k}]
position_m = [{x}, {y}, 0.5]
[body.Body{k}]
mass_kg = 1.0
inertia_kg_m2 = [0.010, 0.012, 0.015]
position_m = [{x + 0.005}, {y - 0.003}, 0.504]
[collision_object.Holder{k}]
on = "Place{k}"
sphere = {{ radius_m = 0.05 }}
[constrained_object.Tool{k}]
on = "Body{k}"
radius_m = 0.05
eta = 5
"""
