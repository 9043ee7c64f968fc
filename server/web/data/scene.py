"""What the browser draws of a cell, and which numbers of a row move it.

A scene is a tree of *nodes* with shapes on them. A node is one rigid group of the cell: the world,
something whose pose stands in the row, or a robot's link that hangs on its joint. So the browser
needs few numbers a frame: seven for a free pose, one for a joint. They come packed in the order of
`columns`, and a *slot* is a place in that packing.

Surfaces that can be touched are things too, with the force that pushes them; a contact that the
cell file watches shows where it pushes.
"""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from twincell.server.web.data.scene_shapes import (
    Form,
    Shape,
    form_of,
    object_shapes,
    robot_shapes,
    surface_shapes,
    visual_shapes,
)
from twincell.sim.build.assembly import Assembly, assemble
from twincell.sim.build.robots import axes_of, expand_robots, ideal_joints
from twincell.sim.mechanics.joints import joint_type
from twincell.sim.pose import Pose
from twincell.sim.signals import SignalTable
from twincell.sim.spec.cell import WORLD, CellSpec
from twincell.sim.spec.joint import MovingJoint
from twincell.sim.spec.joint_keys import motion_sizes

POSE_PARTS = ("Pose.X", "Pose.Y", "Pose.Z", *(f"Quaternion.{axis}" for axis in "WXYZ"))


def vector(quantity: str) -> tuple[str, ...]:
    """The three signals of a vector."""
    return tuple(f"{quantity}.{axis}" for axis in "XYZ")


LOAD_PARTS = (*vector("Force"), *vector("Torque"))


@dataclass(frozen=True)
class Joint:
    """How a node moves on the one that carries it."""

    turn: int  # 1 if it turns about the axis by what stands in the slot, else 0
    slide: float  # along the axis [m], for a unit of what stands in the slot
    axis: tuple[float, ...]
    slot: int


@dataclass(frozen=True)
class Node:
    """A rigid part of the cell."""

    name: str
    parent: int  # node that carries it, -1 for the world
    position: tuple[float, ...]
    quaternion: tuple[float, ...]  # (w, x, y, z)
    pose: int | None = None  # slot of its pose in the world
    joint: Joint | None = None


@dataclass(frozen=True)
class Thing:
    """What can be selected: a robot, a tool, a holder, a mover, a body."""

    name: str
    kind: str  # robot, tool, holder, flange, mover, body, surface
    node: int
    position: tuple[float, ...]  # of its origin on the node
    quaternion: tuple[float, ...]
    radius: float = 0.0  # of a tool: how near it must come to be caught
    reach: Form | None = None  # where something is caught
    push: int | None = None  # slot of the contact force, world axes
    load: int | None = None  # slot of force and torque, own axes
    partner: int | None = None  # slot: number of the thing's partner among the holders, from 1
    closed: int | None = None  # slot: whether it catches
    trail: bool = False


@dataclass(frozen=True)
class Contact:
    """Where two surfaces push each other."""

    name: str
    point: int  # slot, in the world
    normal: int  # slot
    force: int  # slot, world axes


@dataclass
class Scene:
    """Everything a browser needs to draw a cell."""

    nodes: list[Node] = field(default_factory=list)
    things: list[Thing] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    contacts: list[Contact] = field(default_factory=list)
    meshes: list[Path] = field(default_factory=list)  # files, by their numbers
    columns: list[int] = field(default_factory=list)  # of a row, slot by slot
    weight: float = 10.0  # [N] of the heaviest loose body: its arrow has a handy length

    def as_json(self) -> dict[str, Any]:
        """As the browser gets it: how a row is packed is no matter of its own."""
        return {
            "nodes": [asdict(node) for node in self.nodes],
            "things": [asdict(thing) for thing in self.things],
            "shapes": [asdict(shape) for shape in self.shapes],
            "contacts": [asdict(contact) for contact in self.contacts],
            "slots": len(self.columns),
            "weight": self.weight,
        }


def scene_of(spec: CellSpec, signals: SignalTable) -> Scene:
    """The scene of a cell; `signals` says where its numbers stand, of those that there are."""
    return _Builder(spec, signals).build()


class _Builder:
    def __init__(self, spec: CellSpec, signals: SignalTable) -> None:
        self._spec = spec
        self._whole = expand_robots(spec)
        self._assembly: Assembly = assemble(self._whole, ideal_joints(spec))
        self._signals = signals
        self._scene = Scene()
        self._node: dict[str, int] = {}  # by the name of its rigid group

    def build(self) -> Scene:
        self._place_nodes()
        self._name_things()
        self._draw()
        loose = [body.mass_kg for body in self._spec.body.values()]
        gravity = max(sum(g * g for g in self._spec.gravity_m_s2) ** 0.5, 1.0)
        self._scene.weight = max(loose, default=1.0) * gravity
        return self._scene

    # ------------------------------------------------------------ where things are

    def _place_nodes(self) -> None:
        self._add_node(WORLD, -1, Pose())
        axes = self._axis_signals()
        for name in (*self._assembly.driven, *self._assembly.moving):
            joint = self._assembly.carried_by.get(name, "")
            if joint in axes:
                self._hang_link(name, joint, axes[joint])
            elif name != WORLD:
                self._add_node(name, 0, Pose(), pose=self._slots(name, POSE_PARTS))

    def _axis_signals(self) -> dict[str, str]:
        """Where the row has the position of each joint of a robot."""
        count: dict[str, int] = {}
        found = {}
        for axis in axes_of(self._spec):
            count[axis.robot] = count.get(axis.robot, 0) + 1
            found[axis.joint] = f"{axis.robot}.JointPosition.{count[axis.robot]}"
        return found

    def _hang_link(self, name: str, joint: str, signal: str) -> None:
        """A link on the joint that carries it."""
        given = self._whole.joint[joint]
        assert isinstance(given, MovingJoint)  # it has a drive
        carrier = self._assembly.mounts[given.parent]
        place = carrier.pose @ Pose.of(given.position_m, given.orientation_deg)
        slot = self._slot(signal)
        motion = joint_type(given.type).motion(*motion_sizes(given))
        moves = None if slot is None else Joint(*motion, tuple(given.axis), slot)
        self._add_node(name, self._node[carrier.group], place, joint=moves)

    def _add_node(
        self,
        name: str,
        parent: int,
        place: Pose,
        pose: int | None = None,
        joint: Joint | None = None,
    ) -> None:
        self._node[name] = len(self._scene.nodes)
        self._scene.nodes.append(Node(name, parent, *_numbers(place), pose, joint))

    def _mount(self, name: str) -> tuple[int, Pose]:
        """Node that carries a named frame, and where it sits there."""
        mount = self._assembly.mounts[name]
        return self._node[mount.group], mount.pose

    def _slot(self, signal: str) -> int | None:
        """A place for a signal in the packing; None if there is no such signal."""
        if signal not in self._signals:
            return None
        self._scene.columns.append(self._signals[signal].column)
        return len(self._scene.columns) - 1

    def _slots(self, name: str, parts: tuple[str, ...]) -> int | None:
        """Places for signals that belong together; the first of them."""
        if not all(f"{name}.{part}" in self._signals for part in parts):
            return None
        first, *_ = [self._slot(f"{name}.{part}") for part in parts]
        return first

    # ------------------------------------------------------------ what there is to select

    def _name_things(self) -> None:
        spec = self._spec
        for name in spec.robot:
            self._add_thing(name, "robot", name, trail=True)
        for name in spec.mover:
            self._add_thing(name, "mover", name, trail=True)
        for name in spec.body:
            self._add_thing(name, "body", name)
        for name, holder in spec.collision_object.items():
            self._add_thing(
                name,
                "flange" if holder.mode == "control" else "holder",
                holder.on,
                reach=form_of(holder),
                closed=self._slot(f"{name}.IsClosed"),
                **self._loads(name),
            )
        for name, tool in spec.constrained_object.items():
            partner = self._slot(f"{name}.Partner")
            self._add_thing(
                name,
                "tool",
                tool.on,
                radius=tool.radius_m,
                reach=Form("sphere", (tool.radius_m,)),
                partner=partner,
                trail=True,
                **self._loads(name),
            )

        for name, surface in spec.surface.items():
            push = self._slots(name, vector("ContactForce"))
            self._add_thing(name, "surface", surface.on, push=push)
        for name in spec.watched_contact:
            slots = [self._slots(name, vector(one)) for one in ("Point", "Normal", "ContactForce")]
            if None not in slots:  # of a recording that has them all
                self._scene.contacts.append(Contact(name, *(slot or 0 for slot in slots)))

    def _loads(self, name: str) -> dict[str, Any]:
        return {"load": self._slots(name, LOAD_PARTS)}

    def _add_thing(self, name: str, kind: str, on: str, **more: Any) -> None:
        node, pose = self._mount(on)
        self._scene.things.append(Thing(name, kind, node, *_numbers(pose), **more))

    # ------------------------------------------------------------ what it looks like

    def _draw(self) -> None:
        shapes = self._scene.shapes
        shapes += robot_shapes(self._spec, self._mount, self._scene.meshes)
        shapes += object_shapes(self._spec, self._mount)
        shapes += surface_shapes(self._spec, self._mount)
        shapes += visual_shapes(self._spec, self._mount)


def _numbers(pose: Pose) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return tuple(pose.p.tolist()), tuple(pose.q.tolist())
