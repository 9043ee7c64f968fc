"""A file that is being written is a whole MCAP file, wherever its writer ends."""

import errno
import io
import os
import struct
from contextlib import suppress

import pytest
import zstandard
from mcap.reader import make_reader
from mcap.records import Chunk, Header, Message

from twincell.server.files.atomic import NotWritable
from twincell.server.recording import mcap_file, mcap_scan
from twincell.server.recording.mcap_file import FileExists, McapFile
from twincell.server.recording.mcap_scan import McapScan, NoMcap
from twincell.server.recording.mcap_summary import MAGIC, as_bytes


@pytest.fixture
def path(tmp_path):
    return tmp_path / "run.mcap"


def begun(path):
    file = McapFile(path)
    file.attach("cell.toml", "application/toml", b"name = 'cell'")
    schema = file.add_schema("number", "jsonschema", b'{"type": "object"}')
    return file, file.add_channel("/numbers", "json", schema)


def grown(path, commits=5):
    file, channel = begun(path)
    for number in range(commits):
        file.add_message(channel, number * 1000, b'{"n": %d}' % number)
        file.commit()
    return file, channel


def read(data: bytes) -> list[bytes]:
    """Messages, as the library's own reader finds them by the index."""
    return [message.data for _, _, message in make_reader(io.BytesIO(data), True).iter_messages()]


def scanned(path) -> list[bytes]:
    return [found.data for found in McapScan(path).records() if isinstance(found, Message)]


def numbers(count):
    return [b'{"n": %d}' % number for number in range(count)]


def test_after_every_commit_the_file_is_whole_and_indexed(path):
    file, channel = begun(path)
    for number in range(5):
        file.add_message(channel, number, b'{"n": %d}' % number)
        file.commit()
        reader = make_reader(io.BytesIO(path.read_bytes()), validate_crcs=True)
        summary = reader.get_summary()
        assert summary.statistics.message_count == number + 1
        assert len(summary.chunk_indexes) == number + 1
        assert [one.data for one in reader.iter_attachments()] == [b"name = 'cell'"]
        assert read(path.read_bytes()) == numbers(number + 1)
        assert path.stat().st_size == file.size


def test_an_empty_file_is_whole(path):
    McapFile(path).close()
    assert read(path.read_bytes()) == []


def test_a_long_summary_is_left_out_until_it_is_due(path, monkeypatch):
    monkeypatch.setattr(mcap_file, "SMALL_SUMMARY", 0)
    file, channel = begun(path)
    indexed = []
    for number in range(200):
        file.add_message(channel, number, os.urandom(60))
        file.commit()
        data = path.read_bytes()
        assert data.endswith(b"\x89MCAP0\r\n")
        assert len(read(data)) == number + 1  # by the index, or by going through the file
        indexed.append(make_reader(io.BytesIO(data)).get_summary() is not None)
    assert 2 < sum(indexed) < 100
    file.close()
    assert len(make_reader(io.BytesIO(path.read_bytes())).get_summary().chunk_indexes) == 200


def test_a_file_cut_anywhere_gives_all_that_is_whole_before_the_cut(path, tmp_path):
    grown(path)[0].close()
    data = path.read_bytes()
    chunk_ends = [
        index.chunk_start_offset + index.chunk_length
        for index in make_reader(io.BytesIO(data)).get_summary().chunk_indexes
    ]
    part = tmp_path / "part.mcap"
    for cut in range(8, len(data)):
        part.write_bytes(data[:cut])
        assert scanned(part) == numbers(sum(end <= cut for end in chunk_ends))


def test_a_cut_is_told(path):
    grown(path)[0].close()
    os.truncate(path, path.stat().st_size // 4)
    scan = McapScan(path)
    list(scan.records())
    assert scan.damage.startswith("cut off or damaged at byte ")


def test_a_chunk_with_a_wrong_bit_ends_the_reading(path):
    grown(path)[0].close()
    data = bytearray(path.read_bytes())
    index = make_reader(io.BytesIO(bytes(data))).get_summary().chunk_indexes[2]
    data[index.chunk_start_offset + index.chunk_length - 3] ^= 1
    path.write_bytes(data)
    assert scanned(path) == numbers(2)


def test_a_write_that_fails_half_way_is_undone(path, monkeypatch):
    file, channel = grown(path)
    before = path.read_bytes()
    pwrite = os.pwrite
    calls = []

    def full_disk(fd, data, offset):
        calls.append(offset)
        if len(calls) == 1:
            return pwrite(fd, data[:30], offset)  # a part of it fits
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return pwrite(fd, data, offset)

    monkeypatch.setattr(os, "pwrite", full_disk)
    file.add_message(channel, 9, b"lost")
    with pytest.raises(NotWritable, match=r"run\.mcap: could not be written: No space left"):
        file.commit()
    assert path.read_bytes() == before


class Killed(BaseException):
    """Ends a writer at once, whatever it was about to do."""


@pytest.mark.parametrize("last", range(1, 5))
def test_a_writer_killed_between_any_two_calls_leaves_a_file_that_opens(path, monkeypatch, last):
    """Also when the file gets shorter, as its index is left out."""
    monkeypatch.setattr(mcap_file, "SMALL_SUMMARY", 0)
    file, channel = grown(path, commits=3)
    file.add_message(channel, 8, b"with an index")
    file.commit(with_index=True)
    before = len(read(path.read_bytes()))
    size = path.stat().st_size
    calls = []

    def until_killed(function):
        def call(*arguments):
            if len(calls) == last:
                raise Killed
            calls.append(function.__name__)
            return function(*arguments)

        return call

    monkeypatch.setattr(os, "pwrite", until_killed(os.pwrite))
    monkeypatch.setattr(os, "ftruncate", until_killed(os.ftruncate))
    file.add_message(channel, 9, b"short")
    with suppress(Killed):
        file.commit()
    assert len(read(path.read_bytes())) in (before, before + 1)
    assert len(scanned(path)) == len(read(path.read_bytes()))
    if last == 4:
        assert calls == ["pwrite", "pwrite", "ftruncate"]
        assert path.stat().st_size < size


def test_a_disk_that_does_not_keep_what_was_written_is_named(path, monkeypatch):
    def broken(_file):
        raise OSError(errno.EIO, "Input/output error")

    file, _ = grown(path)
    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(NotWritable, match=r"run\.mcap: could not be written: Input/output error"):
        file.sync()
    file.close()
    file.sync()  # of a file that was closed meanwhile nothing is said


def chunk_file(path, chunk: Chunk):
    path.write_bytes(MAGIC + as_bytes(Header("", "test")) + as_bytes(chunk))
    return path


def damage_of(path) -> str:
    scan = McapScan(path)
    assert list(scan.records()) == []
    return scan.damage


def test_a_chunk_that_is_more_than_it_says_is_not_unpacked(path, monkeypatch):
    data = bytes(50_000_000)
    packed = zstandard.compress(data)
    assert len(packed) < 5000
    monkeypatch.setattr(zstandard, "decompress", lambda *_, **__: pytest.fail("unpacked"))
    assert "a chunk of 100 bytes has 50000000" in damage_of(
        chunk_file(path, Chunk("zstd", packed, 0, 0, 0, 100))
    )
    unknown = zstandard.ZstdCompressor(write_content_size=False).compress(data)
    assert "a chunk of 50000000 bytes has -1" in damage_of(
        chunk_file(path, Chunk("zstd", unknown, 0, 0, 0, len(data)))
    )
    monkeypatch.setattr(mcap_scan, "LARGEST", 40_000_000)
    assert "larger than any of ours" in damage_of(
        chunk_file(path, Chunk("zstd", packed, 0, 0, 0, len(data)))
    )
    assert "compressed with 'lz4'" in damage_of(chunk_file(path, Chunk("lz4", b"x", 0, 0, 0, 1)))


def test_a_record_that_is_larger_than_memory_is_not_read(path):
    grown(path)[0].close()
    data = path.read_bytes()
    path.write_bytes(MAGIC + struct.pack("<BQ", 0x06, 10**12))
    os.truncate(path, 2 * 10**12)  # sparse: takes no room
    assert "a record of 1000000000000 bytes" in damage_of(path)
    path.write_bytes(data)
    assert scanned(path) == numbers(5)


def test_a_file_that_exists_is_left_alone(path):
    path.write_text("precious")
    with pytest.raises(FileExists, match=r"run\.mcap: is there already"):
        McapFile(path)
    assert path.read_text() == "precious"


def test_a_missing_folder_is_named(path):
    with pytest.raises(NotWritable, match="there is no folder"):
        McapFile(path.parent / "no" / "run.mcap")


@pytest.mark.parametrize("content", [b"", b"\x89MCAP", b"time,Tool1.Pose.X\n"])
def test_another_file_is_no_mcap_file(path, content):
    path.write_bytes(content)
    with pytest.raises(NoMcap, match=r"run\.mcap: is no MCAP file"):
        McapScan(path)


def test_no_file_is_no_mcap_file(path):
    with pytest.raises(NoMcap, match=r"run\.mcap: cannot be read: No such file"):
        McapScan(path)
