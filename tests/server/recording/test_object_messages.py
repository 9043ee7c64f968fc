"""Rows as JSON: nested by the names of the signals, valid whatever the numbers are."""

import json
import math

import pytest
from mcap.records import Channel, Message, Schema

from twincell.server.recording.mcap_file import McapFile
from twincell.server.recording.mcap_scan import McapScan
from twincell.server.recording.object_messages import ObjectMessages
from twincell.sim.signals import Direction, Kind, Signal

KINDS = {
    "Changer.Fault": Kind.BOOLEAN,
    "Changer.Fault.AirLoss": Kind.BOOLEAN,
    "Changer.Force.X": Kind.DOUBLE,
    "Changer.Count": Kind.INT32,
    "Changer.Partner": Kind.STRING,
    "Other.Pose.X": Kind.DOUBLE,
}


def signals(names):
    for column, name in enumerate(names):
        texts = ("", 'a "quoted" name') if KINDS[name] is Kind.STRING else ()
        yield Signal(name, column, KINDS[name], "", Direction.FEEDBACK, "told", texts)


def messages(path, names, row, digits=None):
    file = McapFile(path)
    ObjectMessages(file, signals(names), 0.001, digits).add(7, 7_000_000, row)
    file.close()
    topics, schemas, found = {}, {}, {}
    for record in McapScan(path).records():
        if isinstance(record, Channel):
            topics[record.id] = record.topic
        elif isinstance(record, Schema):
            schemas[record.name] = json.loads(record.data)
        elif isinstance(record, Message):
            found[topics[record.channel_id]] = json.loads(record.data)
    return found, schemas


@pytest.mark.parametrize("names", [list(KINDS), list(reversed(KINDS))])
def test_a_signal_whose_name_begins_others_keeps_its_own_place(tmp_path, names):
    values = {"Changer.Force.X": 1.5, "Changer.Count": 3.0, "Changer.Fault": 1.0}
    row = [values.get(name, 0.0) for name in names]
    found, schemas = messages(tmp_path / "x.mcap", names, row)
    changer = found["/Changer"]
    assert changer["Fault"] == {"value": True, "AirLoss": False}
    assert (changer["Force"], changer["Count"], changer["Partner"]) == ({"X": 1.5}, 3, "")
    assert (changer["tick"], changer["time"]) == (7, 0.007)
    assert set(schemas["Changer"]["properties"]) == set(changer)
    assert found["/Other"]["Pose"] == {"X": 0.0}


def test_what_is_no_number_is_null_and_texts_are_quoted(tmp_path):
    names = ["Changer.Force.X", "Changer.Partner", "Other.Pose.X"]
    found, _ = messages(tmp_path / "x.mcap", names, [math.nan, 1.0, -math.inf])
    assert found["/Changer"]["Force"]["X"] is None
    assert found["/Changer"]["Partner"] == 'a "quoted" name'
    assert found["/Other"]["Pose"]["X"] is None


def test_all_digits_are_kept_or_as_many_as_asked_for(tmp_path):
    names, row = ["Other.Pose.X"], [math.pi]
    whole, _ = messages(tmp_path / "whole.mcap", names, row)
    short, _ = messages(tmp_path / "short.mcap", names, row, digits=6)
    assert whole["/Other"]["Pose"]["X"] == math.pi
    assert short["/Other"]["Pose"]["X"] == 3.14159
