"""What the links of a URDF file look like: the boxes, cylinders and spheres of their `visual`s.

A look decides no motion. So a shape that cannot be read, or is a mesh, is left out, and the robot
is drawn without it.
"""

import math
from typing import Any

from lxml import etree

from twincell.sim.spec.robot_model import LinkShape, Three

Element = Any  # lxml comes without types


def read_shapes(data: bytes) -> dict[str, tuple[LinkShape, ...]]:
    """The shapes of each link of a file that has been checked."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True)
    robot = etree.fromstring(data, parser)
    colours = {one.get("name"): _colour(one) for one in robot.findall("material")}
    return {
        link.get("name"): tuple(
            shape for visual in link.findall("visual") if (shape := _shape(visual, colours))
        )
        for link in robot.findall("link")
    }


def _shape(visual: Element, colours: dict[str, str | None]) -> LinkShape | None:
    place, material = visual.find("origin"), visual.find("material")
    position, angles = _three(place, "xyz"), _three(place, "rpy")
    colour = None
    if material is not None:
        colour = _colour(material) or colours.get(material.get("name"))
    if position is None or angles is None:
        return None
    if sizes := _numbers(visual.find("geometry/box"), "size", count=3):
        return LinkShape("box", sizes, position, angles, colour)
    if sizes := _numbers(visual.find("geometry/cylinder"), "radius", "length"):
        return LinkShape("cylinder", sizes, position, angles, colour)
    if sizes := _numbers(visual.find("geometry/sphere"), "radius"):
        return LinkShape("sphere", sizes, position, angles, colour)
    return None


def _colour(material: Element) -> str | None:
    """A material's own colour as #RRGGBB."""
    shares = _words(material.find("color"), "rgba")
    if len(shares) != 4:
        return None
    return "#" + "".join(f"{round(255 * min(max(share, 0.0), 1.0)):02X}" for share in shares[:3])


def _three(element: Element | None, name: str) -> Three | None:
    """Three numbers, which are 0 if they are not given; None if they make no sense."""
    if element is None or element.get(name) is None:
        return 0.0, 0.0, 0.0
    match _words(element, name):
        case [x, y, z]:
            return x, y, z
    return None


def _numbers(element: Element | None, *names: str, count: int = 1) -> tuple[float, ...]:
    """The sizes of a solid, all greater than 0; none if one is not."""
    found = [number for name in names for number in _words(element, name)]
    is_whole = len(found) == len(names) * count and all(number > 0 for number in found)
    return tuple(found) if is_whole else ()


def _words(element: Element | None, name: str) -> list[float]:
    try:
        found = (
            [float(word) for word in element.get(name, "").split()] if element is not None else []
        )
    except ValueError:
        return []
    return found if all(map(math.isfinite, found)) else []
