"""Named arrays as bytes: a planned move or a state of the cell, for the journal and recordings.

u32 how many, then each:  u8 length of the name, name
                          u8 'f' (doubles) or 'i' (whole numbers of 64 bits)
                          u8 dimensions, u32 each of them
                          its numbers, 8 bytes each, last dimension first       little endian
"""

import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

TYPES = {b"f": np.dtype("<f8"), b"i": np.dtype("<i8")}


def pack_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Arrays of doubles and whole numbers as bytes."""
    parts = [struct.pack("<I", len(arrays))]
    for name, array in arrays.items():
        label, kind = name.encode(), array.dtype.kind.encode()
        shape = struct.pack(f"<{array.ndim}I", *array.shape)
        parts.append(struct.pack("<B", len(label)) + label + kind + bytes([array.ndim]) + shape)
        parts.append(array.astype(TYPES[kind], copy=False).tobytes())
    return b"".join(parts)


def unpack_arrays(data: bytes) -> dict[str, npt.NDArray[Any]]:
    """The arrays again; ValueError if these bytes are none."""
    try:
        (count,) = struct.unpack_from("<I", data)
        place = 4
        arrays = {}
        for _ in range(count):
            end = place + 1 + data[place]
            name = data[place + 1 : end].decode()
            dtype, ndim = TYPES[data[end : end + 1]], data[end + 1]
            shape = struct.unpack_from(f"<{ndim}I", data, end + 2)
            start, size = end + 2 + 4 * ndim, int(np.prod(shape, dtype=np.int64))
            arrays[name] = np.frombuffer(data, dtype, size, start).reshape(shape).copy()
            place = start + 8 * size
    except (struct.error, IndexError, KeyError, ValueError) as error:
        raise ValueError(f"these bytes are no arrays: {error}") from None
    return arrays
