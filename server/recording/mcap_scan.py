"""Reads an MCAP file from its beginning to where it ends or is damaged: no index is needed.

So one way of reading serves a file that was closed, one that is being written, and one that was
cut off. A chunk counts when it is whole and its checksum is right. What it says about its size is
checked before it is unpacked, and how many records it has before they are read: a few bytes can
claim to be more than any memory.
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

from twincell.server.recording.mcap_bounds import INDEX_ENTRY, LARGEST, MOST_RECORDS
from twincell.server.recording.mcap_summary import MAGIC

RECORD = struct.Struct("<BQ")  # what each begins with: its kind and its length
MESSAGE = struct.Struct("<HIQQ")  # what a message begins with: channel, number, two times

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
            count = 0
            while True:
                start = file.tell()
                try:
                    opcode, body = _next(file)
                    found = _records(opcode, body)
                    count += len(found)
                    _check_count(count, file)
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
    left = _size(file) - file.tell()
    body = file.read(length) if length <= left else b""
    if len(body) < length:
        raise _Damaged("a record is not whole")
    return opcode, body


def _records(opcode: int, body: bytes) -> list[Record]:
    """What a record holds, as far as we need it."""
    try:
        if opcode == Opcode.ATTACHMENT:
            (checksum,) = struct.unpack_from("<I", body, len(body) - 4)
            if zlib.crc32(body[:-4]) != checksum:
                raise _Damaged("an attachment's checksum is wrong")
            return [Attachment.read(_stream(body))]
        if opcode == Opcode.CHUNK:
            data = _unpacked(Chunk.read(_stream(body)))
            places = list(_places(data))
            return [found for place in places if (found := _record(data, *place)) is not None]
    except (McapError, zstandard.ZstdError, struct.error) as error:
        raise _Damaged(str(error) or type(error).__name__) from None
    except (ValueError, OverflowError, MemoryError) as error:  # a length beyond all bytes, a text
        raise _Damaged(str(error) or type(error).__name__) from None
    return []


def _unpacked(chunk: Chunk) -> bytes:
    """The records of a chunk; refused if it would not unpack to what it says, or to too much."""
    if chunk.compression not in ("", "zstd"):
        raise _Damaged(f"a chunk is compressed with {chunk.compression!r}")
    is_packed = chunk.compression == "zstd"
    # -1: it does not say
    size = zstandard.frame_content_size(chunk.data) if is_packed else len(chunk.data)
    if size != chunk.uncompressed_size:
        raise _Damaged(f"a chunk of {chunk.uncompressed_size} bytes has {size}")
    if size > LARGEST:
        raise _Damaged(f"a chunk of {size} bytes is larger than any of ours")
    data = zstandard.decompress(chunk.data, size) if is_packed else chunk.data
    if chunk.uncompressed_crc and zlib.crc32(data) != chunk.uncompressed_crc:
        raise _Damaged("a chunk's checksum is wrong")
    return data


def _places(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Where the records of a chunk lie: the kind of each, where it begins, where it ends."""
    end = count = 0
    while end < len(data):
        opcode, length = RECORD.unpack_from(data, end)
        begin = end + RECORD.size
        end = begin + length
        count += 1
        if end > len(data):
            raise _Damaged(f"a record of {length} bytes is longer than its chunk")
        if count > MOST_RECORDS:
            raise _Damaged(f"a chunk has more than {MOST_RECORDS} records")
        yield opcode, begin, end


def _record(data: bytes, opcode: int, begin: int, end: int) -> Record | None:
    """The record that lies here, if it is one that we need."""
    if opcode == Opcode.MESSAGE:
        channel, number, log_time, publish_time = MESSAGE.unpack_from(data[begin:end])
        return Message(channel, log_time, data[begin + MESSAGE.size : end], publish_time, number)
    if opcode == Opcode.SCHEMA:
        return Schema.read(_stream(data[begin:end]))
    if opcode == Opcode.CHANNEL:
        return Channel.read(_stream(data[begin:end]))
    return None


def _check_count(count: int, file: IO[bytes]) -> None:
    """Refuse more records than the indexes in the file have room for, and those of one chunk."""
    if count > MOST_RECORDS + _size(file) // INDEX_ENTRY:
        raise _Damaged(f"{count} records are more than a file of its length can have")


def _stream(data: bytes) -> ReadDataStream:
    return ReadDataStream(BytesIO(data))


def _size(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size
