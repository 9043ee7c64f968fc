"""Small files that claim to hold much, or have lengths beyond all bytes: read within bounds."""

import resource
import struct
import subprocess
import time
import zlib

import pytest
from mcap.opcode import Opcode
from mcap.records import Message

from tests.server.recording.bomb import EMPTY_MESSAGE, bomb, chunk, put_behind, without_end
from tests.server.recording.forged_recording import forge
from tests.server.twincell_command import command, environment
from twincell.server.recording.mcap_bounds import LARGEST, MOST_RECORDS
from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.mcap_scan import RECORD, McapScan
from twincell.server.recording.mcap_summary import as_bytes
from twincell.server.recording.recording import NoRecording, Recording
from twincell.server.recording.row_block import MOST_ROWS, rows_of_a_block
from twincell.sim.cell import Cell

MEMORY = 1_000_000_000  # bytes that a command may have in all; twincell itself maps about half


@pytest.fixture
def good(small_cell, tmp_path):
    """A recording, with its end cut off, so that more can be put behind it."""
    path = forge(tmp_path / "odd.mcap", Cell.load(small_cell), [], Cell.load(small_cell).run(60))
    return without_end(path)


def damage(path) -> str:
    recording = Recording(path)
    assert sum(len(rows.ticks) for rows in recording.rows()) == 60  # what was before is there
    return recording.damage


@pytest.mark.parametrize("length", [2**63, 2**64 - 1, 2**62, 2**31, 23])
@pytest.mark.parametrize("opcode", [Opcode.MESSAGE, Opcode.SCHEMA, Opcode.CHANNEL, 0x7F])
def test_a_record_longer_than_its_chunk_is_damage(good, opcode, length):
    put_behind(good, chunk(RECORD.pack(opcode, length) + b"\0" * 22))
    assert f"a record of {length} bytes is longer than its chunk" in damage(good)


@pytest.mark.parametrize("opcode", [Opcode.MESSAGE, Opcode.SCHEMA, Opcode.CHANNEL])
def test_a_record_too_short_for_its_kind_is_damage(good, opcode):
    put_behind(good, chunk(RECORD.pack(opcode, 1) + b"\0"))
    assert "cut off or damaged at byte" in damage(good)


def test_an_attachment_longer_than_all_bytes_is_damage(good):
    body = struct.pack("<QQIIQ", 0, 0, 0, 0, 2**63 + 5) + b"abc"
    body += struct.pack("<I", zlib.crc32(body))
    put_behind(good, RECORD.pack(Opcode.ATTACHMENT, len(body)) + body)
    assert "cut off or damaged at byte" in damage(good)


def test_a_chunk_whose_packed_bytes_go_beyond_all_is_damage(good):
    body = struct.pack("<QQQII", 0, 0, 8, 0, 4) + b"zstd" + struct.pack("<Q", 2**63 + 5) + b"abc"
    put_behind(good, RECORD.pack(Opcode.CHUNK, len(body)) + body)
    assert "cut off or damaged at byte" in damage(good)


def test_a_chunk_of_very_many_records_is_damage(good):
    put_behind(good, chunk(EMPTY_MESSAGE * (MOST_RECORDS + 1)))
    assert f"a chunk has more than {MOST_RECORDS} records" in damage(good)


def test_many_such_chunks_are_more_than_the_file_has_indexes_for(good):
    put_behind(good, chunk(EMPTY_MESSAGE * MOST_RECORDS) * 9)
    assert "records are more than a file of its length can have" in damage(good)


def test_a_chunk_that_unpacks_to_very_much_is_damage(good):
    put_behind(good, chunk(b"\0" * (LARGEST + 1)))
    assert f"a chunk of {LARGEST + 1} bytes is larger than any of ours" in damage(good)


def test_a_block_of_very_many_rows_is_refused(small_cell, good):
    columns = len(Cell.load(small_cell).signals.latched) + 2
    rows = 4_000_000 // columns
    head = struct.pack("<IIqI", rows, columns, 60, 1)
    message = Message(1, 0, head + b"\0" * (columns + 8 * rows * columns), 0, 0)
    put_behind(good, chunk(as_bytes(message)))
    with pytest.raises(NoRecording, match=f"no block has more than {MOST_ROWS}"):
        list(Recording(good).parts())


PLOT = ["plot", "--out", "out.png", "--signals", "Tool.Force.Z"]


@pytest.mark.parametrize("words", [["info"], ["export", "--out", "out.csv"], ["diff"], PLOT])
def test_a_bomb_is_read_in_little_memory_and_time(good, tmp_path, words):
    bomb(good)
    assert good.stat().st_size < 100_000
    name, *options = words
    files = [good, good] if name == "diff" else [good]
    began = time.process_time()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        command(name, *files, *options),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY)),
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert ended.returncode == 0, ended.stderr
    assert "larger than any of ours; everything before is used" in ended.stderr
    assert after.ru_utime - before.ru_utime + time.process_time() - began < 20


def test_a_writer_begins_another_chunk_before_a_reader_takes_no_more(tmp_path):
    file = McapFile(tmp_path / "many.mcap")
    channel = file.add_channel("/many", "", file.add_schema("any", "", b""))
    many = MOST_RECORDS + 10
    for number in range(many):
        file.add_message(channel, number, b"")
    file.close()
    scan = McapScan(tmp_path / "many.mcap")
    found = [record.sequence for record in scan.records() if isinstance(record, Message)]
    assert found == list(range(many))
    assert scan.damage == ""


def test_blocks_of_a_wide_cell_have_fewer_rows():
    assert rows_of_a_block(10) == MOST_ROWS
    assert rows_of_a_block(90_000) == 22  # 16 MB
    assert rows_of_a_block(10**9) == 1
