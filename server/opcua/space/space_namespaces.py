"""Server/Namespaces: what clients may know about each namespace before they browse it.

The ids of our types are the same on every server; those of a cell are the cell's own.

    OPC UA part 5, 6.3.13 (NamespacesType), 6.3.14 (NamespaceMetadataType)
"""

from datetime import datetime
from typing import Any

from asyncua import ua
from asyncua.ua import ObjectIds, VariantType

from twincell import __version__
from twincell.server.opcua.space.namespaces import (
    CELL,
    CELL_URI,
    PUBLISHED,
    TYPES,
    TYPES_URI,
    base_id,
    cell_id,
    type_id,
)
from twincell.server.opcua.space.node_store import (
    HAS_PROPERTY,
    PROPERTY,
    Facts,
    Name,
    NodeStore,
    Place,
)

NAMESPACES = base_id(ObjectIds.Server_Namespaces)
METADATA = base_id(ObjectIds.NamespaceMetadataType)
STANDARD = 0  # namespace of the names of its properties
PUBLISHED_AT = datetime.fromisoformat(PUBLISHED)
STRING_IDS = [int(ua.IdType.String)]

Property = tuple[str, int, VariantType, Any]


def add_namespaces(store: NodeStore) -> None:
    """Tell of the types and of the cell."""
    _add(store, type_id("Namespace"), Name(TYPES_URI, TYPES), STRING_IDS)
    _add(store, cell_id("Cell.Namespace"), Name(CELL_URI, CELL), [])


def _add(store: NodeStore, node_id: ua.NodeId, name: Name, static_ids: list[int]) -> None:
    store.add_object(node_id, name, Place(NAMESPACES), METADATA)
    properties: tuple[Property, ...] = (
        ("NamespaceUri", ObjectIds.String, VariantType.String, name.text),
        ("NamespaceVersion", ObjectIds.String, VariantType.String, __version__),
        ("NamespacePublicationDate", ObjectIds.DateTime, VariantType.DateTime, PUBLISHED_AT),
        ("IsNamespaceSubset", ObjectIds.Boolean, VariantType.Boolean, False),
        ("StaticNodeIdTypes", ObjectIds.IdType, VariantType.Int32, static_ids),
        ("StaticNumericNodeIdRange", ObjectIds.NumericRange, VariantType.String, []),
        ("StaticStringNodeIdPattern", ObjectIds.String, VariantType.String, ""),
    )
    for key, data_type, encoded_as, value in properties:
        is_array = isinstance(value, list)
        store.add_variable(
            ua.NodeId(f"{node_id.Identifier}.{key}", node_id.NamespaceIndex),
            Name(key, STANDARD),
            Place(node_id, HAS_PROPERTY),
            Facts(base_id(data_type), length=0 if is_array else None),
            PROPERTY,
            value=ua.Variant(value, encoded_as, is_array=is_array),
        )
