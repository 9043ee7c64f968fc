"""Files that no recorder wrote: each is refused with its name and a reason."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from mcap.records import Attachment, Channel, Message

from tests.server.recording.forged_recording import forge
from twincell.server.realtime.stamps import UNITS_1601_TO_1970
from twincell.server.recording.facts import FACTS
from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.mcap_scan import McapScan
from twincell.server.recording.rebuilt_cell import NotBuilt, rebuilt
from twincell.server.recording.recording import NoRecording, Recording
from twincell.server.recording.recording_writer import COMMANDS, EVENTS, FAULTS, FEEDBACK, ORDERS
from twincell.server.recording.row_block import HEADER, RowBlock, decode, encode
from twincell.sim.cell import Cell

SPOILED = 400  # files that are tried; chosen: some seconds


class Content:
    """What is in a recording, to change it and write it again."""

    def __init__(self, path: Path) -> None:
        self.attached: dict[str, bytes] = {}
        self.messages: list[tuple[str, bytes]] = []
        topics = {}
        for record in McapScan(path).records():
            if isinstance(record, Attachment):
                self.attached[record.name] = record.data
            elif isinstance(record, Channel):
                topics[record.id] = record.topic
            elif isinstance(record, Message):
                self.messages.append((topics[record.channel_id], record.data))

    def write(self, path: Path) -> Path:
        path.unlink(missing_ok=True)
        file = McapFile(path)
        for name, data in self.attached.items():
            file.attach(name, "", data)
        schema = file.add_schema("any", "", b"")
        channels = {topic: file.add_channel(topic, "", schema) for topic, _ in self.messages}
        for topic, data in self.messages:
            file.add_message(channels[topic], 0, data)
        file.close()
        return path

    def tell(self, **facts: object) -> None:
        """Say something else about the recording."""
        self.attached[FACTS] = json.dumps(json.loads(self.attached[FACTS]) | facts).encode()

    def place(self, topic: str) -> int:
        return next(k for k, message in enumerate(self.messages) if message[0] == topic)

    def block(self, topic: str) -> RowBlock:
        return decode(self.messages[self.place(topic)][1])

    def put(self, topic: str, block: RowBlock) -> None:
        self.messages[self.place(topic)] = (topic, encode(block))


@pytest.fixture
def content(small_cell, tmp_path):
    cell = Cell.load(small_cell)
    return Content(forge(tmp_path / "good.mcap", cell, [], Cell.load(small_cell).run(120)))


@pytest.fixture
def odd(tmp_path):
    return tmp_path / "odd.mcap"


def read(path: Path) -> int:
    return sum(1 for _ in Recording(path).parts())


def refusal(path: Path) -> str:
    with pytest.raises(NoRecording) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


def test_a_recording_written_again_is_one(content, odd):
    assert read(content.write(odd)) == read(odd.with_name("good.mcap"))


@pytest.mark.parametrize("topic", [ORDERS, EVENTS, FAULTS])
@pytest.mark.parametrize(
    "note",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"null",
        b"{}",
        b"[" * 100_000,
        b'{"row": "x", "tick": 0, "text": ""}',
        b'{"row": -1, "tick": 0, "text": "", "type": "", "source": ""}',
        b'{"row": 0, "tick": 1e400}',
        b'{"row": 0, "tick": 0, "order": "move", "argument": null, "payload": ""}',
        b'{"row": 0, "tick": 0, "order": "move", "argument": 0, "payload": "a"}',
    ],
)
def test_a_note_that_is_none_is_refused(content, odd, topic, note):
    content.messages.append((topic, note))
    assert f"a message of {topic} is damaged" in refusal(content.write(odd))


@pytest.mark.parametrize(
    "facts",
    [
        {"every": 0},
        {"every": "1"},
        {"first_row": -1},
        {"step_s": 0.0},
        {"step_s": None},
        {"cell": 7},
        {"cell": "Small\x1b[2Jcell"},
        {"machine": "x86\x9b2J"},
        {"kept": ["Nobody.Is"]},
        {"kept": ["Flange.Closed"]},
        {"kept": 3},
        {"signals": [{}]},
        {"signals": "signals"},
        {"signals": None},
        {"format": 2},
    ],
)
def test_facts_that_no_recording_has_are_refused(content, odd, facts):
    content.tell(**facts)
    refusal(content.write(odd))


@pytest.mark.parametrize("facts", [b"", b"7", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_facts_that_are_none_are_refused(content, odd, facts):
    content.attached[FACTS] = facts
    refusal(content.write(odd))


@pytest.mark.parametrize("shift", [-1, -60, 1, 10**15, -(10**15)])
def test_feedback_of_rows_that_are_not_there_is_refused(content, odd, shift):
    block = content.block(FEEDBACK)
    content.put(FEEDBACK, block._replace(first=block.first + shift))
    assert "rows that it does not have" in refusal(content.write(odd))


def test_feedback_of_other_signals_or_rows_is_refused(content, odd):
    block = content.block(FEEDBACK)
    for other in (block._replace(bits=block.bits[:, 1:]), block._replace(every=2)):
        content.put(FEEDBACK, other)
        assert "a block of rows is damaged" in refusal(content.write(odd))


def test_rows_without_columns_take_no_memory(content, odd):
    content.tell(kept=[])
    place = content.place(FEEDBACK)
    content.messages[place] = (FEEDBACK, HEADER.pack(4_000_000_000, 0, 0, 1))
    assert "no block has more than 500" in refusal(content.write(odd))


@pytest.mark.parametrize(
    ("column", "value"),
    [(-2, -1), (-2, 2**60), (-1, 0), (-1, UNITS_1601_TO_1970 - 1), (-1, 2**63 - 1)],
)
def test_ticks_and_stamps_that_no_run_reaches_are_refused(content, odd, column, value):
    block = content.block(COMMANDS)
    block.bits[5, column] = value
    content.put(COMMANDS, block)
    assert "a block of rows is damaged" in refusal(content.write(odd))


def test_a_text_that_there_is_not_is_refused(content, odd, small_cell):
    signals = Cell.load(small_cell).signals
    column = signals["Tool.Partner"].column - len(signals.latched)
    block = content.block(FEEDBACK)
    block.bits[3, column] = np.float64(99.0).view(np.int64)
    content.put(FEEDBACK, block)
    assert "a text or a whole number is none" in refusal(content.write(odd))


@pytest.mark.parametrize("kind", ["model", "shipped_model"])
@pytest.mark.parametrize("name", ["a\0b", ".", "cell.toml/x", "a/../..", "x" * 300, "../" * 600])
def test_files_that_cannot_be_laid_out_are_refused(content, odd, kind, name):
    content.attached[f"{kind}/cell.toml"] = b"a file where the name wants a folder"
    content.attached[f"{kind}/{name}"] = b"arm"
    with pytest.raises(NotBuilt):
        rebuilt(Recording(content.write(odd)).facts.files)


def test_a_cell_file_that_is_none_is_refused(content, odd):
    content.attached["cell.toml"] = b"\xff\0"
    with pytest.raises(NotBuilt):
        rebuilt(Recording(content.write(odd)).facts.files)


def test_a_file_that_goes_while_it_is_read_is_named(content, odd):
    recording = Recording(content.write(odd))
    odd.unlink()
    with pytest.raises(NoRecording, match=r"odd\.mcap: cannot be read: No such file"):
        list(recording.parts())


def test_a_folder_is_no_recording(tmp_path):
    assert "cannot be read: Is a directory" in refusal(tmp_path)


def test_spoiled_bytes_are_read_or_refused_but_raise_nothing_else(content, odd):
    choose = random.Random(5)
    refused = 0
    for _ in range(SPOILED):
        spoiled = Content.__new__(Content)
        spoiled.attached, spoiled.messages = dict(content.attached), list(content.messages)
        place = choose.randrange(-1, len(spoiled.messages))
        data = bytearray(spoiled.attached[FACTS] if place < 0 else spoiled.messages[place][1])
        for _ in range(choose.randint(1, 3)):
            at = choose.randrange(min(len(data), 60 if choose.random() < 0.5 else len(data)))
            data[at] = choose.randrange(256)
        if choose.random() < 0.2:
            del data[choose.randrange(len(data)) :]
        if place < 0:
            spoiled.attached[FACTS] = bytes(data)
        else:
            spoiled.messages[place] = (spoiled.messages[place][0], bytes(data))
        try:
            read(spoiled.write(odd))
        except NoRecording:
            refused += 1
    assert refused > SPOILED // 10
