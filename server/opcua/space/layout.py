"""How a value looks on the wire: some constant bytes, then numbers of one type, all of fixed size.

    Double       11 | f64                                     9 bytes
    Double[4]    139, length 4 | 4 f64                       37 bytes
    3DFrame      22, type, 1, length 48 | 6 f64              58 bytes
    UInt32[1]    135, length 1 | 1 u32                        9 bytes    (32 Booleans, a bit each)

So many samples of many variables are one numpy array whose memory is their encoding. Text has no
fixed size: a String variable has a few texts, and each is encoded once.

    OPC UA part 6, 5.2.2.16 (Variant), 5.2.2.15 (ExtensionObject), 5.2.5 (arrays)
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt
from asyncua import ua
from asyncua.ua.object_ids import ObjectIds

Values = npt.NDArray[np.float64]
ARRAY = 0x80  # bit of a variant's type byte
WORD_BITS = 32


class Shape(Enum):
    """What kind of value the numbers form."""

    SCALAR = "scalar"
    ARRAY = "array"
    BITS = "bits"  # Booleans packed into words of 32, the first one in the lowest bit
    STRUCTURE = "structure"
    TEXT = "text"


@dataclass(frozen=True)
class Layout:
    """Encoding of one type of value."""

    shape: Shape
    type: ua.VariantType
    head: bytes  # before the numbers: variant type, array length, structure type
    number: str  # numpy type of the numbers
    count: int  # how many numbers
    columns: int  # how many columns of a row they come from
    data_type: int  # id of the DataType in the base namespace
    structure: Any = None  # asyncua's class of a structure

    @property
    def value_rank(self) -> int:
        return 1 if self.shape in (Shape.ARRAY, Shape.BITS) else -1

    @property
    def size(self) -> int:
        """Bytes of a variant of this layout."""
        return len(self.head) + self.count * np.dtype(self.number).itemsize

    def numbers(self, values: Values) -> npt.NDArray[Any]:
        """Columns of rows (..., columns) as the numbers of the encoding (..., count)."""
        if self.shape is not Shape.BITS:
            return values.astype(self.number)
        bits = np.zeros((*values.shape[:-1], self.count * WORD_BITS), dtype=np.uint8)
        bits[..., : self.columns] = values != 0.0
        return np.packbits(bits, axis=-1, bitorder="little").view("<u4")

    def variant(self, values: Values, texts: Sequence[str] = ()) -> ua.Variant:
        """Columns of one row as a variant."""
        if self.shape is Shape.TEXT:
            return ua.Variant(texts[int(values[0])], ua.VariantType.String)
        numbers = self.numbers(values).tolist()
        if self.shape is Shape.SCALAR:
            value = bool(numbers[0]) if self.type is ua.VariantType.Boolean else numbers[0]
            return ua.Variant(value, self.type)
        if self.shape is Shape.STRUCTURE:
            return ua.Variant(_structure(self.structure, numbers), self.type)
        if self.type is ua.VariantType.Boolean:
            numbers = [bool(number) for number in numbers]
        return ua.Variant(numbers, self.type, is_array=True)


def _scalar(type_: ua.VariantType, number: str) -> Layout:
    return Layout(Shape.SCALAR, type_, bytes([type_.value]), number, 1, 1, type_.value)


BOOLEAN = _scalar(ua.VariantType.Boolean, "u1")
INT32 = _scalar(ua.VariantType.Int32, "<i4")
UINT16 = _scalar(ua.VariantType.UInt16, "<u2")
UINT32 = _scalar(ua.VariantType.UInt32, "<u4")
INT64 = _scalar(ua.VariantType.Int64, "<i8")
DOUBLE = _scalar(ua.VariantType.Double, "<f8")
TEXT = Layout(
    Shape.TEXT, ua.VariantType.String, b"", "u1", 0, 1, ua.VariantType.String.value
)  # encoded text by text


def array(scalar: Layout, count: int) -> Layout:
    """Array of a fixed number of scalars."""
    head = bytes([ARRAY | scalar.type.value]) + struct.pack("<i", count)
    return Layout(Shape.ARRAY, scalar.type, head, scalar.number, count, count, scalar.data_type)


def bits(columns: int) -> Layout:
    """Booleans as UInt32 words."""
    words = -(-columns // WORD_BITS)
    type_ = ua.VariantType.UInt32
    head = bytes([ARRAY | type_.value]) + struct.pack("<i", words)
    return Layout(Shape.BITS, type_, head, "<u4", words, columns, type_.value)


def _of_structure(structure: Any, encoding: int, data_type: int, count: int) -> Layout:
    # its type is a four-byte node id in namespace 0; then "a byte string follows", and its length
    head = struct.pack("<BBBHBi", 22, 1, 0, encoding, 1, 8 * count)
    type_ = ua.VariantType.ExtensionObject
    return Layout(Shape.STRUCTURE, type_, head, "<f8", count, count, data_type, structure)


VECTOR = _of_structure(
    ua.ThreeDVector, ObjectIds.ThreeDVector_Encoding_DefaultBinary, ObjectIds.ThreeDVector, 3
)
CARTESIAN = _of_structure(
    ua.ThreeDCartesianCoordinates,
    ObjectIds.ThreeDCartesianCoordinates_Encoding_DefaultBinary,
    ObjectIds.ThreeDCartesianCoordinates,
    3,
)
ORIENTATION = _of_structure(
    ua.ThreeDOrientation,
    ObjectIds.ThreeDOrientation_Encoding_DefaultBinary,
    ObjectIds.ThreeDOrientation,
    3,
)
FRAME = _of_structure(
    ua.ThreeDFrame, ObjectIds.ThreeDFrame_Encoding_DefaultBinary, ObjectIds.ThreeDFrame, 6
)


def _structure(structure: Any, numbers: list[float]) -> Any:
    if structure is ua.ThreeDFrame:
        return ua.ThreeDFrame(
            ua.ThreeDCartesianCoordinates(*numbers[:3]), ua.ThreeDOrientation(*numbers[3:])
        )
    return structure(*numbers)


def numbers_of(layout: Layout, variant: ua.Variant) -> list[float] | None:
    """A variant's numbers in the order of the columns; None if it is not of this layout.

    Where the layout says Double, Float will do.
    """
    value, type_ = variant.Value, variant.VariantType
    if layout.shape is Shape.STRUCTURE:
        return _numbers_of_structure(layout, value)
    doubles = (ua.VariantType.Double, ua.VariantType.Float)
    if type_ is not layout.type and not (layout.type is doubles[0] and type_ in doubles):
        return None
    if layout.shape is Shape.SCALAR:
        return None if variant.is_array or value is None else [float(value)]
    if not variant.is_array or variant.Dimensions or value is None or len(value) != layout.count:
        return None
    if layout.shape is Shape.BITS:
        words = np.array(value, dtype="<u4").view(np.uint8)
        bits = np.unpackbits(words, bitorder="little")[: layout.columns]
        return [float(bit) for bit in bits]
    return [float(number) for number in value]


def _numbers_of_structure(layout: Layout, value: Any) -> list[float] | None:
    if not isinstance(value, layout.structure):
        return None
    parts = [value]
    if layout.structure is ua.ThreeDFrame:
        parts = [value.CartesianCoordinates, value.Orientation]
    return [float(getattr(part, field.name)) for part in parts for field in fields(part)]
