"""Values in NodeSet XML: texts and numbers, units and ranges, arguments of methods.

OPC UA part 6, 5.3 (XML encoding)
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from asyncua import ua
from asyncua.ua.object_ids import ObjectIds
from lxml import etree

TYPES_XSD = "http://opcfoundation.org/UA/2008/02/Types.xsd"


def add_value(parent: Any, variant: ua.Variant) -> None:
    """Write a constant value below an element."""
    name = variant.VariantType.name
    if not variant.is_array:
        _add(parent, name, variant.Value)
        return
    values = _element(parent, f"ListOf{name}")
    for value in variant.Value:
        _add(values, name, value)


def _add(parent: Any, name: str, value: Any) -> None:
    if isinstance(value, str):
        _element(parent, name).text = value
    elif isinstance(value, bool):
        _element(parent, name).text = str(value).lower()
    elif isinstance(value, int):
        _element(parent, name).text = str(value)
    elif isinstance(value, datetime):
        _element(parent, name).text = value.strftime("%Y-%m-%dT%H:%M:%SZ")
    elif isinstance(value, float):
        _element(parent, name).text = repr(value)
    elif isinstance(value, ua.LocalizedText):
        _write_text(_element(parent, name), value)
    else:
        encoding, write = STRUCTURES[type(value)]
        wrapped = _element(parent, name)
        _element(_element(wrapped, "TypeId"), "Identifier").text = f"i={encoding}"
        write(_element(_element(wrapped, "Body"), type(value).__name__), value)


def _write_unit(parent: Any, unit: ua.EUInformation) -> None:
    _element(parent, "NamespaceUri").text = unit.NamespaceUri
    _element(parent, "UnitId").text = str(unit.UnitId)
    _write_text(_element(parent, "DisplayName"), unit.DisplayName)
    _write_text(_element(parent, "Description"), unit.Description)


def _write_range(parent: Any, limits: ua.Range) -> None:
    _element(parent, "Low").text = repr(limits.Low)
    _element(parent, "High").text = repr(limits.High)


def _write_argument(parent: Any, argument: ua.Argument) -> None:
    _element(parent, "Name").text = argument.Name
    _element(_element(parent, "DataType"), "Identifier").text = argument.DataType.to_string()
    _element(parent, "ValueRank").text = str(argument.ValueRank)
    dimensions = _element(parent, "ArrayDimensions")
    for length in argument.ArrayDimensions:
        _element(dimensions, "UInt32").text = str(length)
    _write_text(_element(parent, "Description"), argument.Description)


def _write_text(parent: Any, text: ua.LocalizedText) -> None:
    _element(parent, "Text").text = text.Text


def _element(parent: Any, name: str) -> Any:
    return etree.SubElement(parent, f"{{{TYPES_XSD}}}{name}", nsmap={None: TYPES_XSD})


STRUCTURES: dict[type, tuple[int, Callable[[Any, Any], None]]] = {
    ua.EUInformation: (ObjectIds.EUInformation_Encoding_DefaultXml, _write_unit),
    ua.Range: (ObjectIds.Range_Encoding_DefaultXml, _write_range),
    ua.Argument: (ObjectIds.Argument_Encoding_DefaultXml, _write_argument),
}
