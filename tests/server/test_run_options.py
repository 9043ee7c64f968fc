"""What twincell run refuses, before it compiles or starts anything."""

import socket

import pytest


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--port=-1", "--port -1: must be"),
        ("--port=65536", "--port 65536: must be"),
        ("--speed=0", "--speed 0: must be"),
        ("--speed=nan", "--speed nan: must be"),
        ("--speed=1000", "--speed 1000: must be"),
        ("--cycle-ms=0", "--cycle-ms 0: must be a whole number of ticks of 1 ms"),
        ("--cycle-ms=2.5", "--cycle-ms 2.5: must be a whole number of ticks of 1 ms"),
        ("--cycle-ms=nan", "--cycle-ms nan: must be"),
    ],
)
def test_impossible_options_are_refused(twincell, option, words):
    ended = twincell("run", "tool_change_single", option)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(words)


@pytest.mark.parametrize("path", ["notes.txt", "notes.txt/recordings"])
def test_a_file_is_no_folder_for_recordings(twincell, tmp_path, path):
    (tmp_path / "notes.txt").touch()
    ended = twincell("run", "tool_change_single", "--port=0", "--recordings", path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"--recordings {path}: notes.txt is a file, not a folder\n"
        "  hint: name a folder; it is made with the first recording\n"
    )


def test_an_unknown_cell_is_told_before_the_port_is_looked_at(twincell):
    ended = twincell("run", "tool_chance_single", "--port=1")
    assert (ended.code, ended.out) == (2, "")
    assert "did you mean tool_change_single" in ended.err


def test_a_port_where_somebody_else_listens_is_refused(twincell):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        ended = twincell("run", "tool_change_single", "--port", port)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"port {port} is in use: another twincell, or another OPC UA server\n"
        "  hint: stop it, or take another port with --port (0 takes a free one)\n"
    )
