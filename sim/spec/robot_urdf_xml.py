"""The XML of a URDF file: what cannot be a robot, or asks for more than its own text, is refused.

A document type could name other files, or entities that grow without end: a robot needs none. The
parser itself stops at 256 levels of tags, and fetches nothing.
"""

from typing import Any

from twincell.sim.spec.problems import Problem, SpecError

Element = Any  # lxml comes without types

RUN_XACRO = "run xacro first: xacro robot.urdf.xacro > robot.urdf"


def parse_urdf(data: bytes, file: str) -> Element:
    """The <robot> of a URDF file; a SpecError says why it is none."""
    from lxml import etree  # cells without a URDF need not wait for it

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        robot = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        message = str(error.msg).partition(", line ")[0]
        hint = RUN_XACRO if "xacro" in message else "compare with a robot that loads"
        problem = Problem(error.lineno or None, "", f"not valid XML: {message}", hint)
        raise SpecError(file, [problem]) from None
    if robot.getroottree().docinfo.internalDTD is not None:
        text = "has a DOCTYPE, which a robot does not need"
        problem = Problem(None, "", text, "remove it, and write values instead of its entities")
    elif robot.tag != "robot":
        hint = 'a URDF file begins with <robot name="...">'
        text = f"begins with <{robot.tag}>, not with <robot>"
        problem = Problem(robot.sourceline, "", text, hint)
    elif (element := _first_of_xacro(robot)) is not None:
        text = "this is xacro, from which URDF is made"
        problem = Problem(element.sourceline, "", text, RUN_XACRO)
    else:
        return robot
    raise SpecError(file, [problem])


def _first_of_xacro(robot: Element) -> Element | None:
    """The first tag of xacro; its name space alone remains in files that xacro has written."""
    for element in robot.iter("{*}*"):
        if "xacro" in element.tag.rpartition("}")[0]:
            return element
    return None
