"""Shapes of a cell: what its model files and `visual` tables say, and something for all the rest.

Where nobody has drawn anything, links are capsules from joint to joint, tools reach from their
origin through their centre of mass, flanges are discs, and what stands in the world has a post.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from twincell.server.web.data.meshes import meshes_of
from twincell.sim.build.shapes import SHAPE_NUMBERS
from twincell.sim.geometry.shape_facts import FACTS
from twincell.sim.geometry.shape_table import complete
from twincell.sim.model import (
    BOX,
    CAPSULE,
    CYLINDER,
    DISC,
    HALF_SPACE,
    RECTANGLE,
    SPHERE,
    Floats,
)
from twincell.sim.pose import Pose, rotation_matrix
from twincell.sim.spec.cell import CellSpec, CollisionObject
from twincell.sim.spec.contact import Surface
from twincell.sim.spec.robot_model import RobotModel
from twincell.sim.spec.table import given_shape

Mount = Callable[[str], tuple[int, Pose]]  # node that carries a named frame, and where

LINK, BASE, STEEL, TOOL, STAND = "#E8804A", "#4C5761", "#8A97A6", "#3D7DCA", "#5B6876"
SURFACE = "#7F9172"
FLAT_M = 0.01  # thickness of a flat face
FLOOR_M = 4.0  # of what has no end
THINNEST_M = 0.02  # of a link drawn as a capsule
THICKNESS = 0.22  # of a capsule, as a share of its length
THICKEST_M = 0.09
POST_M = 0.02  # radius of a post under a holder
LEAST_POST_M = 0.05


@dataclass(frozen=True)
class Form:
    """A solid by itself."""

    kind: str  # as that of a shape
    sizes: tuple[float, ...]


@dataclass(frozen=True)
class Shape:
    """A solid on a node."""

    thing: str  # what is selected by a click on it; empty: nothing
    node: int
    # box (x, y, z), cylinder (radius, length), sphere (radius), capsule (radius, length),
    # mesh (scale in x, y, z)
    kind: str
    sizes: tuple[float, ...]
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    colour: str
    mesh: int | None = None  # its number


def robot_shapes(spec: CellSpec, mount: Mount, files: list[Path]) -> Iterator[Shape]:
    """Links as their model file draws them, else capsules; `files` gets those of meshes."""
    for name in spec.robot:
        model = spec.robot_models[name]
        meshes = list(meshes_of(model, Path(spec.source.file).parent))
        is_drawn = bool(meshes) or any(link.shapes for link in model.links.values())
        for mesh in meshes:
            node, base = mount(f"{name}.{mesh.link}")
            if mesh.file not in files:
                files.append(mesh.file)
            colour = mesh.colour or LINK
            drawn = _shape(name, node, "mesh", mesh.scale, base @ mesh.place, colour)
            yield replace(drawn, mesh=files.index(mesh.file))
        for link in model.links.values():
            node, base = mount(f"{name}.{link.name}")
            for shape in link.shapes:
                a, b, c = (math.degrees(angle) for angle in shape.angles)
                place = base @ Pose.of(shape.position, (a, b, c))
                yield _shape(name, node, shape.kind, shape.sizes, place, shape.colour or LINK)
            if not is_drawn:
                yield from _capsules(name, model, link.name, node, base)


def _capsules(robot: str, model: RobotModel, link: str, node: int, base: Pose) -> Iterator[Shape]:
    """A link as capsules from its frame to what it carries."""
    colour = BASE if link == model.root else LINK
    ends = [joint for joint in model.joints.values() if joint.parent == link]
    for joint in ends:
        yield from _between(robot, node, base, np.array(joint.position), colour)
    inertial = model.links[link].inertial
    if not ends and inertial:
        yield from _between(robot, node, base, 2.0 * np.array(inertial.center), colour)


def _between(
    thing: str, node: int, base: Pose, end: Floats, colour: str, radius: float = 0.0
) -> Iterator[Shape]:
    """A capsule from a frame's origin to a point in that frame."""
    length = float(np.linalg.norm(end))
    if length < THINNEST_M:
        return
    radius = radius or min(max(THICKNESS * length, THINNEST_M), THICKEST_M)
    place = base @ Pose(end / 2.0, _along(end / length))
    yield _shape(thing, node, "capsule", (radius, length), place, colour)


FORMS: dict[int, Callable[[Any], Form]] = complete(  # flat faces get a thickness
    "forms to draw",
    {
        SPHERE: lambda given: Form("sphere", (given.radius_m,)),
        RECTANGLE: lambda given: Form("box", (given.length_m, given.width_m, FLAT_M)),
        DISC: lambda given: Form("cylinder", (given.radius_m, FLAT_M)),
        CYLINDER: lambda given: Form("cylinder", (given.radius_m, given.length_m)),
        CAPSULE: lambda given: Form("capsule", (given.radius_m, given.length_m)),
        BOX: lambda given: Form("box", tuple(given.size_m)),
        HALF_SPACE: lambda _given: Form("box", (FLOOR_M, FLOOR_M, FLAT_M)),
    },
)


def form_of(item: CollisionObject | Surface) -> Form:
    """What the cell file says that something is."""
    name, given = given_shape(item)
    return FORMS[SHAPE_NUMBERS[name]](given)


def surface_shapes(spec: CellSpec, mount: Mount) -> Iterator[Shape]:
    """Surfaces that can be touched, where nobody has drawn what they are on."""
    drawn = {visual.on for visual in spec.visual.values()}
    for name, surface in spec.surface.items():
        if surface.on in drawn:
            continue
        node, base = mount(surface.on)
        form = form_of(surface)
        if FACTS[SHAPE_NUMBERS[given_shape(surface)[0]]].front:
            base = base @ Pose(np.array([0.0, 0.0, -FLAT_M / 2.0]))  # its front is what touches
        yield _shape(name, node, form.kind, form.sizes, base, SURFACE)


def object_shapes(spec: CellSpec, mount: Mount) -> Iterator[Shape]:
    """Tools, flanges, holders, and bodies that nobody has drawn."""
    drawn = {visual.on for visual in spec.visual.values()}
    for name, tool in spec.constrained_object.items():
        if tool.on in drawn or tool.on not in spec.body:
            continue
        node, base = mount(tool.on)
        centre = np.array(spec.body[tool.on].center_of_mass_m)
        radius = 0.4 * tool.radius_m
        if np.linalg.norm(centre) < THINNEST_M:
            yield _shape(name, node, "sphere", (1.3 * radius,), base, TOOL)
        else:
            yield _shape(name, node, "cylinder", (1.2 * radius, 0.02), base, STEEL)
            yield from _between(name, node, base, 2.0 * centre, TOOL, radius)
    for name, holder in spec.collision_object.items():
        node, base = mount(holder.on)
        if holder.on in drawn:
            continue
        if not holder.sphere:
            form = form_of(holder)
            yield _shape(name, node, form.kind, form.sizes, base, STEEL)
        else:  # as near as it must come, it would hide what it holds
            radius = 0.55 * holder.sphere.radius_m
            colour = STEEL if holder.mode == "control" else STAND
            yield _shape(name, node, "cylinder", (radius, 0.016), base, colour)
            if node == 0 and holder.mode == "passive" and base.p[2] > LEAST_POST_M:
                yield _post(name, base)
    touched = {tool.on for tool in spec.constrained_object.values()}
    touched |= {holder.on for holder in spec.collision_object.values()}
    touched |= {surface.on for surface in spec.surface.values()}
    for name, body in spec.body.items():
        if name in drawn or name in touched:
            continue
        node, base = mount(name)
        middle = base @ Pose(np.array(body.center_of_mass_m))
        radius = min(max(0.05 * body.mass_kg ** (1 / 3), THINNEST_M), THICKEST_M)
        yield _shape(name, node, "sphere", (radius,), middle, STEEL)


def _post(name: str, top: Pose) -> Shape:
    """From the floor up to a holder."""
    middle = Pose(top.p * np.array([1.0, 1.0, 0.5]) - np.array([0.0, 0.0, 0.004]))
    return _shape(name, 0, "cylinder", (POST_M, float(top.p[2]) - 0.008), middle, STAND)


def visual_shapes(spec: CellSpec, mount: Mount) -> Iterator[Shape]:
    """What the cell file draws; a click selects what sits on the same carrier."""
    tools = {tool.on: name for name, tool in spec.constrained_object.items()}
    holders = {holder.on: name for name, holder in spec.collision_object.items()}
    surfaces = {surface.on: name for name, surface in spec.surface.items()}
    known = {*spec.robot, *spec.mover, *spec.body}
    for visual in spec.visual.values():
        node, base = mount(visual.on)
        place = base @ Pose.of(visual.position_m, visual.orientation_deg)
        owner = visual.on.partition(".")[0]
        things = (tools.get(visual.on), holders.get(visual.on), surfaces.get(visual.on))
        thing = next(filter(None, things), owner if owner in known else "")
        if visual.box:
            yield _shape(thing, node, "box", tuple(visual.box.size_m), place, visual.colour)
        elif visual.cylinder:
            sizes = (visual.cylinder.radius_m, visual.cylinder.length_m)
            yield _shape(thing, node, "cylinder", sizes, place, visual.colour)
        elif visual.sphere:
            yield _shape(thing, node, "sphere", (visual.sphere.radius_m,), place, visual.colour)


def _shape(
    thing: str, node: int, kind: str, sizes: tuple[float, ...], place: Pose, colour: str
) -> Shape:
    numbers = tuple(place.p.tolist()), tuple(place.q.tolist())
    return Shape(thing, node, kind, sizes, *numbers, colour)


def _along(direction: Floats) -> Floats:
    """A rotation that turns z to a direction."""
    x, y, z = direction
    about_y = math.degrees(math.atan2(math.hypot(x, y), z))
    about_z = math.degrees(math.atan2(y, x))
    return rotation_matrix((0.0, about_y, about_z))
