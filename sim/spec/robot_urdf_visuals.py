"""What the links of a URDF file look like: boxes, cylinders, spheres and meshes of their `visual`s.

A look decides no motion. So what cannot be read is left out, and the robot is drawn without it.
"""

import math
from typing import Any

from twincell.sim.spec.robot_model import LinkShape, MeshReference, Three

Element = Any  # lxml comes without types


class Visuals:
    """The visuals of a robot, with the colours that it names once for all links."""

    def __init__(self, robot: Element) -> None:
        self.colours = {one.get("name"): _colour(one) for one in robot.findall("material")}

    def of(self, link: Element) -> tuple[tuple[LinkShape, ...], tuple[MeshReference, ...]]:
        """The shapes and the meshes of a link."""
        read = [self._read(visual) for visual in link.findall("visual")]
        shapes = tuple(one for one in read if isinstance(one, LinkShape))
        return shapes, tuple(one for one in read if isinstance(one, MeshReference))

    def _read(self, visual: Element) -> LinkShape | MeshReference | None:
        place, material = visual.find("origin"), visual.find("material")
        position, angles = _three(place, "xyz"), _three(place, "rpy")
        colour = None
        if material is not None:
            colour = _colour(material) or self.colours.get(material.get("name"))
        if position is None or angles is None:
            return None
        if sizes := _sizes(visual.find("geometry/box"), "size", count=3):
            return LinkShape("box", sizes, position, angles, colour)
        if sizes := _sizes(visual.find("geometry/cylinder"), "radius", "length"):
            return LinkShape("cylinder", sizes, position, angles, colour)
        if sizes := _sizes(visual.find("geometry/sphere"), "radius"):
            return LinkShape("sphere", sizes, position, angles, colour)
        mesh = visual.find("geometry/mesh")
        if mesh is not None and mesh.get("filename") and (scale := _scale(mesh)):
            return MeshReference(mesh.get("filename"), scale, position, angles, colour)
        return None


def _colour(material: Element) -> str | None:
    """A material's own colour as #RRGGBB."""
    shares = _numbers(material.find("color"), "rgba")
    if len(shares) != 4:
        return None
    return "#" + "".join(f"{round(255 * min(max(share, 0.0), 1.0)):02X}" for share in shares[:3])


def _three(element: Element | None, name: str) -> Three | None:
    """Three numbers, which are 0 if they are not given; None if they make no sense."""
    if element is None or element.get(name) is None:
        return 0.0, 0.0, 0.0
    match _numbers(element, name):
        case [x, y, z]:
            return x, y, z
    return None


def _scale(mesh: Element) -> Three | None:
    """Scale of a mesh: one number for all directions, or three; some programs write commas."""
    match _floats(mesh.get("scale", "").replace(",", " ") or "1"):
        case [x, y, z]:
            return x, y, z
        case [x]:
            return x, x, x
    return None


def _sizes(element: Element | None, *names: str, count: int = 1) -> tuple[float, ...]:
    """The sizes of a solid, all greater than 0; none if one is not."""
    found = [number for name in names for number in _numbers(element, name)]
    is_whole = len(found) == len(names) * count and all(number > 0 for number in found)
    return tuple(found) if is_whole else ()


def _numbers(element: Element | None, name: str) -> list[float]:
    return [] if element is None else _floats(element.get(name, ""))


def _floats(text: str) -> list[float]:
    """The numbers of a text; none if one of them is none."""
    try:
        found = [float(word) for word in text.split()]
    except ValueError:
        return []
    return found if all(map(math.isfinite, found)) else []
