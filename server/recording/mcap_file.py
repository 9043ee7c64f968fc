"""Writes an MCAP file that is whole at every moment: whoever kills us finds a file that opens.

    magic  header  attachments  chunk and its indexes  chunk ...  | data end  summary  footer  magic
                                                                  ^ the next commit begins here

A commit is one write: all records since the last one in a chunk, or in more if they are many, and
behind them a new tail, over the old one. The summary in the tail lists every chunk, so it grows
with the file. Once it is longer than what was written since the last one, commits leave it out
until it is due again: the file still ends as MCAP files do, just without an index, and at most half
of all writing is summaries. The file gets shorter then: before that, its old end is told to have no
index, so that also what is left of it behind the new one says nothing wrong.

A write that fails, as on a full disk, is undone: the old tail is put back where it was.

    https://mcap.dev/spec
"""

import os
import zlib
from contextlib import suppress
from pathlib import Path

import zstandard
from mcap.data_stream import RecordBuilder
from mcap.records import (
    Attachment,
    AttachmentIndex,
    Channel,
    Chunk,
    ChunkIndex,
    Footer,
    Header,
    Message,
    MessageIndex,
    Schema,
)

from twincell import __version__
from twincell.server.files.atomic import NotWritable
from twincell.server.recording.mcap_bounds import LARGE, MOST_RECORDS
from twincell.server.recording.mcap_summary import MAGIC, Summary, as_bytes

CLOSED = -1  # in place of an open file
NO_INDEX = as_bytes(Footer(0, 0, 0)) + MAGIC  # an end that sends readers to the beginning
SMALL_SUMMARY = 65_536  # bytes that any commit may write; chosen: half of what a cell adds to it


class FileExists(NotWritable):
    """There is such a file already, and nobody asked to lose it."""


class McapFile:
    """A new MCAP file, that grows by commits; `NotWritable` says why it cannot."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._summary = Summary()
        self._full: list[_ChunkInWork] = []  # and before this one
        self._chunk = _ChunkInWork()
        self._attached: list[Attachment] = []
        self._since_summary = 0  # bytes
        self._end = 0  # of the data
        self._tail = b""  # behind it
        self._file = _create(path)
        try:
            self._write(MAGIC + as_bytes(Header("", f"twincell {__version__}")), with_index=True)
        except NotWritable:
            with suppress(OSError):
                path.unlink()
            raise

    @property
    def size(self) -> int:
        """How long the file is."""
        return self._end + len(self._tail)

    @property
    def waiting(self) -> int:
        """Bytes that the next commit writes, before they are compressed."""
        return sum(chunk.records.count for chunk in [*self._full, self._chunk])

    def add_schema(self, name: str, encoding: str, data: bytes) -> int:
        """Say how messages look; the number of this schema."""
        schema = Schema(len(self._summary.schemas) + 1, data, encoding, name)
        self._summary.schemas.append(schema)
        schema.write(self._chunk.records)
        return schema.id

    def add_channel(self, topic: str, encoding: str, schema: int) -> int:
        """A new topic; the number of its channel."""
        channel = Channel(len(self._summary.channels) + 1, topic, encoding, {}, schema)
        self._summary.channels.append(channel)
        channel.write(self._chunk.records)
        return channel.id

    def attach(self, name: str, media_type: str, data: bytes) -> None:
        """Put a file into the file."""
        self._attached.append(Attachment(0, 0, name, media_type, data))

    def add_message(self, channel: int, time_ns: int, data: bytes) -> None:
        """Add a message: it is in the file after the next commit."""
        if self._chunk.is_full:
            self._full.append(self._chunk)
            self._chunk = _ChunkInWork()
        number = self._summary.count_message(channel, time_ns)
        self._chunk.add(Message(channel, time_ns, data, time_ns, number))

    def commit(self, with_index: bool = False) -> None:
        """Write what was added; when that fails, the file is closed, as it was before."""
        data = self._attachments()
        for chunk in [*self._full, self._chunk]:
            data += chunk.close(self._end + len(data), self._summary)
        self._full, self._chunk = [], _ChunkInWork()
        if not data and not with_index:
            return
        self._since_summary += len(data)
        most = max(self._since_summary, SMALL_SUMMARY)
        self._write(data, with_index or self._summary.size <= most)

    def sync(self) -> None:
        """Wait until the disk has what was written."""
        try:
            os.fsync(self._file)
        except OSError as error:
            if self._file != CLOSED:  # else it was closed meanwhile
                raise self._not_written(error) from error

    def close(self) -> None:
        """Write the rest, with an index of everything, unless a write has failed before."""
        if self._file != CLOSED:
            self.commit(with_index=True)
            self._close()

    def _attachments(self) -> bytes:
        data = b""
        for one in self._attached:
            record = as_bytes(one)
            self._summary.add_attachment(
                AttachmentIndex(
                    offset=self._end + len(data),
                    length=len(record),
                    log_time=one.log_time,
                    create_time=one.create_time,
                    data_size=len(one.data),
                    name=one.name,
                    media_type=one.media_type,
                )
            )
            data += record
        self._attached.clear()
        return data

    def _write(self, data: bytes, with_index: bool) -> None:
        end = self._end + len(data)
        tail = self._summary.tail(end, with_index)
        gets_shorter = end + len(tail) < self.size
        try:
            if gets_shorter:
                _write_all(self._file, NO_INDEX, self.size - len(NO_INDEX))
            _write_all(self._file, data + tail, self._end)
            if gets_shorter:
                os.ftruncate(self._file, end + len(tail))
        except OSError as error:
            self._undo()
            raise self._not_written(error) from error
        self._end, self._tail = end, tail
        if with_index:
            self._since_summary = 0

    def _not_written(self, error: OSError) -> NotWritable:
        return NotWritable(f"{self.path}: could not be written: {error.strerror or error}")

    def _undo(self) -> None:
        """Let the file be what it was before the last write; its blocks are there already."""
        with suppress(OSError):
            _write_all(self._file, self._tail, self._end)
            os.ftruncate(self._file, self.size)
        self._close()

    def _close(self) -> None:
        os.close(self._file)
        self._file = CLOSED


class _ChunkInWork:
    """Records on their way into a chunk."""

    def __init__(self) -> None:
        self.records = RecordBuilder()
        self._places: dict[int, list[tuple[int, int]]] = {}  # by channel: time and place
        self._first_ns = self._last_ns = 0
        self._n_message = 0

    @property
    def is_full(self) -> bool:
        # schemas and channels are records beside the messages: they have the other half
        return self.records.count > LARGE or self._n_message >= MOST_RECORDS // 2

    def add(self, message: Message) -> None:
        time_ns = message.log_time
        self._first_ns = min(self._first_ns, time_ns) if self._places else time_ns
        self._last_ns = max(self._last_ns, time_ns)
        places = self._places.setdefault(message.channel_id, [])
        places.append((time_ns, self.records.count))
        message.write(self.records)
        self._n_message += 1

    def close(self, start: int, summary: Summary) -> bytes:
        """The chunk that begins here, and the indexes of its messages; nothing if it is empty."""
        data: bytes = self.records.end()  # type: ignore[no-untyped-call]
        if not data:
            return b""
        packed = zstandard.compress(data)
        chunk = as_bytes(
            Chunk("zstd", packed, self._last_ns, self._first_ns, zlib.crc32(data), len(data))
        )
        indexes, offsets = bytearray(), {}
        for channel, places in self._places.items():
            offsets[channel] = start + len(chunk) + len(indexes)
            indexes += as_bytes(MessageIndex(channel, places))
        summary.add_chunk(
            ChunkIndex(
                chunk_start_offset=start,
                chunk_length=len(chunk),
                compression="zstd",
                compressed_size=len(packed),
                uncompressed_size=len(data),
                message_start_time=self._first_ns,
                message_end_time=self._last_ns,
                message_index_offsets=offsets,
                message_index_length=len(indexes),
            )
        )
        return chunk + bytes(indexes)


def _create(path: Path) -> int:
    """A new file, open for writing."""
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    except FileExistsError:
        raise FileExists(f"{path}: is there already, and is not written over") from None
    except FileNotFoundError:
        raise NotWritable(f"{path}: there is no folder {path.parent}") from None
    except OSError as error:
        raise NotWritable(f"{path}: cannot write here: {error.strerror}") from error


def _write_all(file: int, data: bytes, offset: int) -> None:
    """Write all of it, also when the system takes it in parts."""
    view = memoryview(data)
    while view:
        done = os.pwrite(file, view, offset)
        view, offset = view[done:], offset + done
