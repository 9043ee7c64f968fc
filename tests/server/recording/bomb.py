"""Recordings with something behind what is honest in them: small files that claim to hold much."""

import zlib
from pathlib import Path

import zstandard
from mcap.opcode import Opcode
from mcap.records import Chunk, Message

from twincell.server.recording.mcap_scan import RECORD
from twincell.server.recording.mcap_summary import as_bytes

EMPTY_MESSAGE = as_bytes(Message(9999, 0, b"", 0, 0))  # on a channel that nobody reads


def chunk(records: bytes) -> bytes:
    packed = zstandard.compress(records)
    return as_bytes(Chunk("zstd", packed, 0, 0, zlib.crc32(records), len(records)))


def without_end(path: Path) -> Path:
    """A recording whose end is cut off, so that more can be put behind it."""
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.rindex(RECORD.pack(Opcode.DATA_END, 4))])
    return path


def put_behind(path: Path, data: bytes) -> Path:
    with path.open("ab") as file:
        file.write(data)
    return path


def bomb(path: Path) -> Path:
    """As much as a few thousand bytes can be made to hold."""
    return put_behind(path, chunk(EMPTY_MESSAGE * (250_000_000 // len(EMPTY_MESSAGE))))
