"""The end of an MCAP file: what is in it, and where. It grows with every chunk.

    data end | schemas, channels, statistics, chunk and attachment indexes, offsets | footer, magic

Indexes are kept as bytes: a summary of a thousand chunks is put together without going through
them again.

    https://mcap.dev/spec
"""

import struct
import zlib
from collections import defaultdict

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    AttachmentIndex,
    Channel,
    ChunkIndex,
    DataEnd,
    Footer,
    McapRecord,
    Schema,
    Statistics,
    SummaryOffset,
)

MAGIC = b"\x89MCAP0\r\n"
FOOTER_START = struct.Struct("<BQQQ")  # what of the footer its checksum covers
FOOTER_SIZE = 20


class Summary:
    """What an MCAP file holds so far."""

    def __init__(self) -> None:
        self.schemas: list[Schema] = []
        self.channels: list[Channel] = []
        self.counts: dict[int, int] = defaultdict(int)  # messages by channel
        self.first_ns = self.last_ns = 0
        self._chunks = bytearray()
        self._n_chunk = 0
        self._attachments = bytearray()
        self._n_attachment = 0

    @property
    def size(self) -> int:
        """About how long it is: what does not grow is left out."""
        return len(self._chunks)

    def count_message(self, channel: int, time_ns: int) -> int:
        """Note a message; how many its channel had before."""
        before = self.counts[channel]
        self.first_ns = min(self.first_ns, time_ns) if any(self.counts.values()) else time_ns
        self.last_ns = max(self.last_ns, time_ns)
        self.counts[channel] += 1
        return before

    def add_chunk(self, index: ChunkIndex) -> None:
        self._chunks += as_bytes(index)
        self._n_chunk += 1

    def add_attachment(self, index: AttachmentIndex) -> None:
        self._attachments += as_bytes(index)
        self._n_attachment += 1

    def tail(self, start: int, with_index: bool) -> bytes:
        """What follows the data, if that ends here."""
        data_end = as_bytes(DataEnd(0))
        if not with_index:
            return data_end + as_bytes(Footer(0, 0, 0)) + MAGIC
        start += len(data_end)
        groups: dict[Opcode, bytes | bytearray] = {
            Opcode.SCHEMA: b"".join(map(as_bytes, self.schemas)),
            Opcode.CHANNEL: b"".join(map(as_bytes, self.channels)),
            Opcode.STATISTICS: as_bytes(self._statistics()),
            Opcode.CHUNK_INDEX: self._chunks,
            Opcode.ATTACHMENT_INDEX: self._attachments,
        }
        summary, offsets = bytearray(), bytearray()
        for opcode, group in groups.items():
            if group:
                offsets += as_bytes(SummaryOffset(opcode, start + len(summary), len(group)))
                summary += group
        places = (start, start + len(summary))
        summary += offsets
        checksum = zlib.crc32(
            FOOTER_START.pack(Opcode.FOOTER, FOOTER_SIZE, *places), zlib.crc32(summary)
        )
        return b"".join([data_end, summary, as_bytes(Footer(*places, checksum)), MAGIC])

    def _statistics(self) -> Statistics:
        return Statistics(
            attachment_count=self._n_attachment,
            channel_count=len(self.channels),
            channel_message_counts=dict(self.counts),
            chunk_count=self._n_chunk,
            message_count=sum(self.counts.values()),
            message_end_time=self.last_ns,
            message_start_time=self.first_ns,
            metadata_count=0,
            schema_count=len(self.schemas),
        )


def as_bytes(record: McapRecord) -> bytes:
    """A record as it stands in a file."""
    builder = RecordBuilder()
    record.write(builder)
    data: bytes = builder.end()  # type: ignore[no-untyped-call]
    return data
