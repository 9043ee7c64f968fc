"""Reads an MCAP file from its beginning to where it ends or is damaged: no index is needed.

So one way of reading serves a file that was closed, one that is being written, and one that was
cut off. A chunk counts when it is whole and its checksum is right. What it says about its size is
checked before it is unpacked: a few bytes can claim to be more than any memory.
"""

import os
import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import IO

import zstandard
from mcap.data_stream import ReadDataStream
from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.records import Attachment, Channel, Chunk, Message, Schema
from mcap.stream_reader import breakup_chunk

from server.recording.mcap_summary import MAGIC

RECORD = struct.Struct("<BQ")  # what each begins with: its kind and its length

LARGEST = (
    256_000_000  # bytes of a record, as it lies there and unpacked; chosen: ours have a few MB
)

Record = Attachment | Schema | Channel | Message


class NoMcap(Exception):
    """The file is no MCAP file; the text names it."""


class McapScan:
    """The records of a file, in the order in which they were written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damage = ""  # what is wrong with the file, once it was read
        try:
            with path.open("rb") as file:
                begins = file.read(len(MAGIC))
        except OSError as error:
            raise NoMcap(f"{path}: cannot be read: {error.strerror}") from error
        if begins != MAGIC:
            raise NoMcap(f"{path}: is no MCAP file")

    def records(self) -> Iterator[Record]:
        """All records that are whole; `damage` says afterwards whether that was all."""
        self.damage = ""
        with self.path.open("rb") as file:
            file.seek(len(MAGIC))
            while True:
                start = file.tell()
                try:
                    opcode, body = _next(file)
                    found = list(_records(opcode, body))
                except _Damaged as damage:
                    self.damage = f"cut off or damaged at byte {start}: {damage}"
                    return
                yield from found
                if opcode == Opcode.DATA_END:
                    return


class _Damaged(Exception):
    """A record cannot be read."""


def _next(file: IO[bytes]) -> tuple[int, bytes]:
    head = file.read(RECORD.size)
    if len(head) < RECORD.size:
        raise _Damaged("the end is missing")
    opcode, length = RECORD.unpack(head)
    if length > LARGEST:
        raise _Damaged(f"a record of {length} bytes is larger than any of ours")
    left = os.fstat(file.fileno()).st_size - file.tell()
    body = file.read(length) if length <= left else b""
    if len(body) < length:
        raise _Damaged("a record is not whole")
    return opcode, body


def _records(opcode: int, body: bytes) -> Iterator[Record]:
    """What a record holds, as far as we need it."""
    stream = ReadDataStream(BytesIO(body))
    try:
        if opcode == Opcode.ATTACHMENT:
            (checksum,) = struct.unpack_from("<I", body, len(body) - 4)
            if zlib.crc32(body[:-4]) != checksum:
                raise _Damaged("an attachment's checksum is wrong")
            yield Attachment.read(stream)
        elif opcode == Opcode.CHUNK:
            chunk = Chunk.read(stream)
            _check_size(chunk)
            for record in breakup_chunk(chunk, validate_crc=True):
                if isinstance(record, Schema | Channel | Message):
                    yield record
    except (McapError, zstandard.ZstdError, struct.error, ValueError, MemoryError) as error:
        raise _Damaged(str(error) or type(error).__name__) from None


def _check_size(chunk: Chunk) -> None:
    """Refuse a chunk that would not unpack to what it says, or to more than we take."""
    if chunk.compression not in ("", "zstd"):
        raise _Damaged(f"a chunk is compressed with {chunk.compression!r}")
    if chunk.compression == "zstd":
        size = zstandard.frame_content_size(chunk.data)  # -1: it does not say
    else:
        size = len(chunk.data)
    if size != chunk.uncompressed_size:
        raise _Damaged(f"a chunk of {chunk.uncompressed_size} bytes has {size}")
    if size > LARGEST:
        raise _Damaged(f"a chunk of {size} bytes is larger than any of ours")
